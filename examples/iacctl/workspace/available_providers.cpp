// SPDX-License-Identifier: BSL-1.0
#include "available_providers.hpp"

#include "base/log.hpp"
#include "base/provider_address.hpp"
#include "messages/plugins.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "packages/installed.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/plugin/handshake.hpp"
#include "providers/plugin/plugin_factory.hpp"

#include <string_view>
#include <utility>

namespace iacctl::workspace {

namespace {

using messages::make_error;

auto location_of(packages::installed_provider const& provider) -> plugin::plugin_location
{
    process_command program;
    if (!provider.executable.empty()) program.words = {std::filesystem::absolute(provider.executable).string()};
    return program;
}

// Those of TF_REATTACH_PROVIDERS, by address.
auto reattached(std::map<std::string, std::string> const& environment)
{
    auto const found = environment.find("TF_REATTACH_PROVIDERS");
    return plugin::parse_reattach(
        found == environment.end() || found->second.empty() ? std::string_view("{}") : found->second);
}

}  // namespace

auto available_providers(std::filesystem::path const& directory, std::filesystem::path const& data_directory,
    std::map<std::string, std::string> const& environment, infra::diagnostics& problems)
    -> std::shared_ptr<providers::catalog>
{
    auto made = std::make_shared<providers::catalog>(providers::built_in_providers());
    log_sink sink;
    if (auto const log = log_settings::from_environment("TF_LOG_PROVIDER"); log.level != log_level::off)
        sink = [writer = std::make_shared<log_writer>(log)](auto const& record) { (*writer)(record); };
    plugin::plugin_factory const programs(std::move(sink));

    auto installed = packages::installed_providers(directory, data_directory);
    if (!installed) problems.add(installed.error().why());
    else
        for (auto& [address, one] : *installed) {
            if (one.executable.empty() && made->find(address) != nullptr) continue;  // a built-in one does its work
            auto check = [package = one, name = address]() -> infra::diagnostics {
                if (package.executable.empty())
                    return {make_error(messages::plugin_not_installed,
                        {shown_provider(name), package.version, providers::built_in_list()})};
                return package.verify();
            };
            made->add(programs.make(address, location_of(one), std::move(check)));
        }
    auto running = reattached(environment);
    if (!running) problems.add(make_error(messages::plugin_reattach_invalid, {running.error()}));
    else
        for (auto& [address, where] : *running) made->add(programs.make(address, std::move(where)));
    return made;
}

auto running_providers(std::map<std::string, std::string> const& environment) -> std::vector<std::string>
{
    std::vector<std::string> addresses;
    if (auto const running = reattached(environment))
        for (auto const& [address, where] : *running) addresses.push_back(address);
    return addresses;
}

auto upgrade_objects(infra::snapshot& state, providers::catalog const& known) -> infra::diagnostics
{
    infra::diagnostics problems;
    auto const upgrade = [&](infra::address const& target, infra::object& o) {
        auto const* const type = known.find_type(o.provider, target);
        if (type == nullptr || (type->version == o.schema_version && o.private_data.empty())) return;
        if (type->version < o.schema_version)
            return problems.add(make_error(messages::object_of_newer_provider,
                {to_string(target), o.provider, std::to_string(o.schema_version), std::to_string(type->version)},
                to_string(target)));
        auto& provider = *known.find(provider_address_in(o.provider));
        if (type->version != o.schema_version) {
            auto made = provider.upgrade(target, o);
            if (!made) return problems.add(made.error().why());
            o = std::move(*made);
        }
        if (o.private_data.empty()) return;
        auto made = provider.upgrade_identity(target, o);
        if (made) o = std::move(*made);
        else problems.add(made.error().why());
    };
    for (auto& [target, record] : state.resources) {
        if (target.mode() == infra::resource_mode::data) continue;
        if (record.current) upgrade(target, *record.current);
        for (auto& [key, old] : record.deposed) upgrade(target, old);
    }
    return problems;
}

}  // namespace iacctl::workspace
