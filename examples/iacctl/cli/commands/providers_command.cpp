// SPDX-License-Identifier: BSL-1.0
// The providers that each module of a configuration requires, and those of the objects in state; their schemas.
#include "base/provider_address.hpp"
#include "commands.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/test_file.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "packages/lock_file.hpp"
#include "packages/provider_id.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/catalog.hpp"
#include "schema_json.hpp"
#include "session.hpp"
#include "workspace/root_module.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// The sources that a module requires, each with the accepted versions.
auto required_by(language::configuration const& module) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    auto const add = [&](std::string_view local) {
        if (!module.required_providers.contains(local_provider_name(local)))
            all.try_emplace(language::provider_named(module, local));
    };
    for (auto const& [name, required] : module.required_providers)
        all.insert_or_assign(language::provider_named(module, name), required.version);
    for (auto const& [_, block] : module.providers) add(block.name);
    auto const add_of = [&](language::resource const& r) {
        // Without an explicit provider, the first word of a type names the provider.
        add(r.provider.empty() ? std::string_view(r.type).substr(0, r.type.find('_')) : std::string_view(r.provider));
    };
    for (auto const& [_, r] : module.resources) add_of(r);
    for (auto const& [_, c] : module.checks)
        if (c.data) add_of(*c.data);
    return all;
}

// A part of a tree: the modules that the runs of a test file execute.
struct test_branch {
    std::string name;
    std::vector<std::pair<std::string, language::configuration>> runs;
};

void print_tree(language::configuration const& module, std::string const& indent, std::ostream& out,
    std::vector<test_branch> const& tests = {})
{
    auto const required = required_by(module);
    std::size_t left = required.size() + tests.size();
    for (auto const& [_, call] : module.modules) left += call.child ? 1U : 0U;
    auto const branch = [&] { return indent + (--left == 0 ? "└── " : "├── "); };
    for (auto const& [source, versions] : required)
        out << branch() << "provider[" << source << "]" << (versions.empty() ? "" : " ") << versions << '\n';
    for (auto const& [name, call] : module.modules) {
        if (!call.child) continue;
        out << branch() << "module." << name << '\n';
        print_tree(*call.child, indent + (left == 0 ? "    " : "│   "), out);
    }
    for (test_branch const& test : tests) {
        out << branch() << "test." << test.name << '\n';
        std::string const below = indent + (left == 0 ? "    " : "│   ");
        for (auto const& run : test.runs) {
            bool const last = &run == &test.runs.back();
            out << below << (last ? "└── " : "├── ") << "run." << run.first << '\n';
            print_tree(run.second, below + (last ? "    " : "│   "), out);
        }
    }
}

// The test files whose runs execute other local modules.
auto tests_of(session const& s, std::string const& tests, infra::diagnostics& found) -> std::vector<test_branch>
{
    auto const& directory = s.workspace().options().directory;
    std::vector<test_branch> all;
    for (language::test_file const& file : language::load_test_files(directory, tests, found)) {
        test_branch made{file.name.substr(0, file.name.rfind(".t")), {}};
        std::ranges::replace(made.name, '/', '.');
        for (language::test_run const& run : file.runs)
            if (run.module && run.module->source.starts_with('.'))
                made.runs.emplace_back(
                    run.name, language::load_configuration((directory / run.module->source).lexically_normal(), found));
        if (!made.runs.empty()) all.push_back(std::move(made));
    }
    return all;
}

// Names the release of each required provider that is built in, and that the lock file does not select.
void print_built_in(language::configuration const& configuration, session const& s)
{
    auto const locks = packages::lock_file::read(s.workspace().options().directory / packages::lock_file::name);
    providers::catalog const built_in(providers::built_in_providers());
    std::string lines;
    for (auto const& [address, _] : language::providers_asked_for(configuration)) {
        auto const source = packages::provider_id::parse(address);
        auto const* const one = built_in.find(address);
        bool const locked = locks && source && locks->find(*source) != nullptr;
        if (one != nullptr && !locked && !one->release().empty())
            lines += "    provider[" + address + "] " + std::string(one->release()) + "\n";
    }
    if (!lines.empty()) s.out() << "Built-in providers, with the releases whose types they have:\n\n" << lines << '\n';
}

struct providers_options : options_with<test_directory_options, variable_options> {};

auto providers(providers_options const& options, session const& s) -> int
{
    infra::diagnostics found;
    auto const configuration = language::load_configuration(
        s.workspace().options().directory, found, workspace::load_options_of(s.workspace().options()));
    auto const tests = tests_of(s, options.test_directory, found);
    if (found.has_errors()) return s.report(found);
    auto const state = s.workspace().read_state();
    if (!state) return s.report(state.error());
    s.out() << "\nProviders of the configuration:\n.\n";
    print_tree(configuration, "", s.out(), tests);
    s.out() << '\n';
    print_built_in(configuration, s);
    std::set<std::string> used;
    for (auto const& [_, record] : state->resources) {
        if (record.current) used.emplace(provider_address_in(record.current->provider));
        for (auto const& [key, old] : record.deposed) used.emplace(provider_address_in(old.provider));
    }
    if (!used.empty()) s.out() << "Providers of objects in state:\n\n";
    for (std::string const& source : used) s.out() << "    provider[" << source << "]\n\n";
    return s.report(found);
}

auto providers_schema(backend_document_options const& options, session const& s) -> int
{
    if (!options.json) return s.report(make_error(messages::schema_needs_json));
    infra::diagnostics found;
    auto const configuration = language::load_configuration(
        s.workspace().options().directory, found, workspace::load_options_of(s.workspace().options()));
    if (found.has_errors()) return s.report(found);
    std::map<std::string, providers::provider_schema const*> all;
    infra::diagnostics problems;
    for (auto const& [address, place] : language::providers_asked_for(configuration)) {
        auto* const one = s.providers().find(address);
        auto const schema = one == nullptr
            ? expected<providers::provider_schema const*>(infra::failure(
                  make_error(messages::no_schema_of_provider, {shown_provider(address), providers::built_in_list()})))
            : one->schema();
        if (schema) {
            all.emplace(address, *schema);
            continue;
        }
        auto why = schema.error().why();
        why.update([&](infra::diagnostic& problem) { problem.source = language::excerpt_of(place); });
        problems.add(std::move(why));
    }
    if (!problems.empty()) return s.report(problems);
    s.out() << schemas_json(all) << '\n';
    return 0;
}

}  // namespace

constinit command const providers_command{"providers",
    {.configuration = configuration_use::declarations, .backend = true}, begin<providers>,
    "Show the providers that the configuration requires",
    "Shows which modules of the configuration require which providers, and which providers state requires."};

constinit command const providers_schema_command{"providers schema",
    {.configuration = configuration_use::declarations, .providers = true}, begin<providers_schema>,
    "Print the schemas of providers", "Prints the schemas of all required providers as JSON."};

}  // namespace iacctl::commands
