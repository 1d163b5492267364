// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_WORKSPACE_NAME_HPP
#define IACCTL_STATE_WORKSPACE_NAME_HPP

#include "base/characters.hpp"

#include <algorithm>
#include <string_view>

namespace iacctl::state {

inline constexpr std::string_view default_workspace = "default";

/// Returns whether the name can be part of an address and of a path, and is not that of a hidden file.
[[nodiscard]] inline auto is_workspace_name(std::string_view name) -> bool
{
    auto const is_safe = [](char c) {
        return is_alphanumeric(c) || std::string_view("-_.~$&+=:@").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, is_safe);
}

}  // namespace iacctl::state

#endif  // IACCTL_STATE_WORKSPACE_NAME_HPP
