// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_REPLACEMENT_HPP
#define IACCTL_PROVIDERS_PLUGIN_REPLACEMENT_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/change.hpp>

#include <vector>

namespace iacctl::plugin {

/// The values whose changes require a new object.
class required_replacement {
public:
    std::vector<strider::infra::attribute_path> paths;
    std::vector<strider::infra::attribute_path> invalid;  ///< paths that neither object has
};

/// Selects the paths at which two objects differ, or may differ because of unknown values, and the paths of write-only
/// values. Providers also name paths of unchanged values.
/// \param before  the prior object; if it is null, the result is empty
/// \param named   the paths that the provider names
[[nodiscard]] auto replacement_of(language::value const& before, language::value const& after,
    language::schema const& described_by, std::vector<strider::infra::attribute_path> const& named)
    -> required_replacement;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_REPLACEMENT_HPP
