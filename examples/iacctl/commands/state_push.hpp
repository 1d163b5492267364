// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_STATE_PUSH_HPP
#define IACCTL_COMMANDS_STATE_PUSH_HPP

#include "session.hpp"

#include <optional>
#include <string>

namespace iacctl::commands {

/// A state to be taken in.
struct pushed_state {
    infra::snapshot content;
    bool tells_operations = false;  ///< says which operations are pending, be it none; Terraform does not
};

/// The state in a file of Terraform's format, or on standard input ("-"); nothing if `problem` says why.
[[nodiscard]] auto read_pushed(std::string const& path, std::string& problem) -> std::optional<pushed_state>;

/// Puts it in the place of the state that there is. A lineage that there is stays.
/// \return the exit code, after saying what went wrong
[[nodiscard]] auto write_pushed(
    session const& s, state::sqlite_store& store, infra::snapshot now, infra::snapshot const& pushed) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_STATE_PUSH_HPP
