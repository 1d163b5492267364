// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_PROPOSED_NEW_HPP
#define IACCTL_PLUGINS_PROPOSED_NEW_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

namespace iacctl::plugins {

/// The object that a provider is asked to plan: the configuration, with the prior values of attributes that are computed and
/// not configured. Elements of lists are matched by index, those of maps by key, and those of sets by all that is not computed.
/// Unknown parts of the configuration stay unknown.
///
/// An attribute of nested objects that is optional, computed and not configured loses a prior value that must have been
/// configured, as it holds something that is not computed.
/// \param prior  an object, or null where there was none
/// \pre Both values are objects of the schema's type, and have no marks.
/// \complexity linear in the size of the values, sets apart: quadratic in the number of their elements
/// \source Terraform 1.11, package objchange: objchange.go
[[nodiscard]] language::value proposed_new(
    language::schema const& described_by, language::value const& prior, language::value const& configured);

/// The object that a data source is planned to become: the configuration, with unknown values for attributes that are computed
/// and not configured.
[[nodiscard]] language::value planned_data(language::schema const& described_by, language::value const& configured);

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_PROPOSED_NEW_HPP
