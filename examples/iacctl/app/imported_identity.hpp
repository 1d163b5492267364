// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_IMPORTED_IDENTITY_HPP
#define IACCTL_APP_IMPORTED_IDENTITY_HPP

#include "language/values/value.hpp"
#include "plugins/private_data.hpp"

#include <strider/infra/model/change.hpp>

#include <string>

namespace iacctl::app {

/// The identity by which an object is imported, as JSON: completed by its provider. Empty: the object is imported by its id, or not
/// at all.
[[nodiscard]] inline auto imported_identity(strider::infra::change<language::value> const& of) -> std::string
{
    if (of.import_identity.empty()) return {};
    auto const kept = plugins::private_data::read(of.private_data);
    return kept.identity.empty() ? of.import_identity.text() : kept.identity;
}

}  // namespace iacctl::app

#endif  // IACCTL_APP_IMPORTED_IDENTITY_HPP
