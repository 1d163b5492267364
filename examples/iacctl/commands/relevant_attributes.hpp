// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_RELEVANT_ATTRIBUTES_HPP
#define IACCTL_COMMANDS_RELEVANT_ATTRIBUTES_HPP

#include "program/hcl_program.hpp"
#include "ui/plan_view.hpp"

#include <vector>

namespace iacctl::commands {

/// The attributes of resources that what is planned refers to, directly or through variables, local values, outputs and
/// arguments of other resources: if one of them has changed outside of the program, that may be why something is planned.
/// \source Terraform, "JSON Output Format", relevant_attributes
/// \complexity linear in the configuration that is referred to
[[nodiscard]] auto relevant_attributes(program::hcl_program const& wanted, ui::plan_view const& of)
    -> std::vector<ui::relevant_attribute>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_RELEVANT_ATTRIBUTES_HPP
