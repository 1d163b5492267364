// SPDX-License-Identifier: BSL-1.0
#include "required_providers.hpp"

#include "language/configuration/provider_requirements.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/catalog.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace iacctl::commands {

using packages::provider_id;

namespace {

// Returns whether no source gave access to a package: the ways to another source help.
auto is_of_access(infra::diagnostic const& problem) -> bool
{
    static constexpr std::array<messages::message_text const*, 7> all{&messages::no_provider_registry,
        &messages::oci_unauthorized, &messages::platform_not_found, &messages::provider_not_found,
        &messages::provider_version_not_found, &messages::request_failed, &messages::request_unauthorized};
    return std::ranges::any_of(all, [&](auto const* item) { return item->code == problem.code; });
}

}  // namespace

required_providers::required_providers(language::configuration const& c)
{
    for (auto const& [address, texts] : language::provider_versions_asked_for(c)) {
        auto const source = provider_id::parse(address);
        if (!source) continue;
        version_constraints& merged = accepted[*source];
        for (std::string const& text : texts)
            if (auto const constraints = version_constraints::parse(text)) merged.add(*constraints);
    }
    for (auto const& [address, place] : language::providers_asked_for(c))
        if (auto const source = provider_id::parse(address)) by_[*source].place = language::excerpt_of(place);
}

void required_providers::add(infra::snapshot const& state)
{
    providers::catalog const built_in(providers::built_in_providers());
    for (auto const& [target, record] : state.resources) {
        auto const add = [&, &object = target](std::string_view configuration) {
            auto const address = provider_address_in(configuration);
            auto const of = built_in.find(address) == nullptr ? provider_id::parse(address) : std::nullopt;
            if (of && accepted.try_emplace(*of).second) by_[*of].object = to_string(object);
        };
        if (record.current) add(record.current->provider);
        for (auto const& [_, old] : record.deposed) add(old.provider);
    }
}

auto required_providers::explained(
    provider_id const& p, infra::diagnostics const& problems, std::string const& ways) const -> infra::diagnostics
{
    requirer const& by = by_.at(p);
    infra::diagnostics made;
    for (infra::diagnostic one : problems) {
        if (is_of_access(one))
            one = messages::make_error(messages::providers_not_installed,
                {p.shown(), by.object.empty() ? "The configuration" : "The object " + by.object + " in state",
                    one.detail, ways});
        one.source = by.place;
        one.address = by.object;
        made.add(std::move(one));
    }
    return made;
}

}  // namespace iacctl::commands
