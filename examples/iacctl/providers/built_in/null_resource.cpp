// SPDX-License-Identifier: BSL-1.0
#include "providers/data_source.hpp"
#include "random_source.hpp"
#include "state_only_type.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

namespace {

constexpr std::string_view null_provider = "provider[\"registry.terraform.io/hashicorp/null\"]";

auto random_number() -> value
{
    return value(std::to_string(random_source().below(std::uint64_t{1} << 63U)));
}

/// A resource without effects, for dependencies.
///
/// \source hashicorp/null 3, resource null_resource.
class null_resource_type final : public state_only_type {
public:
    null_resource_type()
        : state_only_type("null_resource", null_provider, {computed_rule("id"), keepers_rule("triggers")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        return with(planned, {{"id", random_number()}});
    }
};

/// A map that is returned unchanged.
///
/// \source hashicorp/null 3, data source null_data_source.
class null_data final : public data_source {
public:
    null_data() { schema_.deprecated = true; }

    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "null_data_source"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override { return null_provider; }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return schema_; }

    [[nodiscard]] auto read(value config, data_context) const -> task<expected<value>> override
    {
        value const given = attribute(config, "has_computed_default");
        co_return with(config,
            {{"outputs", attribute(config, "inputs")}, {"random", random_number()}, {"id", value("static")},
                {"has_computed_default", given.is_null() ? value("default") : given}});
    }

private:
    static inline language::type const texts = language::type::map(language::type::string());
    language::schema schema_{
        {{.name = "has_computed_default", .of = language::type::string(), .optional = true, .computed = true},
            {.name = "id", .of = language::type::string(), .computed = true, .deprecated = true},
            {.name = "inputs", .of = texts, .optional = true}, {.name = "outputs", .of = texts, .computed = true},
            {.name = "random", .of = language::type::string(), .computed = true}}};
};

}  // namespace

auto null_resource() -> resource_type const&
{
    static null_resource_type const instance;
    return instance;
}

auto null_data_source() -> data_source const&
{
    static null_data const instance;
    return instance;
}

}  // namespace iacctl::providers
