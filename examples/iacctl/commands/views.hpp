// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_VIEWS_HPP
#define IACCTL_COMMANDS_VIEWS_HPP

#include "app/plan_file.hpp"
#include "program/hcl_program.hpp"
#include "ui/plan_view.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <vector>

namespace iacctl::commands {

namespace infra = strider::infra;

/// What the user interface shows of a type's attributes; null for a type that is not known.
[[nodiscard]] auto view_schema(infra::address const& of) -> ui::resource_schema const*;

/// State for showing. What cannot be read is left out, and said in `problems`.
[[nodiscard]] auto view_of(infra::snapshot const& state, infra::diagnostics& problems) -> ui::state_view;

/// Only the outputs of a state.
[[nodiscard]] auto outputs_of(infra::snapshot const& state, infra::diagnostics& problems)
    -> std::vector<ui::output_view>;

/// Which objects of a plan are shown: all of them, or those that an apply has something to do with.
enum class shown_changes : std::uint8_t { all, to_be_made };

/// A plan for showing, without the state before it, which only JSON shows.
[[nodiscard]] auto view_of(app::saved_plan const& of, shown_changes which = shown_changes::all) -> ui::plan_view;

/// Attributes that had a part in a plan.
[[nodiscard]] auto relevant_of(program::hcl_program const& wanted, app::plan const& of)
    -> std::vector<ui::relevant_attribute>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_VIEWS_HPP
