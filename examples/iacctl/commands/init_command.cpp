// SPDX-License-Identifier: BSL-1.0
// `init` downloads nothing: it says whether there is all that a configuration asks for.
#include "app/backend.hpp"
#include "app/known_schemas.hpp"
#include "commands.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/validation/validate.hpp"
#include "program/diagnostics.hpp"
#include "support/input_file.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

auto missing_backend() -> language::diagnostic
{
    return language::warning("Missing backend configuration",
        "-backend-config was used without a \"backend\" block in the configuration.\n\nIf you intended to override "
        "the default local backend configuration,\nno action is required, but you may add an explicit backend block to "
        "your\nconfiguration to clear this warning:\n\nterraform {\n  backend \"local\" {}\n}\n\nHowever, if you "
        "intended "
        "to override a defined backend, please verify that\nthe backend configuration is present and valid.\n");
}

// What is part of a program has no version that could be chosen.
void check_built_in(language::configuration const& root, language::diagnostics& found)
{
    language::for_each_module(root, [&](language::configuration const& module) {
        for (auto const& [name, required] : module.required_providers) {
            auto const address = language::provider_named(module, name);
            if (address.starts_with("terraform.io/builtin/") && !required.version.empty())
                found.add(language::error("Invalid dependency on built-in provider",
                    "Cannot use " + address + ": built-in providers do not support explicit version constraints."));
        }
    });
}

void print_modules(language::configuration const& root, std::ostream& out)
{
    if (root.modules.empty()) return;
    out << "Initializing modules...\n";
    language::for_each_module(root, [&](language::configuration const& module) {
        if (module.is_root()) return;
        std::string key;
        for (std::string const& name : module.path) key += (key.empty() ? "" : ".") + name;
        out << "- " << key << " in " << module.directory.lexically_normal().generic_string() << '\n';
    });
}

}  // namespace

// Only what Terraform needs to know by then is judged: whether the rest makes sense is for the other commands.
auto init(session const& s) -> int
{
    request const& asked = s.asked();
    language::diagnostics found;
    auto const fail = [&] {
        found.sort();
        return s.tell(program::convert(found));
    };
    if (asked.migrate && asked.reconfigure) {
        found.add(language::error(
            "Invalid init options", "The -migrate-state and -reconfigure options are mutually-exclusive."));
        return fail();
    }
    auto const configuration = language::load_configuration(s.workspace().told().directory, found);
    if (configuration.files.empty() && !found.has_errors()) {
        s.out()
            << "iacctl initialized in an empty directory!\n\nThe directory has no Terraform configuration files. You "
               "may begin working\nwith Terraform immediately by creating Terraform configuration files.\n";
        return 0;
    }
    if (asked.backend) s.out() << "Initializing the backend...\n";
    // A version that is asked for and is not this one explains all other mistakes.
    language::diagnostics settings;
    language::check_settings(configuration, settings);
    if (found.has_errors() && !settings.has_errors())
        s.err()
            << "\nTerraform encountered problems during initialisation, including problems\nwith the configuration, "
               "described below.\n";
    found.add(settings);
    if (found.has_errors()) return fail();
    app::check_supported(configuration, found);
    std::vector<std::shared_ptr<language::syntax_tree>> kept;
    if (asked.backend && !found.has_errors()) {
        app::check_backend(configuration, s.workspace().name(), found);
        // Without such a block they say nothing that holds.
        if (configuration.backend)
            kept =
                app::check_backend_options(asked.backend_options, configuration.directory, s.workspace().name(), found);
        else if (!asked.backend_options.empty()) found.add(missing_backend());
    }
    if (found.has_errors()) return fail();
    print_modules(configuration, s.out());
    s.out() << "Initializing provider plugins...\n";
    app::known_schemas const schemas;
    for (auto const& [address, _] : language::providers_asked_for(configuration))
        if (schemas.has_provider(address)) s.out() << "- " << address << " is built in to iacctl\n";
    check_built_in(configuration, found);
    language::tell_missing_providers(configuration, schemas, found);
    if (int const code = fail(); code != 0) return code;
    s.out() << "\niacctl has been successfully initialized!\n\nYou may now begin working. Try running \"iacctl plan\" "
               "to see\nany changes that are required for your infrastructure.\n";
    return 0;
}

}  // namespace iacctl::commands
