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
[[nodiscard]] std::string plan_json(plan_view const& of);

/// The output of `show -json` for the state: one line, format version 1.0. For an empty state, only the version.
[[nodiscard]] std::string state_json(state_view const& of);

/// The output of `state show -json`. \source Terraform 1.17, "terraform state show"
[[nodiscard]] std::string instance_json(resource_view const& of);
/// The same if there are errors.
[[nodiscard]] std::string instance_json(strider::infra::diagnostics const& problems);

/// The names in JSON documents and messages for the event of an action, and for the effect of its failure.
[[nodiscard]] std::string_view event_word(infra::trigger_event of) noexcept;
[[nodiscard]] std::string_view failure_word(infra::failure_effect of) noexcept;

/// The output of `output -json`.
[[nodiscard]] std::string outputs_json(std::vector<output_view> outputs);
/// The output of `output -json NAME`.
[[nodiscard]] std::string output_json(output_view const& of);

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PLAN_JSON_HPP
