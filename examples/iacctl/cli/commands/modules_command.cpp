// SPDX-License-Identifier: BSL-1.0
// Installs and lists modules: "get", "modules", and a part of "init".
#include "modules_command.hpp"
#include "workspace/root_module.hpp"

#include "base/json_writer.hpp"
#include "base/shown_text.hpp"
#include "base/url_secrets.hpp"
#include "commands.hpp"
#include "language/configuration/version_constraint.hpp"
#include "packages/cli_configuration.hpp"
#include "packages/modules/module_installer.hpp"
#include "packages/services.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// Reads settings and contacts hosts only when a module has to be installed.
class lazy_module_finder final : public language::module_finder {
public:
    lazy_module_finder(session const& s, bool update) : session_(&s), update_(update) {}

    auto find(std::vector<std::string> const& path, language::module_call const& call,
        language::module_source const& source, infra::diagnostics& found)
        -> std::optional<language::installed_module> override
    {
        if (!settings_) {
            auto settings = packages::cli_configuration::load();
            if (!settings) {
                found.add(settings.error().why());
                return std::nullopt;
            }
            settings_.emplace(std::move(*settings));
            client_.emplace(*settings_);
            auto const& reported = session_->workspace().options();
            installer_.emplace(reported.directory, reported.data_directory, *client_, update_,
                [this](std::string const& line) { session_->tell(line); });
        }
        return installer_->find(path, call, source, found);
    }

    [[nodiscard]] auto write_manifest(language::configuration const& c) const -> infra::diagnostics
    {
        return installer_ ? installer_->write_manifest(c) : infra::diagnostics();
    }

private:
    session const* session_;
    bool update_;
    std::optional<packages::cli_configuration> settings_;
    std::optional<packages::service_client> client_;
    std::optional<packages::module_installer> installer_;
};

auto source_text(std::string const& source) -> std::string
{
    std::string ignored;
    auto const parsed = language::module_source::parse(source, ignored);
    return without_url_secrets(parsed ? parsed->text() : source);
}

}  // namespace

auto load_with_modules(session const& s, bool update, infra::diagnostics& found) -> language::configuration
{
    lazy_module_finder modules(s, update);
    auto made = language::load_configuration(
        s.workspace().options().directory, modules, found, workspace::load_options_of(s.workspace().options()));
    found.add(modules.write_manifest(made));
    return made;
}

auto add_modules_of_tests(session const& s, std::string const& tests, language::configuration& to,
    infra::diagnostics& found) -> std::vector<language::test_file>
{
    auto const& directory = s.workspace().options().directory;
    auto files = language::load_test_files(directory, tests, found);
    for (language::test_file const& file : files)
        for (language::test_run const& run : file.runs) {
            if (!run.module || !run.module->source.starts_with('.')) continue;
            auto const [call, fresh] = to.modules.emplace("run " + run.module->source, *run.module);
            if (fresh)
                call->second.child = std::make_shared<language::configuration>(
                    language::load_configuration((directory / run.module->source).lexically_normal(), found));
        }
    return files;
}

auto copy_from_module(session const& s, std::string const& source) -> int
{
    auto const settings = packages::cli_configuration::load();
    if (!settings) return s.report(settings.error());
    packages::service_client client(*settings);
    s.tell("Copying the module from " + source, "copying_configuration_message");
    return s.report(packages::copy_module(source, s.workspace().options().directory, client));
}

namespace {

struct get_options : options_with<test_directory_options, stream_options, variable_options, message_options> {
    bool update = false;
    void declare(option_list& to)
    {
        to.on("update", "Install the newest versions that the constraints accept.", update);
        options_with::declare(to);
    }
};

auto get(get_options const& options, session const& s) -> int
{
    if (auto* const to = s.stream()) to->version(language::language_version);
    infra::diagnostics found;
    auto configuration = load_with_modules(s, options.update, found);
    auto const tests = add_modules_of_tests(s, options.test_directory, configuration, found);
    if (options.update && !found.has_errors())
        language::for_each_module(configuration, [&](language::configuration const& module) {
            if (module.path.empty()) return;
            s.tell("- " + language::module_key(module.path) + " in "
                + module.directory.lexically_normal().generic_string());
        });
    return s.report(found);
}

auto modules(backend_document_options const& options, session const& s) -> int
{
    infra::diagnostics found;
    auto const configuration = language::load_configuration(
        s.workspace().options().directory, found, workspace::load_options_of(s.workspace().options()));
    if (found.has_errors()) return s.report(found);
    json_array listed;
    std::string text;
    language::for_each_module(configuration, [&](language::configuration const& module) {
        if (module.path.empty()) return;
        json_object one;
        one.text("key", module.path.back()).text("source", source_text(module.source)).text("version", module.version);
        listed.raw(one.done());
        text += "- " + language::module_key(module.path) + " from " + source_text(module.source)
            + (module.version.empty() ? "" : ", version " + module.version) + "\n";
    });
    if (options.json) {
        json_object document;
        document.text("format_version", "1.0").raw("modules", listed.done());
        s.out() << document.done() << '\n';
    } else if (text.empty()) s.out() << "The configuration calls no modules.\n";
    else s.out() << shown_text(text);
    return s.report(found);
}

}  // namespace

constinit command const get_command{"get", {.configuration = configuration_use::values}, begin<get>, "Install modules",
    "Installs the modules of the configuration below .terraform/modules."};

constinit command const modules_command{"modules", {.configuration = configuration_use::declarations}, begin<modules>,
    "List the modules of the configuration",
    "Lists the modules that the configuration declares, with their sources and versions."};

}  // namespace iacctl::commands
