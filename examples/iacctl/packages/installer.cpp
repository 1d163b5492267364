// SPDX-License-Identifier: BSL-1.0
#include "installer.hpp"

#include "archive.hpp"
#include "installed.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "package_files.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

installer::installer(fs::path directory, cli_configuration const& settings, provider_sources const& sources,
    std::function<void(std::string const&)> report)
    : directory_(std::move(directory)),
      settings_(&settings),
      sources_(&sources),
      report_(std::move(report))
{}

auto installer::install(requirements const& required, lock_file const& previous, bool upgrade) -> installation_result
{
    installation_result made;
    made.locks = previous;
    std::erase_if(made.locks.providers, [&](auto const& item) {
        return !required.contains(item.first) && !settings_->development_overrides.contains(item.first);
    });
    if (required.empty()) return made;
    try {
        directory_guard const guard(directory_);
        std::optional<directory_guard> cache;
        if (!settings_->plugin_cache.empty()) cache.emplace(settings_->plugin_cache);
        for (auto const& [of, accepted] : required) {
            if (settings_->development_overrides.contains(of)) continue;
            auto const* const locked = previous.find(of);
            auto const selected = select(of, accepted, locked, upgrade);
            if (!selected) {
                made.problems_of.emplace(of, selected.error().why());
                continue;
            }
            bool const same = locked != nullptr && locked->selected.text() == selected->text();
            auto problems = install_one(of, *selected, accepted, same ? locked : nullptr, made);
            if (!problems.empty()) made.problems_of.emplace(of, std::move(problems));
        }
    } catch (std::system_error const& e) {
        made.problems.add(messages::make_error(messages::package_file_unwritable, {directory_.string(), e.what()}));
    }
    return made;
}

auto installer::select(provider_id const& p, version_constraints const& accepted, locked_provider const* locked,
    bool upgrade) -> expected<version>
{
    if (locked != nullptr && !upgrade) {
        if (accepted.allow(locked->selected)) return locked->selected;
        return infra::failure(messages::make_error(
            messages::locked_version_rejected, {p.shown(), locked->selected.text(), accepted.text()}));
    }
    auto const all = sources_->versions(p);
    if (!all) return all.error();
    auto const newest = std::find_if(all->rbegin(), all->rend(), [&](version const& v) { return accepted.allow(v); });
    if (newest != all->rend()) return *newest;
    std::string listed;
    for (version const& one : *all) listed += (listed.empty() ? "" : ", ") + one.text();
    return infra::failure(messages::make_error(messages::no_version_accepted,
        {p.shown(), accepted.empty() ? std::string("any release") : accepted.text(),
            listed.empty() ? std::string("none") : listed}));
}

auto installer::install_one(provider_id const& p, version const& selected, version_constraints const& accepted,
    locked_provider const* locked, installation_result& result) -> infra::diagnostics
{
    auto const name = p.shown() + " v" + selected.text();
    auto const relative = package_directory(p, selected, here_);
    auto const place = directory_ / relative;
    std::set<std::string> const known = locked != nullptr ? locked->hashes : std::set<std::string>();
    std::error_code ignored;
    if (locked != nullptr && fs::is_directory(place, ignored)) {
        auto const matches = matches_any({place, false}, known);
        if (matches && *matches) {
            report_("- " + name + " is installed");
            return {};
        }
    }
    auto const wrong = [&] {
        return infra::diagnostics{
            messages::make_error(messages::locked_checksum_mismatch, {p.shown(), selected.text(), here_.text()})};
    };
    auto const cached = settings_->plugin_cache.empty() ? fs::path() : fs::absolute(settings_->plugin_cache) / relative;
    std::string authenticated = "from the plug-in cache";
    std::set<std::string> signed_checksums;
    auto const linked = cached.empty() ? false : link_cached(p, cached, place, known);
    if (!linked) return linked.error().why();
    if (!*linked) {
        // On the same file system as the destination, so that it can be renamed.
        scratch_directory const scratch(cached.empty() ? directory_ : settings_->plugin_cache);
        auto const package = sources_->fetch(p, selected, here_, scratch.path());
        if (!package) return package.error().why();
        if (!known.empty()) {
            auto const matches = matches_any(package->content, known);
            if (!matches) return matches.error().why();
            if (!*matches) return wrong();
        }
        authenticated = package->authentication_text();
        signed_checksums = package->signed_checksums;
        if (!package->content.archive) {
            auto const target = fs::canonical(package->content.path);
            if (executable_in(target, p).empty())
                return {messages::make_error(messages::no_program_in_package, {p.shown(), target.string(), p.type})};
            if (auto problems = publish_link(target, place); !problems.empty()) return problems;
        } else {
            auto const extracted = scratch.path() / "package";
            fs::create_directory(extracted);
            if (auto problems = extract_archive(package->content.path, extracted); !problems.empty()) return problems;
            if (executable_in(extracted, p).empty())
                return {messages::make_error(messages::no_program_in_package,
                    {p.shown(), package->url.empty() ? package->content.path.string() : package->url, p.type})};
            if (auto problems = publish_directory(extracted, cached.empty() ? place : cached); !problems.empty())
                return problems;
            if (!cached.empty())
                if (auto problems = publish_link(cached, place); !problems.empty()) return problems;
        }
    }
    auto const checksum = content_checksum({place, false});
    if (!checksum) return checksum.error().why();
    locked_provider now;
    now.selected = selected;
    now.constraints = accepted.text();
    now.hashes = known;
    now.hashes.insert(*checksum);
    now.hashes.insert(signed_checksums.begin(), signed_checksums.end());
    if (locked == nullptr && signed_checksums.empty()) result.checksums_of_one_platform.push_back(p);
    result.locks.providers.insert_or_assign(p, std::move(now));
    report_("- " + name + " has been installed (" + authenticated + ")");
    return {};
}

auto installer::link_cached(provider_id const& p, fs::path const& package, fs::path const& place,
    std::set<std::string> const& accepted) -> expected<bool>
{
    std::error_code ignored;
    if (!fs::is_directory(package, ignored) || executable_in(package, p).empty()) return false;
    // Without a checksum in the lock file there is no evidence that the package in the cache is the published one.
    if (!settings_->cache_may_break_lock_file) {
        auto const matches = matches_any({package, false}, accepted);
        if (!matches) return matches.error();
        if (!*matches) return false;
    }
    if (auto problems = publish_link(package, place); !problems.empty()) return infra::failure(std::move(problems));
    return true;
}

}  // namespace iacctl::packages
