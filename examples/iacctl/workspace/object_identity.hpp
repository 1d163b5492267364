// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_OBJECT_IDENTITY_HPP
#define IACCTL_WORKSPACE_OBJECT_IDENTITY_HPP

#include "language/values/value.hpp"
#include "providers/plugin/private_data.hpp"

#include <strider/infra/model/change.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace iacctl::workspace {

/// The identity that a provider has given to an object.
struct object_identity {
    std::string json;  ///< empty: none
    std::uint64_t version = 0;  ///< of its schema
};

/// The identity of an object, from the data that its provider stores with it.
[[nodiscard]] inline auto identity_in(strider::infra::document const& private_data) -> object_identity
{
    auto kept = plugin::private_data::read(private_data);
    return {std::move(kept.identity), kept.identity_version};
}

/// The identity by which an object is imported, as JSON, completed by its provider. Empty if the object is imported by
/// its id, or not imported.
[[nodiscard]] inline auto imported_identity(strider::infra::change<language::value> const& c) -> std::string
{
    if (c.import_identity.empty()) return {};
    auto kept = identity_in(c.private_data);
    return kept.json.empty() ? c.import_identity.text() : std::move(kept.json);
}

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_OBJECT_IDENTITY_HPP
