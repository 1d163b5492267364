// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PLAN_JSON_HPP
#define IACCTL_VIEWS_PLAN_JSON_HPP

#include "plan_view.hpp"
#include "state_view.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::views {

/// The output of `show -json PLANFILE`: one line, format version 1.2.
[[nodiscard]] auto plan_json(plan_view const& plan) -> std::string;

/// The output of `show -json` for the state: one line, format version 1.0. For an empty state, only the version.
[[nodiscard]] auto state_json(state_view const& state) -> std::string;

/// The output of `state show -json`. \source Terraform 1.17, "terraform state show"
[[nodiscard]] auto instance_json(resource_view const& resource) -> std::string;
/// The same if there are errors.
[[nodiscard]] auto instance_json(strider::infra::diagnostics const& problems) -> std::string;

/// The names in JSON documents and messages for the event of an action, and for the effect of its failure.
[[nodiscard]] auto event_word(infra::trigger_event event) noexcept -> std::string_view;
[[nodiscard]] auto failure_word(infra::failure_effect effect) noexcept -> std::string_view;

/// The output of `output -json`.
[[nodiscard]] auto outputs_json(std::vector<output_view> outputs) -> std::string;
/// The output of `output -json NAME`.
[[nodiscard]] auto output_json(output_view const& output) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PLAN_JSON_HPP
