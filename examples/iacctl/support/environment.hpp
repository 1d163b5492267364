// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_ENVIRONMENT_HPP
#define IACCTL_SUPPORT_ENVIRONMENT_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl {

/// The value of a variable of the environment; empty if it is not set.
[[nodiscard]] auto environment_variable(char const* name) -> std::string;

/// All variables with their values, in the order of the environment. The views refer to the environment itself.
[[nodiscard]] auto environment() -> std::vector<std::pair<std::string_view, std::string_view>>;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_ENVIRONMENT_HPP
