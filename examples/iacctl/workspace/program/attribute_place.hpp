// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_ATTRIBUTE_PLACE_HPP
#define IACCTL_WORKSPACE_PROGRAM_ATTRIBUTE_PLACE_HPP

#include "language/syntax/syntax_tree.hpp"
#include "language/validation/schema.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::program {

/// The source of the attribute on a path, within a block.
[[nodiscard]] auto place_of_attribute(std::string const& path, language::body const& in, language::schema const& schema,
    language::source_range const& block) -> strider::infra::source_excerpt;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_ATTRIBUTE_PLACE_HPP
