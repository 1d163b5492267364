// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_ASKPASS_HPP
#define IACCTL_BASE_SSH_ASKPASS_HPP

#include <map>
#include <string>

namespace iacctl::ssh {

/// The environment variable with the path of a file that has a password. Neither the arguments of a program nor its
/// environment have the password itself.
inline constexpr char const* password_file_variable = "IACCTL_SSH_PASSWORD_FILE";

/// The environment in which `ssh` starts this program to get a password.
[[nodiscard]] auto askpass_environment(std::string const& password_file) -> std::map<std::string, std::string>;

/// Returns whether `ssh` has started this program to get a password.
[[nodiscard]] auto is_askpass(int argument_count) -> bool;

/// Prints the password. \return the exit code
[[nodiscard]] auto run_askpass() -> int;

/// The path of this program.
[[nodiscard]] auto this_program() -> std::string;

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_ASKPASS_HPP
