// SPDX-License-Identifier: BSL-1.0
#include "sources.hpp"

#include "base/environment.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

auto fetched_package::authentication_text() const -> std::string
{
    switch (by) {
    case authentication::none: return "unauthenticated";
    case authentication::checksum: return "checksum verified";
    case authentication::signature: break;
    }
    return "signed, key ID " + signer;
}

provider_sources::provider_sources(
    service_client& client, cli_configuration const& from, fs::path const& working_directory)
{
    using kind_type = installation_method::kind_type;
    if (from.methods) {
        for (installation_method const& method : *from.methods) {
            auto source = method.kind == kind_type::direct    ? make_registry(client)
                : method.kind == kind_type::filesystem_mirror ? make_filesystem_mirror(method.location)
                : method.kind == kind_type::oci_mirror        ? make_oci_mirror(client, method.location)
                                                              : make_network_mirror(client, method.location);
            entries_.push_back({method, std::move(source), false});
        }
        return;
    }
    add_directory(working_directory / "terraform.d" / "plugins", true);
    if (!from.directory.empty()) add_directory(from.directory / "plugins", true);
    auto data = environment_variable("XDG_DATA_HOME");
    auto const home = environment_variable("HOME");
    if (data.empty() && !home.empty()) data = home + "/.local/share";
    if (!data.empty()) add_directory(fs::path(data) / "terraform" / "plugins", true);
    auto more = environment_variable("XDG_DATA_DIRS");
    if (more.empty()) more = "/usr/local/share:/usr/share";
    for (std::size_t begin = 0; begin <= more.size();) {
        auto const end = std::min(more.find(':', begin), more.size());
        if (end > begin) add_directory(fs::path(more.substr(begin, end - begin)) / "terraform" / "plugins", true);
        begin = end + 1;
    }
    entries_.push_back({{}, make_registry(client), false});
}

provider_sources::provider_sources(std::vector<fs::path> const& directories)
{
    for (fs::path const& directory : directories) add_directory(directory, false);
}

provider_sources::provider_sources(service_client& client, std::string const& mirror)
{
    entries_.push_back(
        {{installation_method::kind_type::network_mirror, mirror, {}, {}}, make_network_mirror(client, mirror), false});
}

void provider_sources::add_directory(fs::path const& directory, bool implied)
{
    entries_.push_back({{installation_method::kind_type::filesystem_mirror, directory.string(), {}, {}},
        make_filesystem_mirror(directory), implied});
}

auto provider_sources::serving(provider_id const& p) const -> std::vector<entry const*>
{
    std::vector<entry const*> all;
    std::vector<entry const*> implied;
    for (entry const& one : entries_) {
        if (!one.method.serves(p)) continue;
        all.push_back(&one);
        if (!one.implied) continue;
        auto const found = one.source->versions(p);
        if (found && *found) implied.push_back(&one);
    }
    return implied.empty() ? all : implied;
}

auto provider_sources::has_locally(provider_id const& p) const -> bool
{
    return std::ranges::any_of(entries_, [&](entry const& e) {
        if (e.method.kind != installation_method::kind_type::filesystem_mirror || !e.method.serves(p)) return false;
        auto const found = e.source->versions(p);
        return found && found->has_value();
    });
}

auto provider_sources::versions(provider_id const& p) const -> expected<std::vector<version>>
{
    std::vector<version> all;
    bool known = false;
    std::string requested;
    for (entry const* const one : serving(p)) {
        auto found = one->source->versions(p);
        if (!found) return found.error();
        bool const registry = one->method.kind == installation_method::kind_type::direct;
        if (!one->implied) requested += "\n- " + (registry ? "the registry " + p.host : one->method.location);
        if (!*found) continue;
        known = true;
        all.insert(all.end(), (*found)->begin(), (*found)->end());
    }
    if (!known)
        return infra::failure(messages::make_error(
            messages::provider_not_found, {p.shown(), requested.empty() ? std::string("\n- none") : requested}));
    std::ranges::sort(all, [](version const& a, version const& b) { return a < b; });
    auto const same = std::ranges::unique(all, [](version const& a, version const& b) { return a.text() == b.text(); });
    all.erase(same.begin(), same.end());
    return all;
}

auto provider_sources::fetch(provider_id const& p, version const& selected, platform const& target,
    fs::path const& scratch) const -> expected<fetched_package>
{
    for (entry const* const one : serving(p)) {
        auto const found = one->source->versions(p);
        if (!found) return found.error();
        if (*found && std::ranges::find(**found, selected) != (*found)->end())
            return one->source->fetch(p, selected, target, scratch);
    }
    return infra::failure(messages::make_error(messages::provider_version_not_found, {p.shown(), selected.text()}));
}

}  // namespace iacctl::packages
