// SPDX-License-Identifier: BSL-1.0
#include "engine_runner.hpp"

#include "engine_context.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

// The environment contains values of sensitive variables, which programs of a configuration do not receive.
auto withheld_from_programs(program::hcl_program const& desired, run_options const& options) -> std::set<std::string>
{
    std::set<std::string> names;
    if (options.pass_sensitive) return names;
    for (auto const& [name, variable] : desired.configuration().variables)
        if (variable.sensitive) names.insert("TF_VAR_" + name);
    return names;
}

// The values of sensitive and ephemeral variables, with these marks.
auto marked_variables(program::hcl_program const& desired) -> std::vector<language::value>
{
    using language::mark;
    std::vector<language::value> marked;
    for (auto const& [name, variable] : desired.configuration().variables) {
        mark const because =
            (variable.sensitive ? mark::sensitive : mark::none) | (variable.ephemeral ? mark::ephemeral : mark::none);
        auto const given = desired.variables().find(name);
        if (because != mark::none && given != desired.variables().end())
            marked.push_back(given->second.with_marks(because));
    }
    return marked;
}

}  // namespace

auto context_of(program::hcl_program const& desired, run_options const& options) -> providers::provider_context
{
    providers::provider_context known{withheld_from_programs(desired, options), options.encryption, {},
        options.make_provider, options.deferral_allowed, options.run_provisioner, options.placed, options.listed,
        options.lists_whole_objects, marked_variables(desired)};
    bool has_meta = false;
    language::for_each_module(
        desired.configuration(), [&](auto const& item) { has_meta |= !item.provider_meta.empty(); });
    if (has_meta) known.meta = std::bind_front(&program::hcl_program::provider_meta, &desired);
    return known;
}

auto options_of(root_module const& root, run_callbacks callbacks) -> run_options
{
    settings const& all = root.options();
    auto const passed = all.environment.find("IACCTL_PASS_SENSITIVE");
    auto const methods = root.encryption();  // it has no errors, because state was read with it
    return {all.limits, std::move(callbacks), all.interrupts, passed != all.environment.end() && passed->second == "1",
        methods ? *methods : nullptr, all.make_provider, all.run_provisioner, all.placed};
}

}  // namespace iacctl::workspace
