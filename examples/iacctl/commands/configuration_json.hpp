// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_CONFIGURATION_JSON_HPP
#define IACCTL_COMMANDS_CONFIGURATION_JSON_HPP

#include "program/hcl_program.hpp"

#include <cstdint>
#include <string>

namespace iacctl::commands {

enum class configuration_scope : std::uint8_t {
    plan,  ///< as a part of a plan, with which Terraform compares it
    all,  ///< and types of variables, and versions of modules
    module,  ///< that without expressions, schemas, and what is in called modules
};

/// Configuration as `show -json PLANFILE` has it: of each argument its value, if it is constant, or else what it refers to.
/// \source Terraform, "JSON Output Format", configuration representation
/// \source OpenTofu, "Command: show", `-config` and `-module`
[[nodiscard]] auto configuration_json(
    program::hcl_program const& of, configuration_scope scope = configuration_scope::plan) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_CONFIGURATION_JSON_HPP
