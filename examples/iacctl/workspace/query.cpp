// SPDX-License-Identifier: BSL-1.0
#include "query.hpp"

#include "base/go_quoted.hpp"
#include "base/provider_address.hpp"
#include "generated_config.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/syntax/format.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace iacctl::workspace {

namespace {

using language::type_kind;
using language::value;

// Adds the paths of values that are marked, or that are sensitive in the schema.
void add_sensitive_paths(value const& v, std::string const& path, std::set<std::string>& to)
{
    if (v.marks() != language::mark::none) {
        to.insert(path);
        return;
    }
    if (!v.has_data()) return;
    bool const object = v.is(type_kind::object);
    for (auto const& [key, inner] : v.entries())
        add_sensitive_paths(inner, path + (object ? "." + key : "[" + go_quoted(key) + "]"), to);
    std::size_t i = 0;
    for (value const& inner : v.elements()) add_sensitive_paths(inner, path + "[" + std::to_string(i++) + "]", to);
}

// The schema without arguments that a plan would compute, and without deprecated ones.
auto essential(language::schema schema, value const& object) -> language::schema
{
    std::erase_if(schema.attributes, [&](language::schema_attribute const& attribute) {
        value const* const found = object.find(attribute.name);
        bool const computed = attribute.optional && attribute.computed && (found == nullptr || found->is_null());
        return computed || (attribute.deprecated && !attribute.required);
    });
    return schema;
}

// "to", "provider" and "identity" of an object.
auto import_text(infra::address const& to, std::string const& provider, value const& identity) -> std::string
{
    infra::diagnostics none;
    auto const text = "import {\n  to = " + to_string(to) + "\n  provider = " + provider
        + "\n  identity = " + language::expression_text(identity) + "\n}\n";
    return language::format("generated.tf", text, language::format_rules::spaces, none).text;
}

// Writes configuration for the objects of a list.
// \param number  the number of the instance in its block
void generate(list_result& made, std::string const& provider, language::schema const& schema, std::size_t number)
{
    std::string name = made.block.name();
    if (made.block.key()) name += "_" + std::to_string(number);
    for (std::size_t i = 0; i < made.objects.size(); ++i) {
        auto& one = made.objects[i];
        infra::address const to(
            {}, infra::resource_mode::managed, made.block.type(), name + "_" + std::to_string(i), {});
        one.resource = block_text(to, essential(schema, one.object), one.object, provider);
        one.import = import_text(to, provider, one.identity);
        one.resource.pop_back();  // the end of the last line, as in Terraform
        one.import.pop_back();
    }
}

}  // namespace

auto query(workspace const& in, bool generates, run_callbacks const& callbacks) -> query_result
{
    std::mutex lock;
    std::vector<providers::found_objects> found;
    plan_parameters parameters;
    parameters.lists_whole_objects = generates;
    parameters.listed = [&](providers::found_objects objects) {
        std::scoped_lock const held(lock);
        found.push_back(std::move(objects));
    };
    auto planned = in.plan(std::move(parameters), callbacks);
    query_result result;
    result.interrupted = planned.interrupted;
    if (planned.made) result.problems = std::move(planned.made->warnings);
    result.problems.add(std::move(planned.problems));

    std::ranges::sort(found, {}, &providers::found_objects::block);
    infra::address before;
    std::size_t number = 0;
    for (auto const& one : found) {
        number = std::exchange(before, one.block.resource()) == one.block.resource() ? number + 1 : 0;
        auto& made = result.lists.emplace_back();
        made.block = one.block;
        made.config = one.config;
        std::set<std::string> sensitive;
        add_sensitive_paths(one.config, {}, sensitive);
        made.sensitive.assign(sensitive.begin(), sensitive.end());
        for (value const& each : one.objects.elements())
            made.objects.push_back(
                {each.find("display_name")->as_string(), *each.find("identity"), *each.find("state"), {}, {}});
        auto* const source = in.options().providers->find(provider_address_in(one.provider));
        auto const schema = source->schema();
        auto const& identities = (*schema)->identities;
        if (auto const known = identities.find(one.block.type()); known != identities.end())
            made.identity_version = known->second.version;
        if (!generates || !planned.made) continue;
        auto const& declared = planned.made->desired->configuration().resources;
        generate(made, declared.find(to_string(one.block.resource()))->second.provider,
            (*schema)->resources.find(one.block.type())->second.content, number);
    }
    return result;
}

}  // namespace iacctl::workspace
