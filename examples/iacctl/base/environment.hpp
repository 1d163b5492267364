// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_ENVIRONMENT_HPP
#define IACCTL_BASE_ENVIRONMENT_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl {

/// The value of a variable of the environment; empty if it is not set.
[[nodiscard]] auto environment_variable(char const* name) -> std::string;

/// All variables with their values, in the order of the environment. The views refer to the environment itself.
[[nodiscard]] auto environment() -> std::vector<std::pair<std::string_view, std::string_view>>;

/// Returns whether a variable contains a secret that only this program uses: a token of a registry, a passphrase of
/// state, the password of a backend, or options of commands with values of variables or of a backend.
[[nodiscard]] auto is_own_secret(std::string_view name, std::string_view value) noexcept -> bool;

}  // namespace iacctl

#endif  // IACCTL_BASE_ENVIRONMENT_HPP
