// SPDX-License-Identifier: BSL-1.0
#include "installed.hpp"

#include "checksums.hpp"
#include "cli_configuration.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

auto executable_in(fs::path const& package, provider_id const& p) -> fs::path
{
    auto const prefix = "terraform-provider-" + p.type;
    fs::path found;
    std::error_code error;
    fs::directory_iterator entries(package, error);
    for (fs::directory_iterator const end; !error && entries != end; entries.increment(error)) {
        auto const name = entries->path().filename().string();
        std::error_code ignored;
        if (!name.starts_with(prefix) || entries->is_directory(ignored)) continue;
        // "terraform-provider-aws" is not the program of "awscc", nor vice versa.
        bool const ends = name.size() == prefix.size() || name[prefix.size()] == '_' || name[prefix.size()] == '.';
        if (ends && (found.empty() || entries->path() < found)) found = entries->path();
    }
    return found;
}

auto package_directory(provider_id const& p, version const& selected, platform const& target) -> fs::path
{
    return p.directory() / selected.text() / target.text();
}

auto installed_provider::verify() const -> infra::diagnostics
{
    if (development || executable.empty()) return {};
    auto const matches = matches_any({package, false}, checksums);
    if (!matches) return matches.error().why();
    if (*matches) return {};
    return {messages::make_error(messages::installed_package_changed, {package.string(), version})};
}

auto installed_providers(fs::path const& directory, fs::path const& data_directory)
    -> expected<std::map<std::string, installed_provider>>
{
    auto const settings = cli_configuration::load();
    if (!settings) return settings.error();
    auto const locks = lock_file::read(directory / lock_file::name);
    if (!locks) return locks.error();
    std::map<std::string, installed_provider> all;
    auto const here = platform::current();
    for (auto const& [source, locked] : locks->providers) {
        installed_provider one;
        one.version = locked.selected.text();
        one.package = directory / data_directory / "providers" / package_directory(source, locked.selected, here);
        one.executable = executable_in(one.package, source);
        one.checksums = locked.hashes;
        all.emplace(source.address(), std::move(one));
    }
    infra::diagnostics problems;
    for (auto const& [source, place] : settings->development_overrides) {
        installed_provider one;
        one.development = true;
        one.package = place;
        one.executable = executable_in(place, source);
        if (one.executable.empty())
            problems.add(
                messages::make_error(messages::no_program_in_package, {source.shown(), place.string(), source.type}));
        all.insert_or_assign(source.address(), std::move(one));
    }
    if (!problems.empty()) return infra::failure(std::move(problems));
    return all;
}

}  // namespace iacctl::packages
