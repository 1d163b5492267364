// SPDX-License-Identifier: BSL-1.0
// `init` prepares a directory: the backend, and the providers that the configuration requires.
#include "init_command.hpp"

#include "commands.hpp"
#include "init_backend.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/validation/validate.hpp"
#include "messages/commands.hpp"
#include "messages/installation.hpp"
#include "modules_command.hpp"
#include "provider_installation.hpp"
#include "session.hpp"
#include "workspace/root_module.hpp"

#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

// A provider that is a part of the program has no version that could be selected.
void check_built_in(language::configuration const& root, infra::diagnostics& found)
{
    language::for_each_module(root, [&](language::configuration const& module) {
        for (auto const& [name, required] : module.required_providers) {
            auto const address = language::provider_named(module, name);
            if (address.starts_with("terraform.io/builtin/") && !required.version.empty())
                found.add(language::error(messages::built_in_provider_with_version, {address}));
        }
    });
}

void print_modules(session const& s, bool upgrade, language::configuration const& root)
{
    if (root.modules.empty()) return;
    s.tell("Modules:", upgrade ? "upgrading_modules_message" : "initializing_modules_message");
    language::for_each_module(root, [&](language::configuration const& module) {
        if (module.is_root()) return;
        std::string key;
        for (std::string const& name : module.path) key += (key.empty() ? "" : ".") + name;
        s.tell("- " + key + " in " + module.directory.lexically_normal().generic_string());
    });
}

// The first option that a dry run of a migration could not honour; empty: there is none.
auto option_without_effect_in_dry_run(init_options const& options) -> std::string
{
    if (!options.backend) return "-backend=false";
    if (options.reconfigure) return "-reconfigure";
    if (!options.from_module.empty()) return "-from-module";
    if (options.upgrade) return "-upgrade";
    if (!options.lock_file_mode.empty()) return "-lockfile";
    return options.plugin_directories.empty() ? "" : "-plugin-dir";
}

// As in Terraform, only the parts of the configuration that `init` needs are validated; other commands validate the
// rest.
auto init(init_options const& options, session const& s) -> int
{
    if (auto* const to = s.stream()) to->version(language::language_version);
    infra::diagnostics found;
    auto const fail = [&] {
        language::sort_by_place(found);
        return s.report(found);
    };
    if (options.migrate && options.reconfigure) {
        found.add(language::error(messages::migrate_and_reconfigure));
        return fail();
    }
    if (options.dry_run && !options.migrate && !options.force_copy) {
        found.add(language::error(messages::migration_dry_run_alone));
        return fail();
    }
    if (auto const other = option_without_effect_in_dry_run(options); options.dry_run && !other.empty()) {
        found.add(language::error(messages::migration_dry_run_with_other_options, {other}));
        return fail();
    }
    if (options.migrate && !options.force_copy && !options.dry_run && options.json) {
        found.add(language::error(messages::migration_with_json));
        return fail();
    }
    if (options.upgrade && options.lock_file_mode == "readonly") {
        found.add(language::error(messages::upgrade_of_read_only_lock_file));
        return fail();
    }
    if (options.dry_run) {
        auto const& root = s.workspace().root().state_place(found);
        workspace::check_backend_type(root, found);
        if (found.has_errors()) return fail();
        auto const tried = init_backend(s, options, root);
        return tried ? 0 : tried.error().value;
    }
    if (!options.from_module.empty())
        if (int const code = copy_from_module(s, options.from_module); code != 0) return code;
    auto configuration = options.get ? load_with_modules(s, options.upgrade, found)
                                     : language::load_configuration(s.workspace().options().directory, found,
                                           workspace::load_options_of(s.workspace().options()));
    if (configuration.files.empty() && !found.has_errors()) {
        s.tell(
            "This directory has no configuration files, so there is nothing to prepare.", "output_init_empty_message");
        return 0;
    }
    auto const tests = add_modules_of_tests(s, options.test_directory, configuration, found);
    if (options.backend) s.tell("Checking the backend", "initializing_backend_message");
    // If another version is required, this explains all other mistakes.
    infra::diagnostics settings;
    language::check_settings(configuration, settings);
    if (found.has_errors() && !settings.has_errors() && !s.machine_readable())
        s.err() << "\nThe configuration has errors, so its backend and its providers were not checked.\n";
    found.add(settings);
    if (found.has_errors()) return fail();
    if (options.backend) workspace::check_backend_type(configuration, found);
    if (found.has_errors()) return fail();
    auto of_terraform = takeover::complete;
    if (options.backend) {
        auto const done = init_backend(s, options, configuration);
        if (!done) return done.error().value;
        of_terraform = *done;
    }
    print_modules(s, options.upgrade, configuration);
    s.tell("Checking the providers", "initializing_provider_plugin_message");
    check_built_in(configuration, found);
    if (int const code = fail(); code != 0) return code;
    if (int const code = install_providers(s, options, configuration); code != 0) return code;
    s.tell(of_terraform == takeover::complete
            ? "\nThe directory is ready. \"iacctl plan\" shows what an apply would change."
            : "\nModules and providers are ready, but states of Terraform were not taken over.\n"
              "\"iacctl plan\" fails until then; \"iacctl init\" asks again.",
        "output_init_success_message");
    return 0;
}

}  // namespace

constinit command const init_command{"init",
    {.configuration = configuration_use::values, .backend = true, .providers = true}, begin<init>,
    "Prepare a directory for the other commands",
    "Initializes the backend, and installs the modules and providers of the configuration. The dependency lock file, "
    ".terraform.lock.hcl, selects the versions of providers. Run it again after you change the backend, modules, or "
    "required providers."};

}  // namespace iacctl::commands
