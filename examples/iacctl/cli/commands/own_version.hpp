// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_OWN_VERSION_HPP
#define IACCTL_CLI_COMMANDS_OWN_VERSION_HPP

#include <strider/version.hpp>

#include <string>

namespace iacctl::commands {

/// The version of this program, "0.2.0".
[[nodiscard]] inline auto own_version() -> std::string
{
    return std::to_string(strider::version.major_number) + "." + std::to_string(strider::version.minor_number) + "."
        + std::to_string(strider::version.patch_number);
}

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_OWN_VERSION_HPP
