// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PRIVATE_DATA_HPP
#define IACCTL_PROVIDERS_PLUGIN_PRIVATE_DATA_HPP

#include <strider/infra/model/object.hpp>

#include <cstdint>
#include <string>

namespace iacctl::plugin {

/// Private data of a provider about an object: the members "private", "identity" and "identity_schema_version" of a
/// state file.
class private_data {
public:
    std::string bytes;  ///< opaque
    std::string identity;  ///< JSON; empty: none
    std::uint64_t identity_version = 0;

    /// Members that cannot be read are ignored.
    [[nodiscard]] static auto read(strider::infra::document const& from) -> private_data;
    /// Empty if there are no data.
    [[nodiscard]] auto write() const -> strider::infra::document;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PRIVATE_DATA_HPP
