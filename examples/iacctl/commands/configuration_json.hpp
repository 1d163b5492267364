// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_CONFIGURATION_JSON_HPP
#define IACCTL_COMMANDS_CONFIGURATION_JSON_HPP

#include "program/hcl_program.hpp"

#include <string>

namespace iacctl::commands {

/// Configuration as `show -json PLANFILE` has it: of each argument its value, if it is constant, or else what it refers to.
/// \source Terraform, "JSON Output Format", configuration representation
[[nodiscard]] auto configuration_json(program::hcl_program const& of) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_CONFIGURATION_JSON_HPP
