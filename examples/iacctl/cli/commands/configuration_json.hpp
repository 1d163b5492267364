// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_CONFIGURATION_JSON_HPP
#define IACCTL_CLI_COMMANDS_CONFIGURATION_JSON_HPP

#include "workspace/program/hcl_program.hpp"

#include <cstdint>
#include <string>

namespace iacctl::commands {

enum class configuration_scope : std::uint8_t {
    plan,  ///< as a part of a plan, in the format of Terraform
    all,  ///< and types of variables, and versions of modules
    module,  ///< without expressions, schemas, and the contents of called modules
};

/// The configuration in the format of `show -json PLANFILE`. Each argument has its value, if it is constant, or else
/// its references.
/// \source Terraform, "JSON Output Format", configuration representation
/// \source OpenTofu, "Command: show", `-config` and `-module`
[[nodiscard]] auto configuration_json(
    program::hcl_program const& hp, configuration_scope scope = configuration_scope::plan) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_CONFIGURATION_JSON_HPP
