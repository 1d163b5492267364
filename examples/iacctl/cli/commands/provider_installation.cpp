// SPDX-License-Identifier: BSL-1.0
// Commands about packages of providers: a part of "init", "providers lock" and "providers mirror".
#include "provider_installation.hpp"
#include "providers/built_in/built_in.hpp"
#include "workspace/available_providers.hpp"
#include "workspace/root_module.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "modules_command.hpp"
#include "packages/archive.hpp"
#include "packages/installer.hpp"
#include "packages/package_files.hpp"
#include "providers/catalog.hpp"
#include "required_providers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace fs = std::filesystem;

namespace {

using messages::make_error;
using packages::lock_file;
using packages::platform;
using packages::provider_id;
using packages::requirements;

// The options that name places of packages.
struct package_places {
    std::vector<std::string> directories;
    std::string network_mirror;
    std::string oci_mirror;
};

struct platform_options {
    std::vector<std::string> platforms;

    void declare(option_list& to)
    {
        to.with_value("platform", "OS_ARCH",
            "Use packages for this platform, for example linux_amd64 (default: this one). May be repeated.", platforms);
    }
};

struct mirror_options : options_with<variable_options>, platform_options {
    bool lock_file = true;

    void declare(option_list& to)
    {
        platform_options::declare(to);
        to.off("lock-file", "Ignore the dependency lock file, and select the newest versions.", lock_file);
        options_with::declare(to);
    }
};

struct lock_file_options : options_with<test_directory_options, variable_options>, platform_options {
    std::string filesystem_mirror;
    std::string network_mirror;
    std::string oci_mirror;

    void declare(option_list& to)
    {
        platform_options::declare(to);
        to.with_value(
            "fs-mirror", "DIR", "Read packages from this directory.", filesystem_mirror, completion::directory);
        to.with_value("net-mirror", "URL", "Download packages from this network mirror.", network_mirror);
        to.with_value("oci-mirror", "TEMPLATE",
            "Download packages from repositories of an OCI registry, whose addresses this template makes.", oci_mirror);
        to.ignored_flag("enable-plugin-cache", "Accepted for compatibility. Has no effect: each package is verified.");
        options_with::declare(to);
    }
};

// The sources from which a command installs.
class package_sources {
public:
    [[nodiscard]] static auto open(session const& s, package_places const& places) -> expected<package_sources>
    {
        package_sources made;
        auto settings = packages::cli_configuration::load();
        if (!settings) return settings.error();
        made.settings = std::make_unique<packages::cli_configuration>(std::move(*settings));
        made.client = std::make_unique<packages::service_client>(*made.settings);
        if (!places.oci_mirror.empty()) {
            made.settings->methods.reset();
            auto problems = made.settings->add("-oci-mirror",
                "provider_installation { oci_mirror { repository_template = " + json_string(places.oci_mirror)
                    + " } }");
            if (!problems.empty()) return infra::failure(std::move(problems));
        }
        std::vector<fs::path> const directories(places.directories.begin(), places.directories.end());
        made.all = !directories.empty() ? std::make_unique<packages::provider_sources>(directories)
            : !places.network_mirror.empty()
            ? std::make_unique<packages::provider_sources>(*made.client, places.network_mirror)
            : std::make_unique<packages::provider_sources>(
                  *made.client, *made.settings, s.workspace().options().directory);
        return made;
    }

    std::unique_ptr<packages::cli_configuration> settings;
    std::unique_ptr<packages::service_client> client;
    std::unique_ptr<packages::provider_sources> all;
};

auto lock_file_of(session const& s) -> fs::path
{
    return s.workspace().options().directory / lock_file::name;
}

auto joined(std::vector<provider_id> const& all) -> std::string
{
    std::string text;
    for (provider_id const& one : all) text += "\n- " + one.shown();
    return text;
}

// The built-in provider at an address; null if there is none.
auto built_in_at(provider_id const& p) -> providers::provider_source*
{
    static providers::catalog const all(providers::built_in_providers());
    return all.find(p.address());
}

// Returns whether a provider is built in, and the constraints accept its release.
auto is_built_in(provider_id const& p, version_constraints const& accepted) -> bool
{
    auto const* const found = built_in_at(p);
    if (found == nullptr) return false;
    auto const release = iacctl::version::parse(found->release());
    return !release || accepted.allow(*release);
}

// "- registry.terraform.io/hashicorp/random v3.9.0 is built in to iacctl"
auto built_in_line(provider_id const& p) -> std::string
{
    std::string const release(built_in_at(p)->release());
    return "- " + p.address() + (release.empty() ? "" : " v" + release) + " is built in to iacctl";
}

// Completes the error that no version is accepted.
void name_built_in_release(provider_id const& p, infra::diagnostics& problems)
{
    auto const* const found = built_in_at(p);
    if (found == nullptr || found->release().empty()) return;
    problems.update([&](infra::diagnostic& one) {
        if (one.code == messages::no_version_accepted.code)
            one.detail += " The built-in provider has the types of release " + std::string(found->release()) + ".";
    });
}

// The ways to a package that is not installed.
auto ways_to_install(provider_id const& p, version_constraints const& accepted) -> std::string
{
    std::string const ways =
        "\n- with a network: correct the cause above, and run \"iacctl init\" again"
        "\n- without a network: run \"iacctl providers mirror DIR\" on another computer, copy DIR to this one, and run "
        "\"iacctl init -plugin-dir=DIR\"";
    if (auto const* const found = built_in_at(p); found != nullptr) {
        auto const way = ways + "\n- without a package: " + p.shown() + " is also built in; ";
        std::string const release(found->release());
        if (!is_built_in(p, accepted))
            return way + "change the constraint \"" + accepted.text() + "\" to one that accepts " + release
                + ", the release whose types it has";
        return way + "remove its block from " + std::string(lock_file::name) + " to use the built-in one";
    }
    return ways + "\n- without a package: use a built-in provider: " + providers::built_in_list();
}

constexpr std::string_view ways_to_lock =
    "\n- with a network: correct the cause above, and run the command again"
    "\n- without a network: \"iacctl providers lock -fs-mirror=DIR\" reads the packages in the directory DIR, which "
    "\"iacctl providers mirror DIR\" fills on another computer";
constexpr std::string_view ways_to_mirror =
    "\n- with a network: correct the cause above, and run the command again, or run it on another computer"
    "\n- with another mirror: name it in a block \"provider_installation\" of the CLI configuration";

}  // namespace

auto install_providers(session const& s, init_options const& options, language::configuration const& configuration)
    -> int
{
    if (!options.lock_file_mode.empty() && options.lock_file_mode != "readonly")
        return s.report(make_error(messages::invalid_lock_file_mode, {options.lock_file_mode}));
    bool const read_only = options.lock_file_mode == "readonly";
    auto const file = lock_file_of(s);
    auto const previous = lock_file::read(file);
    if (!previous) return s.report(previous.error());
    required_providers all(configuration);
    requirements& required = all.accepted;
    // Objects in state need their providers too, for example to be destroyed.
    if (options.backend)
        if (auto const state = s.workspace().read_state()) all.add(*state);
    bool const nothing_to_install = previous->providers.empty() && required.empty();
    if (nothing_to_install) return 0;
    auto const sources = package_sources::open(s, {options.plugin_directories, {}, {}});
    if (!sources) return s.report(sources.error());
    std::set<provider_id> running;
    for (std::string const& address : workspace::running_providers(s.workspace().options().environment))
        if (auto of = provider_id::parse(address)) {
            // Another program has started it, so it is not installed, like one of the development overrides.
            sources->settings->development_overrides.insert_or_assign(*of, fs::path());
            running.insert(std::move(*of));
        }
    std::erase_if(required, [&](auto const& item) {
        provider_id const& of = item.first;
        auto const* const source = built_in_at(of);
        if (source == nullptr || previous->find(of) != nullptr || sources->settings->development_overrides.contains(of)
            || sources->all->has_locally(of))
            return false;
        bool const used = is_built_in(of, item.second);
        s.tell(built_in_line(of) + (used ? "" : ", but the configuration accepts only " + item.second.text()));
        return used;
    });
    for (auto const& [of, place] : sources->settings->development_overrides)
        if (required.contains(of))
            s.tell("- " + of.shown()
                + (running.contains(of) ? " is running (TF_REATTACH_PROVIDERS)"
                                        : " is used from " + place.string() + " (development override)"));
    packages::installer installer(
        s.workspace().options().directory / s.workspace().options().data_directory / "providers", *sources->settings,
        *sources->all, [&](std::string const& line) { s.tell(line); });
    auto result = installer.install(required, *previous, options.upgrade);
    for (auto& [of, problems] : result.problems_of) {
        name_built_in_release(of, problems);
        result.problems.add(all.explained(of, problems, ways_to_install(of, required.at(of))));
    }
    if (result.problems.has_errors()) return s.report(result.problems);
    if (result.locks == *previous) return s.report(result.problems);
    if (read_only) {
        // A read-only lock file may lack checksums of installed packages, but no selections.
        bool const same =
            std::ranges::equal(result.locks.providers, previous->providers, [](auto const& a, auto const& b) {
                return a.first == b.first && a.second.selected.text() == b.second.selected.text()
                    && a.second.constraints == b.second.constraints;
            });
        if (!same) return s.report(make_error(messages::lock_file_read_only));
        return s.report(messages::make_warning(messages::lock_file_unchanged));
    }
    result.problems.add(result.locks.write(file));
    if (result.problems.has_errors()) return s.report(result.problems);
    s.tell((previous->providers.empty() ? "\nThe selections are in the new file "
                                        : "\nThe selections have changed in the file ")
        + std::string(lock_file::name) + ". Put it under version control.");
    if (!result.checksums_of_one_platform.empty()) {
        std::string const here = platform::current().text();
        result.problems.add(messages::make_warning(messages::incomplete_checksums,
            {joined(result.checksums_of_one_platform), here, here == "linux_amd64" ? "darwin_arm64" : "linux_amd64"}));
    }
    return s.report(result.problems);
}

namespace {

auto platforms_of(platform_options const& options, infra::diagnostics& problems) -> std::vector<platform>
{
    std::vector<platform> all;
    for (std::string const& text : options.platforms) {
        if (auto one = platform::parse(text)) all.push_back(std::move(*one));
        else problems.add(make_error(messages::invalid_platform, {text}));
    }
    if (all.empty()) all.push_back(platform::current());
    return all;
}

// The version in the lock file, or else the newest one that the configuration accepts.
auto selected_version(package_sources const& sources, provider_id const& p, version_constraints const& accepted,
    packages::locked_provider const* locked) -> expected<iacctl::version>
{
    if (locked != nullptr && accepted.allow(locked->selected)) return locked->selected;
    auto const all = sources.all->versions(p);
    if (!all) return all.error();
    auto const newest =
        std::find_if(all->rbegin(), all->rend(), [&](iacctl::version const& v) { return accepted.allow(v); });
    if (newest != all->rend()) return *newest;
    return infra::failure(make_error(messages::no_version_accepted,
        {p.shown(), accepted.empty() ? std::string("any release") : accepted.text(), std::string("other versions")}));
}

// The parts of the working directory that the commands need.
class package_work {
public:
    [[nodiscard]] static auto begin(session const& s, platform_options const& on, std::string const& test_directory,
        package_places const& from) -> expected<package_work>
    {
        package_work made;
        infra::diagnostics found;
        auto configuration = language::load_configuration(
            s.workspace().options().directory, found, workspace::load_options_of(s.workspace().options()));
        auto const tests = add_modules_of_tests(s, test_directory, configuration, found);
        if (found.has_errors()) return infra::failure(found);
        made.all = required_providers(configuration);
        made.required = made.all.accepted;
        auto previous = lock_file::read(lock_file_of(s));
        if (!previous) return previous.error();
        made.locks = std::move(*previous);
        auto sources = package_sources::open(s, from);
        if (!sources) return sources.error();
        made.sources = std::move(*sources);
        infra::diagnostics problems;
        made.platforms = platforms_of(on, problems);
        if (!problems.empty()) return infra::failure(std::move(problems));
        made.scratch_place = s.workspace().options().directory / s.workspace().options().data_directory / "providers";
        return made;
    }

    required_providers all;
    requirements required;  // those of the command
    lock_file locks;
    package_sources sources;
    std::vector<platform> platforms;
    fs::path scratch_place;
};

auto providers_lock(lock_file_options const& options, session const& s) -> int
{
    package_places from{{}, options.network_mirror, options.oci_mirror};
    if (!options.filesystem_mirror.empty()) from.directories.push_back(options.filesystem_mirror);
    auto work = package_work::begin(s, options, options.test_directory, from);
    if (!work) return s.report(work.error());
    infra::diagnostics problems;
    if (options.arguments.empty()) {
        // A built-in provider needs a package only if the lock file selects it, a mirror has it, or another release is
        // required.
        bool const mirrored = !from.directories.empty() || !from.network_mirror.empty() || !from.oci_mirror.empty();
        std::erase_if(work->required, [&](auto const& item) {
            provider_id const& of = item.first;
            if (!is_built_in(of, item.second) || work->locks.find(of) != nullptr || work->sources.all->has_locally(of)
                || (mirrored && work->sources.all->versions(of)))
                return false;
            s.out() << built_in_line(of) << '\n';
            return true;
        });
    } else {
        requirements named;
        for (std::string const& text : options.arguments) {
            auto const of = provider_id::parse(text);
            if (!of || !work->required.contains(*of)) problems.add(make_error(messages::provider_not_required, {text}));
            else named.emplace(*of, work->required.at(*of));
        }
        work->required = std::move(named);
    }
    if (!problems.empty()) return s.report(problems);
    lock_file made = work->locks;
    for (auto const& [of, accepted] : work->required) {
        auto const* const locked = work->locks.find(of);
        auto const fail = [&, &source = of](infra::failure const& why) {
            problems.add(work->all.explained(source, why.why(), std::string(ways_to_lock)));
        };
        auto const selected = selected_version(work->sources, of, accepted, locked);
        if (!selected) {
            fail(selected.error());
            continue;
        }
        packages::locked_provider now;
        now.selected = *selected;
        now.constraints = accepted.text();
        if (locked != nullptr && locked->selected.text() == selected->text()) now.hashes = locked->hashes;
        for (platform const& target : work->platforms) {
            packages::scratch_directory const scratch(work->scratch_place);
            auto const package = work->sources.all->fetch(of, *selected, target, scratch.path());
            auto const checksum =
                package ? packages::content_checksum(package->content) : expected<std::string>(package.error());
            if (!checksum) {
                fail(checksum.error());
                continue;
            }
            bool const known = now.hashes.contains(*checksum);
            now.hashes.insert(*checksum);
            now.hashes.insert(package->signed_checksums.begin(), package->signed_checksums.end());
            s.out() << "- " << of.shown() << " " << selected->text() << " for " << target.text() << ": "
                    << (known ? "the checksum is in the lock file" : "a new checksum") << " ("
                    << package->authentication_text() << ")" << std::endl;
        }
        made.providers.insert_or_assign(of, std::move(now));
    }
    if (!problems.empty()) return s.report(problems);
    if (made == work->locks) {
        s.out() << (work->required.empty() ? "\nNo package needs a checksum.\n"
                                           : "\nThe lock file has these checksums already.\n");
        return 0;
    }
    if (int const code = s.report(made.write(lock_file_of(s))); code != 0) return code;
    s.out() << "\nThe lock file has been updated. Review the changes, and put them under version control.\n";
    return 0;
}

// The files of one provider in a mirror: packages, and the documents of the network mirror protocol.
class mirror_writer {
public:
    mirror_writer(fs::path directory, provider_id const& p) : directory_(std::move(directory) / p.directory()), of_(p)
    {
        throw_on(make_directories(directory_));
    }

    // \param place  a directory on the file system of the mirror
    [[nodiscard]] auto add(iacctl::version const& selected, platform const& target,
        packages::fetched_package const& package, fs::path const& scratch) -> infra::diagnostics
    {
        auto const name = "terraform-provider-" + of_.type + "_" + selected.text() + "_" + target.text() + ".zip";
        auto archive = package.content.path;
        if (!package.content.archive) {
            archive = scratch / "packed.zip";
            if (auto problems = packages::write_zip(fs::canonical(package.content.path), archive); !problems.empty())
                return problems;
        } else if (package.url.empty()) {
            archive = scratch / "copied.zip";
            fs::copy_file(package.content.path, archive);
        }
        auto const content = packages::content_checksum({archive, true});
        if (!content) return content.error().why();
        auto const whole = packages::archive_checksum(archive);
        if (!whole) return whole.error().why();
        throw_on(sync_file(archive));
        fs::permissions(archive, fs::perms(0644));
        fs::rename(archive, directory_ / name);
        throw_on(sync_directory(directory_));
        return add_to_index(selected, target, name, {*content, *whole});
    }

private:
    static auto make_directories(fs::path const& directory) -> error_code
    {
        // Other users must be able to read a mirror.
        std::error_code error;
        fs::create_directories(directory, error);
        return error ? error_code(error.value(), boost::system::system_category()) : error_code();
    }

    [[nodiscard]] auto add_to_index(iacctl::version const& selected, platform const& target, std::string const& name,
        std::set<std::string> const& checksums) -> infra::diagnostics
    {
        json::object entry;
        json::array hashes;
        for (std::string const& one : checksums) hashes.emplace_back(one);
        entry.push_back({"hashes", json(std::move(hashes))});
        entry.push_back({"url", json(name)});
        auto problems =
            change(directory_ / (selected.text() + ".json"), "archives", target.text(), json(std::move(entry)));
        problems.add(change(directory_ / "index.json", "versions", selected.text(), json(json::object())));
        return problems;
    }

    // Sets a member in the object with that name in a document.
    [[nodiscard]] static auto change(
        fs::path const& file, std::string const& object, std::string const& name, json value) -> infra::diagnostics
    {
        json::object members;
        if (auto const text = read_input(file)) {
            auto const document = parse_json(*text);
            auto const* const there = document ? document->find(object) : nullptr;
            if (there != nullptr && there->members() != nullptr) members = *there->members();
        }
        std::erase_if(members, [&](json::member const& m) { return m.name == name; });
        members.push_back({name, std::move(value)});
        std::ranges::sort(members, {}, &json::member::name);
        json::object document;
        document.push_back({object, json(std::move(members))});
        std::string const text = indented_json(compact_text(json(std::move(document)))) + '\n';
        if (auto const error = replace_file(file, text, 0644))
            return {make_error(messages::package_file_unwritable, {file.string(), error.message()})};
        return {};
    }

    fs::path directory_;
    provider_id of_;
};

auto providers_mirror(mirror_options const& options, session const& s) -> int
{
    if (options.arguments.empty()) return s.report(make_error(messages::mirror_directory_missing));
    auto work = package_work::begin(s, options, test_directory_options().test_directory, {});
    if (!work) return s.report(work.error());
    fs::path const directory = options.arguments.front();
    infra::diagnostics problems;
    try {
        for (auto const& [of, accepted] : work->required) {
            auto const* const locked = options.lock_file ? work->locks.find(of) : nullptr;
            if (is_built_in(of, accepted) && work->locks.find(of) == nullptr && !work->sources.all->has_locally(of)) {
                s.out() << built_in_line(of) << '\n';
                continue;
            }
            auto const fail = [&, &source = of](infra::failure const& why) {
                problems.add(work->all.explained(source, why.why(), std::string(ways_to_mirror)));
            };
            auto const selected = selected_version(work->sources, of, accepted, locked);
            if (!selected) {
                fail(selected.error());
                continue;
            }
            mirror_writer to(directory, of);
            for (platform const& target : work->platforms) {
                packages::scratch_directory const scratch(directory);
                auto const package = work->sources.all->fetch(of, *selected, target, scratch.path());
                if (!package) {
                    fail(package.error());
                    continue;
                }
                auto of_this = to.add(*selected, target, *package, scratch.path());
                if (of_this.empty())
                    s.out() << "- " << of.shown() << " v" << selected->text() << " for " << target.text() << " ("
                            << package->authentication_text() << ")" << std::endl;
                problems.add(std::move(of_this));
            }
        }
    } catch (std::system_error const& e) {
        problems.add(make_error(messages::package_file_unwritable, {directory.string(), e.what()}));
    }
    return s.report(problems);
}

}  // namespace

constinit command const providers_lock_command{"providers lock", {.configuration = configuration_use::declarations},
    begin<providers_lock>, "Write checksums to the dependency lock file",
    "Adds checksums of packages for the given platforms to .terraform.lock.hcl. Without PROVIDER, those of all "
    "required providers.",
    {"[PROVIDER...]", any_number}};

constinit command const providers_mirror_command{"providers mirror", {.configuration = configuration_use::declarations},
    begin<providers_mirror>, "Copy packages of providers to a directory",
    "Downloads the packages of all required providers to a directory that serves as a filesystem mirror.",
    {"DIRECTORY", 1, completion::directory}};

}  // namespace iacctl::commands
