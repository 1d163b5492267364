// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_OVERRIDES_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_OVERRIDES_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <memory>
#include <vector>

namespace iacctl::language::detail {

/// Merges the blocks of override files into those of the other files: arguments replace arguments of the same name,
/// nested blocks replace all blocks of the same type, `lifecycle` is merged argument by argument.
void merge_overrides(std::vector<std::shared_ptr<syntax_tree>> const& files,
    std::vector<std::shared_ptr<syntax_tree>> const& overrides, diagnostics& found);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_CONFIGURATION_OVERRIDES_HPP
