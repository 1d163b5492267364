// SPDX-License-Identifier: BSL-1.0
#include "configuration_json.hpp"

#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "base/url_secrets.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/validation/schema.hpp"
#include "session.hpp"
#include "views.hpp"
#include "workspace/known_schemas.hpp"
#include "workspace/program/provider_configurations.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using program_module = program::hcl_program::module;
using language::reference_kind;

constexpr std::string_view nothing = "{}";

auto sorted(std::map<std::string, std::string> const& members) -> std::string
{
    json_object out;
    for (auto const& [name, json] : members) out.raw(name, json);
    return out.done();
}

auto unless_empty(std::string json) -> std::string
{
    return json == nothing || json == "[]" ? std::string() : json;
}

// Adds the references of a traversal: from all of its steps down to the object, and then the enclosing object.
void add_references(json_array& to, language::syntax::traversal const& t, language::source_file const* file)
{
    infra::diagnostics ignored;
    auto const of = language::parse_reference(t, file, ignored);
    if (!of) return;
    bool const names_output = of->kind == reference_kind::module && !of->output().empty();
    std::size_t const least = of->consumed + (of->key ? 1U : 0U) + (names_output ? 1U : 0U);
    for (std::size_t count = t.steps.size(); count > least; --count) to.text(language::traversal_text(t, count));
    to.text(language::traversal_text(t, least));
    if (names_output) to.text(of->address_with_key());
    else if (of->key) to.text(of->address());
}

auto expression_json(language::expression const& e) -> std::string
{
    json_object out;
    infra::diagnostics found;
    language::value const constant = language::evaluate(e, language::constant_scope(), found);
    if (!found.has_errors() && constant.wholly_known()) out.raw("constant_value", language::to_json(constant));
    json_array references;
    language::for_each_traversal(e, [&](auto const& t) { add_references(references, t, e.file()); });
    return out.raw_if("references", unless_empty(references.done())).done();
}

auto expressions_json(language::body const& b, language::schema const& as) -> std::string
{
    std::map<std::string, std::string> members;
    for (language::attribute const& one : b.attributes)
        if (as.find(one.name) != nullptr) members.emplace(one.name, expression_json(one.of));
    for (language::schema_block const& type : as.blocks) {
        json_array list;
        std::map<std::string, std::string> by_label;
        for (language::block const& one : b.blocks) {
            if (one.type != type.name) continue;
            std::string json = expressions_json(one.content, *type.content);
            if (json.empty()) json = "{}";
            if (type.how == language::nesting::map && !one.labels.empty())
                by_label.insert_or_assign(one.labels.front().text, std::move(json));
            else if (type.how == language::nesting::single || type.how == language::nesting::group)
                members.insert_or_assign(type.name, std::move(json));
            else list.raw(json);
        }
        if (!list.empty()) members.emplace(type.name, list.done());
        if (!by_label.empty()) members.emplace(type.name, sorted(by_label));
    }
    return unless_empty(sorted(members));
}

auto dependencies_json(std::vector<language::reference> const& all) -> std::string
{
    json_array out;
    for (language::reference const& one : all) {
        std::string const output(one.kind == reference_kind::module ? one.output() : std::string_view());
        out.text(one.address_with_key() + (output.empty() ? "" : "." + output));
    }
    return unless_empty(out.done());
}

auto mode_name(language::resource_mode mode) -> std::string_view
{
    switch (mode) {
    case language::resource_mode::data: return "data";
    case language::resource_mode::ephemeral: return "ephemeral";
    default: return "managed";
    }
}

class writer {
public:
    writer(program::hcl_program const& hp, configuration_scope scope)
        : known_(hp.catalog().get()),
          schemas_(*known_),
          expressions_(scope != configuration_scope::module),
          types_(scope != configuration_scope::plan)
    {
        for (program_module const& m : hp.modules())
            if (!m.is_root()) called_.emplace(m.call, &m);
        root_ = &hp.modules().front();
        for (program_module const& m : hp.modules()) add_blocks(m);
    }

    auto all() -> std::string
    {
        std::string const root = module_json(*root_);  // used for providers without a block
        return json_object()
            .raw_if("provider_config", without_url_secrets(unless_empty(sorted(providers_))))
            .raw("root_module", root)
            .done();
    }

private:
    // The local name of a provider in a module.
    [[nodiscard]] static auto local_name(program_module const& in, std::string const& provider) -> std::string
    {
        for (auto const& [name, _] : in.of->required_providers)
            if (program::stored_provider(in, name) == provider) return name;
        for (auto const& [_, block] : in.of->providers)
            if (program::stored_provider(in, block.name) == provider) return block.name;
        return std::string(provider_type(provider_address_in(provider)));
    }
    [[nodiscard]] static auto key_of(std::string_view in, std::string const& name, std::string_view alias)
        -> std::string
    {
        return (in.empty() ? "" : std::string(in) + ":") + name + (alias.empty() ? "" : "." + std::string(alias));
    }

    void add_blocks(program_module const& m)
    {
        for (auto const& [_, block] : m.of->providers) {
            std::string const provider = program::stored_provider(m, block.name);
            if (provider.empty()) continue;
            std::string const in = m.is_root() ? "" : m.name();
            auto const* const schema = schemas_.provider(provider_address_in(provider));
            providers_.emplace(key_of(in, block.name, block.alias),
                provider_json(m, block.name, provider, block.alias)
                    .text_if("module_address", in)
                    .raw_if("expressions", expressions_of(block.content, schema))
                    .done());
        }
    }
    [[nodiscard]] auto expressions_of(language::body const& b, language::schema const* as) const -> std::string
    {
        return as == nullptr || !expressions_ ? std::string() : expressions_json(b, *as);
    }
    [[nodiscard]] auto shown(language::expression const& e) const -> std::string
    {
        return e && expressions_ ? expression_json(e) : std::string();
    }
    [[nodiscard]] static auto provider_json(program_module const& m, std::string const& name,
        std::string const& provider, std::string_view alias) -> json_object
    {
        auto const required = m.of->required_providers.find(name);
        return json_object()
            .text("name", name)
            .text("full_name", provider_address_in(provider))
            .text_if("alias", alias)
            .text_if("version_constraint",
                required == m.of->required_providers.end() ? std::string() : required->second.version);
    }

    // The key of the configuration that a resource uses; a configuration without a block is added.
    [[nodiscard]] auto provider_key(program_module const& m, language::resource const& r) -> std::string
    {
        std::string const provider = program::stored_provider(m, r);
        if (provider.empty()) return r.type.substr(0, r.type.find('_'));
        auto const named = program::configuration_of(m, provider, provider_alias(r.provider)).name;
        auto const at = provider_configuration_name::parse(named).value_or(provider_configuration_name());
        program_module const* in = &m;
        while (!in->is_root() && in->name() != at.module) in = in->caller;
        std::string const name = local_name(*in, provider);
        std::string key = key_of(at.module, name, at.alias);
        if (!providers_.contains(key))
            providers_.emplace(
                key, provider_json(*in, name, provider, at.alias).text_if("module_address", at.module).done());
        return key;
    }
    [[nodiscard]] auto provisioners_json(language::resource const& r) const -> std::string
    {
        json_array out;
        for (language::provisioner const& one : r.provisioners) {
            json_object json;
            json.text("type", one.type);
            out.raw(json.raw_if("expressions", expressions_of(one.content, schemas_.provisioner(one.type))).done());
        }
        return unless_empty(out.done());
    }
    [[nodiscard]] auto resource_json(program_module const& m, language::resource const& r) -> std::string
    {
        auto const* const schema = known_->find_type(program::stored_provider(m, r), program::mode_of(r.mode), r.type);
        json_object out;
        out.text("address", r.address()).text("mode", mode_name(r.mode)).text("type", r.type);
        out.text("name", r.name).text("provider_config_key", provider_key(m, r));
        out.raw_if("provisioners", provisioners_json(r));
        out.raw_if("expressions", expressions_of(r.content, schema == nullptr ? nullptr : &schema->content));
        if (expressions_) out.raw("schema_version", std::to_string(schema == nullptr ? 0 : schema->version));
        out.raw_if("count_expression", unless_empty(shown(r.count)));
        out.raw_if("for_each_expression", unless_empty(shown(r.for_each)));
        return out.raw_if("depends_on", dependencies_json(r.depends_on)).done();
    }
    [[nodiscard]] auto resources_json(program_module const& m) -> std::string
    {
        std::map<std::pair<language::resource_mode, std::string>, language::resource const*> in_order;
        auto const add = [&](language::resource const& r) { in_order.emplace(std::pair(r.mode, r.address()), &r); };
        for (auto const& [_, r] : m.of->resources)
            if (r.mode != language::resource_mode::action) add(r);
        for (auto const& [_, check] : m.of->checks)
            if (check.data) add(*check.data);
        json_array out;
        for (auto const& [_, r] : in_order) out.raw(resource_json(m, *r));
        return unless_empty(out.done());
    }
    [[nodiscard]] auto actions_json(program_module const& m) -> std::string
    {
        json_array all;
        for (auto const& [_, r] : m.of->resources) {
            if (r.mode != language::resource_mode::action) continue;
            auto const* const schema =
                known_->find_type(program::stored_provider(m, r), infra::resource_mode::action, r.type);
            json_object out;
            out.text("address", r.address()).text("type", r.type).text("name", r.name);
            out.text("provider_config_key", provider_key(m, r));
            out.raw_if("expressions", expressions_of(r.content, schema == nullptr ? nullptr : &schema->content));
            out.raw_if("count_expression", unless_empty(shown(r.count)));
            out.raw_if("for_each_expression", unless_empty(shown(r.for_each)));
            all.raw(out.done());
        }
        return unless_empty(all.done());
    }
    [[nodiscard]] auto output_json(language::output_value const& o) const -> std::string
    {
        json_object out;
        if (o.sensitive) out.flag("sensitive", true);
        if (o.ephemeral) out.flag("ephemeral", true);
        out.text_if("deprecated", o.deprecated.value_or(""));
        out.raw_if("expression", shown(o.of));
        return out.raw_if("depends_on", dependencies_json(o.depends_on)).text_if("description", o.description).done();
    }
    [[nodiscard]] auto variable_json(language::variable const& v) const -> std::string
    {
        json_object out;
        auto const& of = v.constraint.of;
        if (types_ && of.kind() != language::type_kind::dynamic) out.raw("type", language::type_to_json(of));
        if (v.default_value) out.raw("default", language::to_json(v.default_value->unmarked_deep()));
        out.text_if("description", v.description);
        if (types_ && !v.default_value) out.flag("required", true);
        if (v.sensitive) out.flag("sensitive", true);
        if (types_ && v.ephemeral) out.flag("ephemeral", true);
        out.text_if("deprecated", v.deprecated.value_or(""));
        return out.done();
    }
    // \param m  the called module; null: its content is omitted
    [[nodiscard]] auto call_json(program_module const* m, language::module_call const& c) -> std::string
    {
        std::map<std::string, std::string> expressions;
        for (language::attribute const& one : c.content.attributes)
            if (m != nullptr && m->of->variables.contains(one.name))
                expressions.emplace(one.name, expression_json(one.of));
        json_object out;
        out.text("source", without_url_secrets(c.source)).raw_if("expressions", unless_empty(sorted(expressions)));
        out.raw_if("count_expression", unless_empty(shown(c.count)));
        out.raw_if("for_each_expression", unless_empty(shown(c.for_each)));
        if (m != nullptr) out.raw("module", module_json(*m));
        if (types_) out.text_if("version_constraint", c.version);
        return out.raw_if("depends_on", dependencies_json(c.depends_on)).done();
    }
    [[nodiscard]] auto module_json(program_module const& m) -> std::string
    {
        json_object outputs;
        for (auto const& [name, o] : m.of->outputs) outputs.raw(name, output_json(o));
        json_object calls;
        for (auto const& [name, c] : m.of->modules)
            if (auto const at = called_.find(&c); at != called_.end()) calls.raw(name, call_json(at->second, c));
            else if (!expressions_) calls.raw(name, call_json(nullptr, c));
        json_object variables;
        for (auto const& [name, v] : m.of->variables) variables.raw(name, variable_json(v));
        return json_object()
            .raw_if("outputs", unless_empty(outputs.done()))
            .raw_if("resources", resources_json(m))
            .raw_if("actions", actions_json(m))
            .raw_if("module_calls", unless_empty(calls.done()))
            .raw_if("variables", unless_empty(variables.done()))
            .done();
    }

    providers::catalog const* known_;
    workspace::known_schemas schemas_;
    bool expressions_;
    bool types_;
    program_module const* root_ = nullptr;
    std::map<language::module_call const*, program_module const*> called_;
    std::map<std::string, std::string> providers_;
};

}  // namespace

auto configuration_json(program::hcl_program const& hp, configuration_scope scope) -> std::string
{
    return writer(hp, scope).all();
}

}  // namespace iacctl::commands
