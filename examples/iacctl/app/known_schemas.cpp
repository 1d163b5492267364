// SPDX-License-Identifier: BSL-1.0
#include "known_schemas.hpp"

#include "providers/provider_set.hpp"
#include "providers/provisioners.hpp"

#include <algorithm>

namespace iacctl::app {

auto known_schemas::resource(std::string_view type) const -> language::schema const*
{
    auto const* const known = providers::provider_set::find(type);
    return known == nullptr ? nullptr : &known->schema();
}

auto known_schemas::data_source(std::string_view type) const -> language::schema const*
{
    auto const* const known = providers::provider_set::find_data(type);
    return known == nullptr ? nullptr : &known->schema();
}

auto known_schemas::provisioner(std::string_view type) const -> language::schema const*
{
    return providers::provisioner_schema(type);
}

auto known_schemas::connection() const -> language::schema const*
{
    return &providers::connection_schema();
}

auto known_schemas::provider(std::string_view address) const -> language::schema const*
{
    auto const found = providers::provider_set::find_provider(address);
    return found.empty() ? nullptr : providers::provider_set::settings_of(found);
}

auto known_schemas::has_provider(std::string_view address) const -> bool
{
    return !providers::provider_set::find_provider(address).empty();
}

auto known_schemas::belongs_to(language::schema const& type, std::string_view provider) const -> bool
{
    auto const theirs = [&](auto const& all) {
        auto const one = std::ranges::find_if(all, [&](auto const* known) { return &known->schema() == &type; });
        return one != all.end() && (*one)->provider() == providers::provider_set::find_provider(provider);
    };
    return theirs(providers::provider_set::types()) || theirs(providers::provider_set::data_types());
}

}  // namespace iacctl::app
