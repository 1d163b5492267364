// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_PLANNING_HPP
#define IACCTL_COMMANDS_PLANNING_HPP

#include "opened_state.hpp"
#include "plan_file.hpp"
#include "program/hcl_program.hpp"
#include "session.hpp"

#include <strider/infra/address.hpp>
#include <strider/infra/event.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace iacctl::commands {

/// A plan together with all that it was made from and is applied with.
struct prepared {
    std::unique_ptr<program::hcl_program> wanted;
    saved_plan plan;
    infra::snapshot start;  ///< state as it was read
    std::set<infra::address> generated;  ///< resources whose configuration was made by this plan
    infra::diagnostics warnings;  ///< to be told after the plan
};

/// Plans as the options ask. Nothing, and an exit code, if that was not possible; `show` is then given what was found, before
/// the errors are told with its warnings.
[[nodiscard]] auto plan_now(session const& s, state_access& state, infra::observer<language::value> const& watch,
    int& code, std::function<void(prepared&)> const& show = {}) -> std::optional<prepared>;

/// The plan that was saved in a file, with its configuration. Nothing, and an exit code, if it cannot be used.
[[nodiscard]] auto saved_now(session const& s, std::string const& file, int& code) -> std::optional<prepared>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_PLANNING_HPP
