// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_KNOWN_SCHEMAS_HPP
#define IACCTL_APP_KNOWN_SCHEMAS_HPP

#include "language/validation/schema.hpp"

#include <string_view>

namespace iacctl::app {

/// The schemas of all types that this program knows.
class known_schemas final : public language::schema_source {
public:
    [[nodiscard]] auto resource(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto data_source(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto provisioner(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto provider(std::string_view address) const -> language::schema const* override;
    [[nodiscard]] auto has_provider(std::string_view address) const -> bool override;
    [[nodiscard]] auto belongs_to(language::schema const& type, std::string_view provider) const -> bool override;
    [[nodiscard]] auto connection() const -> language::schema const* override;
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_KNOWN_SCHEMAS_HPP
