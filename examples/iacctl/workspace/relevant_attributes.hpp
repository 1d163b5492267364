// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_RELEVANT_ATTRIBUTES_HPP
#define IACCTL_WORKSPACE_RELEVANT_ATTRIBUTES_HPP

#include "plan_file.hpp"
#include "workspace/program/hcl_program.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace iacctl::workspace {

/// An attribute of a resource, or a part of one.
struct resource_attribute {
    using step = std::variant<std::string, std::int64_t>;  // a name or key, or an index

    std::string resource;  ///< address
    std::vector<step> path;
};

/// The attributes of resources to which planned changes, and evaluated outputs of called modules, refer, directly or
/// through variables, local values, outputs and arguments of other resources. If one of them has changed outside of the
/// program, this may be the reason for a planned change. A plan with targets evaluates only the outputs that the targets
/// or the planned outputs of the root module need.
/// \source Terraform, "JSON Output Format", relevant_attributes
/// \complexity linear in the size of the referenced configuration
[[nodiscard]] auto relevant_attributes(program::hcl_program const& desired, saved_plan const& saved)
    -> std::vector<resource_attribute>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_RELEVANT_ATTRIBUTES_HPP
