// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PROPOSED_NEW_HPP
#define IACCTL_PROVIDERS_PLUGIN_PROPOSED_NEW_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

namespace iacctl::plugin {

/// The object in a plan request to a provider: the configuration, with the prior values of attributes that are computed
/// and not configured. Elements of lists are matched by index, those of maps by key, and those of sets by all
/// attributes that are not computed. Unknown parts of the configuration remain unknown.
///
/// A nested attribute that is optional, computed and not configured does not keep a prior value that contains
/// attributes that are not computed, because such a value must have been configured.
/// \param prior  an object, or null where there was none
/// \pre Both values are objects of the schema's type, without marks.
/// \complexity linear in the size of the values, except for sets: quadratic in the number of their elements
/// \source Terraform 1.11, package objchange: objchange.go
[[nodiscard]] auto proposed_new(language::schema const& described_by, language::value const& prior,
    language::value const& configured) -> language::value;

/// The configuration in the form of a request for a plan: computed blocks that it does not have are null.
/// \pre the value is an object of the schema's type, or null
[[nodiscard]] auto with_open_blocks(language::schema const& described_by, language::value const& configured)
    -> language::value;

/// The planned object of a data source: the configuration, with unknown values for attributes that are computed and not
/// configured.
[[nodiscard]] auto planned_data(language::schema const& described_by, language::value const& configured)
    -> language::value;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PROPOSED_NEW_HPP
