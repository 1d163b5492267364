// SPDX-License-Identifier: BSL-1.0
#include "module_installer.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "base/url_secrets.hpp"
#include "messages/module_sources.hpp"
#include "messages/report.hpp"
#include "packages/package_files.hpp"

#include <optional>
#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

using language::installed_module;
using language::module_source;

namespace {

// The directory of a subdirectory in a package; "*" matches the only directory.
auto below(fs::path const& package, std::string const& subdirectory) -> expected<std::string>
{
    fs::path made;
    for (fs::path const& part : fs::path(subdirectory)) {
        if (part != "*") {
            made /= part;
            continue;
        }
        std::vector<fs::path> all;
        std::error_code error;
        for (auto const& entry : fs::directory_iterator(package / made, error))
            if (entry.is_directory() && !entry.is_symlink()) all.push_back(entry.path().filename());
        if (all.size() != 1)
            return infra::failure(messages::make_error(messages::module_directory_missing, {subdirectory}));
        made /= all.front();
    }
    std::error_code ignored;
    if (!fs::is_directory(package / made, ignored))
        return infra::failure(messages::make_error(messages::module_directory_missing, {subdirectory}));
    return made.generic_string();
}

}  // namespace

module_installer::module_installer(fs::path directory, fs::path data, packages::service_client& client, bool update,
    std::function<void(std::string const&)> report)
    : directory_(directory == "." ? fs::path() : std::move(directory)),
      data_(std::move(data)),
      fetcher_(client),
      update_(update),
      report_(std::move(report))
{
    if (auto const text = read_input(directory_ / data_ / language::module_manifest::place))
        if (auto read = language::module_manifest::parse(*text)) previous_ = std::move(*read);
}

auto module_installer::find(std::vector<std::string> const& path, language::module_call const& call,
    module_source const& source, infra::diagnostics& found) -> std::optional<installed_module>
{
    auto const key = language::module_key(path);
    if (!update_) {
        infra::diagnostics ignored;
        auto const there = language::manifest_finder(previous_).find(path, call, source, ignored);
        std::error_code error;
        if (there && fs::is_directory(directory_ / there->directory, error)) {
            made_.insert_or_assign(key, *there);
            return there;
        }
    }
    infra::diagnostics problems;
    try {
        auto made = install(key, source, call.version);
        if (made) {
            made_.insert_or_assign(key, *made);
            return *made;
        }
        problems = made.error().why();
    } catch (std::system_error const& e) {
        problems.add(messages::make_error(messages::module_package_unavailable, {source.package, e.what()}));
    }
    for (infra::diagnostic const& one : problems)
        found.add(language::error(messages::module_not_fetched, {call.name, one.detail}, call.source_range_));
    return std::nullopt;
}

auto module_installer::install(std::string const& key, module_source const& source, std::string const& constraints)
    -> expected<installed_module>
{
    installed_module made;
    made.source = source.text();
    module_source remote = source;
    std::string subdirectory;
    if (source.kind == module_source::kind_type::registry) {
        auto const accepted = constraints.empty() ? version_constraints() : version_constraints::parse(constraints);
        auto const selected = fetcher_.select(source, accepted.value_or(version_constraints()));
        if (!selected) return selected.error();
        made.version = selected->text();
        auto located = fetcher_.locate(source, *selected);
        if (!located) return located.error();
        remote = std::move(*located);
        subdirectory = source.subdirectory;
    }
    auto const modules = directory_ / data_ / "modules";
    auto const place = modules / key;
    report_("- " + key + " from " + without_url_secrets(remote.package)
        + (made.version.empty() ? "" : ", version " + made.version));
    packages::directory_guard const guard(modules);
    auto package = fetched_.find(remote.package);
    if (package == fetched_.end()) {
        packages::scratch_directory const scratch(modules);
        auto fetched = fetcher_.fetch(remote, scratch.path());
        if (!fetched) return fetched.error();
        auto problems = fetched->elsewhere ? packages::publish_link(fetched->directory, place)
                                           : packages::publish_directory(fetched->directory, place);
        if (!problems.empty()) return infra::failure(std::move(problems));
        fetched->directory = place;
        // The subdirectory that a server adds to the address is the same for all modules of the package.
        if (fetched->subdirectory.ends_with(remote.subdirectory))
            fetched->subdirectory.resize(fetched->subdirectory.size() - remote.subdirectory.size());
        package = fetched_.insert_or_assign(remote.package, std::move(*fetched)).first;
    } else if (package->second.elsewhere) {
        auto problems = packages::publish_link(fs::read_symlink(package->second.directory), place);
        if (!problems.empty()) return infra::failure(std::move(problems));
    } else {
        packages::scratch_directory const scratch(modules);
        fs::copy(package->second.directory, scratch.path() / "package",
            fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        auto problems = packages::publish_directory(scratch.path() / "package", place);
        if (!problems.empty()) return infra::failure(std::move(problems));
    }
    auto const whole = fs::path(package->second.subdirectory) / remote.subdirectory / subdirectory;
    auto const inside = below(place, whole.lexically_normal().generic_string() == "." ? "" : whole.generic_string());
    if (!inside) return inside.error();
    made.directory = inside->empty() ? data_ / "modules" / key : data_ / "modules" / key / *inside;
    made.directory = made.directory.lexically_normal();
    if (!made.directory.has_filename()) made.directory = made.directory.parent_path();
    return made;
}

auto module_installer::write_manifest(language::configuration const& c) const -> infra::diagnostics
{
    language::module_manifest made;
    language::for_each_module(c, [&](language::configuration const& module) {
        auto const key = language::module_key(module.path);
        if (auto const installed = made_.find(key); installed != made_.end()) made.modules.insert(*installed);
        else
            made.modules.emplace(key,
                installed_module{
                    module.source, {}, module.directory.lexically_relative(c.directory).lexically_normal()});
    });
    // Without installed modules there is nothing to write.
    if (made_.empty() && previous_.modules.empty()) return {};
    auto const file = directory_ / data_ / language::module_manifest::place;
    auto error = make_private_directories(file.parent_path());
    if (!error) error = replace_file(file, made.text(), 0644);
    if (!error) error = sync_directory(file.parent_path());
    if (!error) return {};
    return {messages::make_error(messages::module_list_unwritable, {file.string(), error.message()})};
}

auto copy_module(std::string const& address, fs::path const& directory, packages::service_client& client)
    -> infra::diagnostics
{
    try {
        std::error_code missing;
        for (auto const& entry : fs::directory_iterator(directory, missing)) {
            auto const name = entry.path().filename().string();
            if (name.ends_with(".tf") || name.ends_with(".tf.json"))
                return {messages::make_error(messages::directory_has_configuration, {name})};
        }
        std::string why;
        auto source = module_source::parse(address, why);
        if (!source)
            return {messages::make_error(messages::module_package_unavailable,
                {address, why.empty() ? std::string("it is not the address of a module") : why})};
        package_fetcher fetcher(client);
        packages::scratch_directory const scratch(directory);
        module_package package;
        auto subdirectory = source->subdirectory;
        if (source->kind == module_source::kind_type::local) package.directory = directory / source->package;
        else {
            if (source->kind == module_source::kind_type::registry) {
                auto const selected = fetcher.select(*source, {});
                if (!selected) return selected.error().why();
                auto located = fetcher.locate(*source, *selected);
                if (!located) return located.error().why();
                if (!subdirectory.empty())
                    located->subdirectory += (located->subdirectory.empty() ? "" : "/") + subdirectory;
                source = std::move(*located);
            }
            auto fetched = fetcher.fetch(*source, scratch.path());
            if (!fetched) return fetched.error().why();
            package = std::move(*fetched);
        }
        auto const inside = below(package.directory, package.subdirectory);
        if (!inside) return inside.error().why();
        for (auto const& entry : fs::directory_iterator(package.directory / *inside)) {
            auto const name = entry.path().filename();
            if (name == ".git" || name == ".terraform" || fs::equivalent(entry.path().parent_path(), directory))
                continue;
            fs::copy(entry.path(), directory / name, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        }
    } catch (std::system_error const& e) {
        return {messages::make_error(messages::module_package_unavailable, {address, e.what()})};
    }
    return {};
}

}  // namespace iacctl::packages
