// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_KNOWN_SCHEMAS_HPP
#define IACCTL_WORKSPACE_KNOWN_SCHEMAS_HPP

#include "language/validation/schema.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/catalog.hpp"

#include <string_view>
#include <vector>

namespace iacctl::workspace {

/// The schemas of all types of the providers of a catalog.
class known_schemas final : public language::schema_source {
public:
    enum class validation : std::uint8_t { by_schema, by_provider };
    /// \param v  `by_provider`: providers also validate \pre `c` outlives this object
    explicit known_schemas(providers::catalog const& c, validation v = validation::by_schema) : catalog_(&c), how_(v) {}

    [[nodiscard]] auto resource(std::string_view provider, std::string_view type) const
        -> language::schema const* override;
    [[nodiscard]] auto data_source(std::string_view provider, std::string_view type) const
        -> language::schema const* override;
    [[nodiscard]] auto ephemeral(std::string_view provider, std::string_view type) const
        -> language::schema const* override;
    [[nodiscard]] auto action(std::string_view provider, std::string_view type) const
        -> language::schema const* override;
    [[nodiscard]] auto list(std::string_view provider, std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto provisioner(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto uses_connection(std::string_view provisioner) const -> bool override;
    [[nodiscard]] auto types(std::string_view provider, language::resource_mode mode) const
        -> std::vector<std::string_view> override;
    [[nodiscard]] auto provider(std::string_view address) const -> language::schema const* override;
    [[nodiscard]] auto has_provider(std::string_view address) const -> bool override;
    [[nodiscard]] auto built_in_providers() const -> std::string override { return providers::built_in_list(); }
    [[nodiscard]] auto built_in_release(std::string_view address) const -> std::string_view override;
    [[nodiscard]] auto way_to_type(std::string_view provider, language::resource_mode mode, std::string_view type) const
        -> std::string override;
    [[nodiscard]] auto connection() const -> language::schema const* override;
    [[nodiscard]] auto attribute_problems(language::configured_block block, std::string_view provider,
        std::string_view type, language::value const& v) const -> std::vector<language::attribute_problem> override;
    [[nodiscard]] auto functions() const -> language::function_source const* override;

private:
    providers::catalog const* catalog_;
    validation how_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_KNOWN_SCHEMAS_HPP
