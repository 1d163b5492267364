// SPDX-License-Identifier: BSL-1.0
#include "plan_file.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "language/values/value_codec.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/dependency_catalog.hpp"
#include "state/document/state_v4.hpp"
#include "state/record/digest.hpp"
#include "state/record_text.hpp"

#include <strider/core/digraph.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/lifecycle/rules.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

using change = infra::change<language::value>;
using language::decode_value;
using language::encode_value;
using strider::edge_origin;
using strider::edge_rule;
namespace edge_rules = strider::edge_rules;

constexpr std::string_view any_magic = "iacctl plan ";
constexpr std::string_view magic = "iacctl plan 7 ";
constexpr int format_version = 7;

// Enumerators are stored by name, because a number could be invalid.
template <class E, std::size_t N>
using names = std::array<std::pair<E, std::string_view>, N>;

constexpr names<infra::action, 9> action_names{{{infra::action::no_op, "no_op"}, {infra::action::create, "create"},
    {infra::action::read, "read"}, {infra::action::update, "update"}, {infra::action::destroy, "destroy"},
    {infra::action::destroy_then_create, "destroy_then_create"},
    {infra::action::create_then_destroy, "create_then_destroy"}, {infra::action::forget, "forget"},
    {infra::action::forget_then_create, "forget_then_create"}}};

constexpr names<infra::plan_mode, 3> mode_names{{{infra::plan_mode::normal, "normal"},
    {infra::plan_mode::destroy, "destroy"}, {infra::plan_mode::refresh_only, "refresh_only"}}};

constexpr names<infra::node_role, 10> role_names{{{infra::node_role::declaration, "declaration"},
    {infra::node_role::creator, "creator"}, {infra::node_role::destroyer, "destroyer"},
    {infra::node_role::deposed_destroyer, "deposed_destroyer"}, {infra::node_role::module_close, "module_close"},
    {infra::node_role::provider_begin, "provider_begin"}, {infra::node_role::provider_close, "provider_close"},
    {infra::node_role::join, "join"}, {infra::node_role::root, "root"}, {infra::node_role::invocation, "invocation"}}};

constexpr names<infra::trigger_event, 7> event_names{{{infra::trigger_event::before_create, "before_create"},
    {infra::trigger_event::after_create, "after_create"}, {infra::trigger_event::before_update, "before_update"},
    {infra::trigger_event::after_update, "after_update"}, {infra::trigger_event::before_destroy, "before_destroy"},
    {infra::trigger_event::after_destroy, "after_destroy"}, {infra::trigger_event::invoke, "invoke"}}};

constexpr names<infra::failure_effect, 3> effect_names{{{infra::failure_effect::halt, "halt"},
    {infra::failure_effect::taint, "taint"}, {infra::failure_effect::warn, "warn"}}};

// Plans of format 4 contain numbers of these rules, so new names must be added at the end.
constexpr names<edge_rule, 16> rule_names{
    {{edge_rules::unspecified, "unspecified"}, {edge_rules::reference, "reference"},
        {edge_rules::explicit_dependency, "explicit_dependency"}, {edge_rules::own_destroyer, "own_destroyer"},
        {edge_rules::after_destruction_of_dependency, "after_destruction_of_dependency"},
        {edge_rules::destroy_order, "destroy_order"},
        {edge_rules::after_destruction_of_dependent, "after_destruction_of_dependent"},
        {edge_rules::cbd_inversion, "cbd_inversion"}, {edge_rules::scope_begin, "scope_begin"},
        {edge_rules::scope_close, "scope_close"}, {edge_rules::expansion, "expansion"}, {edge_rules::join, "join"},
        {edge_rules::root, "root"}, {edge_rules::action_trigger, "action_trigger"},
        {edge_rules::tentative_destroy_order, "tentative_destroy_order"},
        {edge_rules::tentative_after_destruction_of_dependent, "tentative_after_destruction_of_dependent"}}};

template <class E, std::size_t N>
auto name_of(E e, names<E, N> const& all) -> std::string_view
{
    auto const found = std::ranges::find(all, e, &std::pair<E, std::string_view>::first);
    return found == all.end() ? std::string_view() : found->second;
}

template <class E, std::size_t N>
auto read_name(json const& text, names<E, N> const& all) -> E
{
    auto const& name = text.as_text();
    auto const found = std::ranges::find(all, name, &std::pair<E, std::string_view>::second);
    if (found == all.end()) throw json_error("\"" + name + "\" is not a known name");
    return found->first;
}

auto read_reason(json const& text) -> infra::action_reason
{
    auto const& name = text.as_text();
    for (std::size_t i = 0; i < infra::action_reasons; ++i)
        if (auto const reason = static_cast<infra::action_reason>(i); to_string(reason) == name) return reason;
    throw json_error("\"" + name + "\" is not a known reason");
}

auto optional_value(std::optional<language::value> const& v) -> std::string
{
    return v ? encode_value(*v) : "null";
}

auto optional_value(json const& v) -> std::optional<language::value>
{
    return v.is_null() ? std::nullopt : std::optional(decode_value(v));
}

auto number_of(std::size_t declaration) -> std::string
{
    return declaration == infra::no_declaration ? "null" : std::to_string(declaration);
}

auto declaration_of(json const& number) -> std::size_t
{
    return number.is_null() ? infra::no_declaration : number.as_natural<std::size_t>();
}

auto read_address(std::string const& text) -> infra::address
{
    auto parsed = infra::parse_address(text);
    if (!parsed) throw json_error("an address cannot be read: " + parsed.error().message());
    return *parsed;
}

auto texts_json(auto const& texts) -> std::string
{
    json_array all;
    for (std::string const& text : texts) all.text(text);
    return all.done();
}

template <class Encode>
auto list_json(auto const& all, Encode encode_one) -> std::string
{
    json_array list;
    for (auto const& one : all) list.raw(encode_one(one));
    return list.done();
}

// Sets of dependencies, each stored once; the rest of the plan refers to them.
class kept_sets {
public:
    // A list of names, or the key of a stored set.
    auto reference(infra::dependency_set const& set) -> std::string
    {
        keep(set);
        std::string text;
        state::append_dependencies(text, set);
        return text;
    }
    auto entry(infra::journal_entry const& e) -> std::string
    {
        if (e.result()) keep(e.result()->dependencies);
        return json_string(state::text_of(e));
    }
    [[nodiscard]] auto documents() const -> std::string { return documents_.done(); }

private:
    void keep(infra::dependency_set const& set)
    {
        sets_.add(set, [&](std::string const& key, std::string const& document) {
            documents_.raw(json_array().text(key).text(document).done());
        });
    }

    state::dependency_catalog sets_;
    json_array documents_;
};

auto read_sets(json const& documents) -> state::dependency_catalog
{
    state::dependency_catalog sets;
    for (json const& d : documents.as_elements())
        if (!sets.read(d.at(0).as_text(), d.at(1).as_text())) throw json_error("a set of dependencies cannot be read");
    return sets;
}

auto read_set(json const& reference, state::dependency_catalog const& sets) -> infra::dependency_set
{
    if (reference.text() == nullptr) return reference.as_texts();
    infra::dependency_set const* const set = sets.find(reference.as_text());
    if (set == nullptr) throw json_error("a set of dependencies is missing");
    return *set;
}

auto read_entry(json const& text, state::dependency_catalog const& sets) -> infra::journal_entry
{
    auto entry = state::read_entry(text.as_text(), sets);
    if (!entry) throw json_error("an entry cannot be read");
    return std::move(*entry);
}

// Encodes state as the entries that result in it.
auto encode(infra::snapshot const& s, kept_sets& sets) -> std::string
{
    using infra::journal_entry;
    json_array entries;
    auto const add = [&](journal_entry const& e) { entries.raw(sets.entry(e)); };
    for (auto const& [target, record] : s.resources) {
        if (record.current) add(journal_entry::record(target, {}, *record.current));
        for (auto const& [key, o] : record.deposed) add(journal_entry::record(target, key, o));
    }
    for (auto const& [name, value] : s.outputs) add(journal_entry::output(name, value));
    if (!s.checks.empty()) add(journal_entry::checks(s.checks));
    for (auto const& [_, operation] : s.pending) add(journal_entry::begin(operation));
    return json_object().text("lineage", s.lineage).number("serial", s.serial).raw("entries", entries.done()).done();
}

auto decode_snapshot(json const& j, state::dependency_catalog const& sets) -> infra::snapshot
{
    infra::snapshot s;
    for (json const& e : j.at("entries").as_elements())
        if (!infra::replay(s, read_entry(e, sets))) throw json_error("its state cannot be read");
    s.lineage = j.at("lineage").as_text();
    s.serial = j.at("serial").as_natural<std::uint64_t>();
    return s;
}

auto encode(infra::attribute_path const& path) -> std::string
{
    json_array steps;
    for (infra::attribute_step const& step : path) {
        if (auto const* name = std::get_if<std::string>(&step)) steps.text(*name);
        else steps.raw(std::to_string(std::get<std::int64_t>(step)));
    }
    return steps.done();
}

auto decode_paths(json const& all) -> std::vector<infra::attribute_path>
{
    std::vector<infra::attribute_path> paths;
    for (json const& steps : all.as_elements()) {
        infra::attribute_path& path = paths.emplace_back();
        for (json const& step : steps.as_elements()) {
            if (step.numeric() != nullptr) path.emplace_back(step.as_integer());
            else path.emplace_back(step.as_text());
        }
    }
    return paths;
}

auto encode(change const& c, kept_sets& sets) -> json_object
{
    json_object j;
    j.text("address", to_string(c.target))
        .text("deposed_key", c.deposed_key)
        .flag("of_deposed", c.of_deposed)
        .text("action", name_of(c.what, action_names))
        .text("reason", to_string(c.reason))
        .raw("before", optional_value(c.before))
        .raw("after", optional_value(c.after))
        .raw("replace_paths", list_json(c.replace_paths, [](auto const& path) { return encode(path); }))
        .raw("declaration", number_of(c.declaration))
        .text("provider", c.provider)
        .raw("dependencies", sets.reference(c.dependencies))
        .raw("stored_dependencies", sets.reference(c.stored_dependencies))
        .flag("cbd", c.create_before_destroy)
        .flag("stored_cbd", c.stored_create_before_destroy)
        .flag("has_conditions", c.has_conditions);
    if (c.previous) j.text("previous", to_string(*c.previous));
    if (c.import_id) j.text("import_id", *c.import_id);
    j.text_if("import_identity", c.import_identity.text());
    if (c.keep) j.flag("keep", true);
    j.text_if("private_data", c.private_data.text()).text_if("planned_data", c.planned_data.text());
    return j;
}

auto optional_document(json const& j, std::string_view name) -> infra::document
{
    json const* const text = j.find(name);
    return text == nullptr ? infra::document() : infra::document(text->as_text());
}

auto optional_flag(json const& j, std::string_view name) -> bool
{
    json const* const flag = j.find(name);
    return flag != nullptr && flag->as_flag();
}

auto decode_change(json const& j, state::dependency_catalog const& sets) -> change
{
    change c;
    c.target = read_address(j.at("address").as_text());
    c.config = to_string(c.target.config());
    c.deposed_key = j.at("deposed_key").as_text();
    c.of_deposed = j.at("of_deposed").as_flag();
    c.what = read_name(j.at("action"), action_names);
    c.reason = read_reason(j.at("reason"));
    c.before = optional_value(j.at("before"));
    c.after = optional_value(j.at("after"));
    c.replace_paths = decode_paths(j.at("replace_paths"));
    if (json const* const previous = j.find("previous")) c.previous = read_address(previous->as_text());
    if (json const* const id = j.find("import_id")) c.import_id = id->as_text();
    c.import_identity = optional_document(j, "import_identity");
    c.private_data = optional_document(j, "private_data");
    c.planned_data = optional_document(j, "planned_data");
    c.declaration = declaration_of(j.at("declaration"));
    c.provider = j.at("provider").as_text();
    c.dependencies = read_set(j.at("dependencies"), sets);
    c.stored_dependencies = read_set(j.at("stored_dependencies"), sets);
    c.create_before_destroy = j.at("cbd").as_flag();
    c.stored_create_before_destroy = j.at("stored_cbd").as_flag();
    c.has_conditions = j.at("has_conditions").as_flag();
    c.keep = optional_flag(j, "keep");
    return c;
}

// The address is written without its unknown keys, so that it can be parsed. The keys are counted from the outermost
// module.
auto encode(infra::deferred_change<language::value> const& dc, kept_sets& sets) -> std::string
{
    change known = dc.planned;
    auto modules = known.target.module();
    json_array unknown;
    for (std::size_t i = 0; i != modules.size(); ++i)
        if (modules[i].key.is_unknown()) {
            unknown.raw(std::to_string(i));
            modules[i].key = {};
        }
    bool const own = known.target.key().is_unknown();
    if (own) unknown.raw(std::to_string(modules.size()));
    auto key = own ? infra::instance_key() : known.target.key();
    known.target = infra::address(
        std::move(modules), known.target.mode(), known.target.type(), known.target.name(), std::move(key));
    return encode(known, sets).raw("unknown_keys", unknown.done()).text("deferral", to_string(dc.reason)).done();
}

auto decode_deferred(json const& j, state::dependency_catalog const& sets) -> infra::deferred_change<language::value>
{
    infra::deferred_change<language::value> one;
    one.planned = decode_change(j, sets);
    auto modules = one.planned.target.module();
    auto key = one.planned.target.key();
    for (json const& number : j.at("unknown_keys").as_elements()) {
        auto const at = number.as_natural<std::size_t>();
        if (at > modules.size()) throw json_error("a number is out of range");
        (at == modules.size() ? key : modules[at].key) = infra::instance_key::unknown();
    }
    auto const& target = one.planned.target;
    one.planned.target =
        infra::address(std::move(modules), target.mode(), target.type(), target.name(), std::move(key));
    auto const& name = j.at("deferral").as_text();
    for (std::size_t i = 0; i < infra::deferral_reasons; ++i)
        if (one.reason = static_cast<infra::deferral_reason>(i); to_string(one.reason) == name) return one;
    throw json_error("\"" + name + "\" is not a known reason");
}

auto encode(infra::invocation<language::value> const& i) -> std::string
{
    json_object j;
    j.text("address", to_string(i.target))
        .number("declaration", i.declaration)
        .text("provider", i.provider)
        .raw("config", encode_value(i.config))
        .text("event", name_of(i.event, event_names));
    if (!i.caller.type().empty()) j.text("caller", to_string(i.caller));
    if (i.conditional) j.flag("conditional", true);
    if (i.event != infra::trigger_event::invoke)
        j.number("change", i.change)
            .number("trigger", i.trigger)
            .number("position", i.position)
            .text("on_failure", name_of(i.on_failure, effect_names));
    return j.done();
}

auto decode_invocation(json const& j) -> infra::invocation<language::value>
{
    infra::invocation<language::value> one;
    one.target = read_address(j.at("address").as_text());
    one.declaration = j.at("declaration").as_natural<std::size_t>();
    one.provider = j.at("provider").as_text();
    one.config = decode_value(j.at("config"));
    one.event = read_name(j.at("event"), event_names);
    if (json const* const caller = j.find("caller")) one.caller = read_address(caller->as_text());
    one.conditional = optional_flag(j, "conditional");
    if (one.event == infra::trigger_event::invoke) return one;
    one.change = j.at("change").as_natural<std::size_t>();
    one.trigger = j.at("trigger").as_natural<std::size_t>();
    one.position = j.at("position").as_natural<std::size_t>();
    one.on_failure = read_name(j.at("on_failure"), effect_names);
    return one;
}

auto encode(infra::node const& n) -> std::string
{
    return json_array()
        .text(name_of(n.role, role_names))
        .raw(n.create_before_destroy ? "true" : "false")
        .raw(std::to_string(n.index))
        .done();
}

auto encode(strider::edge const& e) -> std::string
{
    return json_array()
        .raw(std::to_string(e.dependent.index()))
        .raw(std::to_string(e.dependency.index()))
        .text(name_of(e.origin.made_by(), rule_names))
        .raw(std::to_string(e.origin.place()))
        .done();
}

// Encodes the graph that an apply follows. Vertices are already in topological order.
auto encode(strider::dag<infra::node> const& g) -> std::string
{
    json_array vertices;
    json_array edges;
    for (auto const v : g.vertices()) {
        vertices.raw(encode(g[v]));
        for (strider::edge const& e : g.dependency_edges(v)) edges.raw(encode(e));
    }
    return json_object().raw("vertices", vertices.done()).raw("edges", edges.done()).done();
}

auto decode_graph(json const& j) -> strider::dag<infra::node>
{
    strider::digraph<infra::node> g;
    std::vector<strider::draft_vertex_id> ids;
    for (json const& v : j.at("vertices").as_elements()) {
        infra::node n;
        n.role = read_name(v.at(0), role_names);
        n.create_before_destroy = v.at(1).as_flag();
        n.index = v.at(2).as_natural<std::uint32_t>();
        ids.push_back(g.add_vertex(n));
    }
    auto const vertex = [&](json const& number) {
        auto const index = number.as_natural<std::size_t>();
        if (index >= ids.size()) throw json_error("an edge has no vertex");
        return ids[index];
    };
    for (json const& e : j.at("edges").as_elements()) {
        auto const dependent = vertex(e.at(0));
        auto const dependency = vertex(e.at(1));
        if (dependent == dependency) throw json_error("its graph has a cycle");
        g.add_edge(dependent, depends_on(dependency),
            edge_origin(read_name(e.at(2), rule_names), e.at(3).as_natural<std::uint32_t>()));
    }
    auto frozen = strider::freeze(std::move(g));
    if (!frozen) throw json_error("its graph has a cycle");
    return std::move(*frozen);
}

auto encode(infra::output_change<language::value> const& o) -> std::string
{
    return json_object()
        .text("name", o.name)
        .raw("declaration", number_of(o.declaration))
        .text("action", name_of(o.what, action_names))
        .raw("before", optional_value(o.before))
        .raw("after", optional_value(o.after))
        .flag("sensitive", o.sensitive)
        .done();
}

auto decode_output(json const& j) -> infra::output_change<language::value>
{
    infra::output_change<language::value> c;
    c.name = j.at("name").as_text();
    c.declaration = declaration_of(j.at("declaration"));
    c.what = read_name(j.at("action"), action_names);
    c.before = optional_value(j.at("before"));
    c.after = optional_value(j.at("after"));
    c.sensitive = j.at("sensitive").as_flag();
    return c;
}

auto encode(std::map<std::string, std::int64_t> const& versions) -> std::string
{
    json_object j;
    for (auto const& [part, version] : versions) j.raw(part, std::to_string(version));
    return j.done();
}

auto decode_versions(json const& j) -> std::map<std::string, std::int64_t>
{
    std::map<std::string, std::int64_t> versions;
    for (auto const& [part, version] : j.as_members()) versions.emplace(part, version.as_integer());
    return versions;
}

auto parts_json(plan_parts const& parts) -> std::string
{
    return json_object().raw("written", encode(parts.written)).raw("read", encode(parts.read)).done();
}

auto encode(saved_plan const& saved) -> std::string
{
    json_object variables;
    // Ephemeral values are valid for one run only, so they must be set again to apply the plan.
    for (auto const& [name, v] : saved.variables)
        if (!v.is_ephemeral()) variables.raw(name, encode_value(v));
    json_object files;
    for (auto const& [name, text] : saved.files) files.text(name, text);
    json_object generated;
    for (auto const& [address, text] : saved.generated) generated.text(to_string(address), text);
    plan const& p = saved.what;
    kept_sets sets;
    auto const changes = [&](change const& c) { return encode(c, sets).done(); };
    json_object j;
    j.raw("parts", saved.parts ? parts_json(*saved.parts) : "null")
        .raw("files", files.done())
        .raw("generated", generated.done())
        .raw("variables", variables.done())
        .raw("ephemeral", texts_json(saved.ephemeral.value_or(std::set<std::string, std::less<>>())))
        .text("workspace", saved.workspace)
        .text("created", saved.created)
        .raw("prior", encode(saved.prior, sets))
        .text("mode", name_of(p.mode, mode_names))
        .text("lineage", p.lineage)
        .number("serial", p.serial)
        .raw("refreshed", list_json(p.refreshed, [&](auto const& e) { return sets.entry(e); }))
        .raw("changes", list_json(p.changes, changes))
        .raw("drift", list_json(p.drift, changes))
        .raw("deferred", list_json(p.deferred, [&](auto const& one) { return encode(one, sets); }))
        .raw("outputs", list_json(p.outputs, [](auto const& o) { return encode(o); }))
        .raw("invocations", list_json(p.invocations, [](auto const& one) { return encode(one); }))
        .raw("providers", texts_json(p.providers))
        .raw("graph", encode(p.graph))
        .flag("targeted", p.targeted)
        .flag("excluding", p.excluding)
        .text("checks", saved.checks.text())
        .flag("errored", saved.errored);
    return j.raw("sets", sets.documents()).done();  // now all of them are kept
}

// The elements of a list that older plans do not have.
auto optional_elements(json const& j, std::string_view name) -> json::array
{
    json const* const list = j.find(name);
    return list == nullptr ? json::array() : list->as_elements();
}

auto decode(json const& j) -> saved_plan
{
    saved_plan s;
    for (auto const& [name, text] : j.at("files").as_members()) s.files.emplace(name, text.as_text());
    for (auto const& [name, v] : j.at("variables").as_members()) s.variables.emplace(name, decode_value(v));
    if (json const* const names = j.find("ephemeral")) {
        auto const all = names->as_texts();
        s.ephemeral.emplace(all.begin(), all.end());
    }
    s.workspace = j.at("workspace").as_text();
    s.created = j.at("created").as_text();
    state::dependency_catalog const sets = read_sets(j.at("sets"));
    s.prior = decode_snapshot(j.at("prior"), sets);
    plan& p = s.what;
    p.mode = read_name(j.at("mode"), mode_names);
    p.lineage = j.at("lineage").as_text();
    p.serial = j.at("serial").as_natural();
    for (json const& e : j.at("refreshed").as_elements()) p.refreshed.push_back(read_entry(e, sets));
    for (json const& c : j.at("changes").as_elements()) p.changes.push_back(decode_change(c, sets));
    for (json const& c : j.at("drift").as_elements()) p.drift.push_back(decode_change(c, sets));
    for (json const& o : j.at("outputs").as_elements()) p.outputs.push_back(decode_output(o));
    for (json const& one : optional_elements(j, "invocations")) p.invocations.push_back(decode_invocation(one));
    for (json const& one : optional_elements(j, "deferred")) p.deferred.push_back(decode_deferred(one, sets));
    p.providers = j.at("providers").as_texts();
    p.graph = decode_graph(j.at("graph"));
    p.targeted = j.at("targeted").as_flag();
    p.excluding = j.at("excluding").as_flag();
    s.checks = infra::document(j.at("checks").as_text());
    s.errored = j.at("errored").as_flag();
    if (json const* const all = j.find("generated"))  // older plans have none
        for (auto const& [address, text] : all->as_members()) s.generated[read_address(address)] = text.as_text();
    // Plans of states with only a serial number, and older plans, have no parts.
    if (json const* const parts = j.find("parts"); parts != nullptr && !parts->is_null())
        s.parts = plan_parts{decode_versions(parts->at("written")), decode_versions(parts->at("read"))};
    return s;
}

auto number(std::size_t n) -> json
{
    return json(json::number{std::to_string(n)});
}

// In format 1, state is a text in Terraform's format, each dependency is a name, and plans are always complete.
void upgrade_from_format_1(json& j)
{
    auto const prior = state::from_v4(j.at("prior").as_text());
    if (!prior) throw json_error("its state cannot be read");
    kept_sets sets;
    j.set("prior", parse_json(encode(*prior, sets)).value());
    j.set("sets", parse_json(sets.documents()).value());
    // The role of joins is now before that of the root.
    constexpr std::size_t last = 8;
    for (json& v : j.at("graph").at("vertices").as_elements())
        if (v.at(0).as_natural() == last) v.at(0) = number(last + 1);
}

// The first plans of format 2 are complete, but lack this member.
void upgrade_from_format_2(json& j)
{
    if (j.find("excluding") == nullptr) j.set("excluding", json(false));
}

// The results of checks have another form in format 3. They are not needed, because an apply evaluates all checks.
void upgrade_from_format_3(json& j)
{
    j.set("checks", json(std::string()));
}

// Format 4 has numbers in place of the names of format 5.
void upgrade_from_format_4(json& j)
{
    auto const replace = [](json& number, auto const& all) {
        auto const index = number.as_natural<std::size_t>();
        if (index >= all.size()) throw json_error("a number is out of range");
        number = json(std::string(all[index].second));
    };
    replace(j.at("mode"), mode_names);
    for (std::string_view const list : {"changes", "drift"}) {
        for (json& c : j.at(list).as_elements()) {
            replace(c.at("action"), action_names);
            auto const reason = c.at("reason").as_natural<std::size_t>();
            if (reason >= infra::action_reasons) throw json_error("a number is out of range");
            c.set("reason", json(std::string(to_string(static_cast<infra::action_reason>(reason)))));
        }
    }
    for (json& o : j.at("outputs").as_elements()) replace(o.at("action"), action_names);
    for (json& v : j.at("graph").at("vertices").as_elements()) {
        // Format 4 has an unused role between those of destroyers and of modules.
        constexpr std::size_t gone = 4;
        auto const role = v.at(0).as_natural<std::size_t>();
        if (role == gone) throw json_error("a number is out of range");
        v.at(0) = number(role > gone ? role - 1 : role);
        replace(v.at(0), role_names);
    }
    for (json& e : j.at("graph").at("edges").as_elements()) replace(e.at(2), rule_names);
}

// Format 5 has the name of an attribute in place of the path of format 6.
void upgrade_from_format_5(json& j)
{
    for (std::string_view const list : {"changes", "drift"})
        for (json& c : j.at(list).as_elements())
            for (json& path : c.at("replace_paths").as_elements()) path = json(json::array{json(path.as_text())});
}

// Plans of format 6 are complete.
void upgrade_from_format_6(json& j)
{
    j.set("errored", json(false));
}

// The conversions from each format to the next one.
constexpr std::array upgrades{upgrade_from_format_1, upgrade_from_format_2, upgrade_from_format_3,
    upgrade_from_format_4, upgrade_from_format_5, upgrade_from_format_6};
static_assert(upgrades.size() + 1 == format_version);

// The number of the format; nothing if a text is not a plan.
auto format_of(std::string_view text) -> std::optional<int>
{
    if (!text.starts_with(any_magic)) return std::nullopt;
    text.remove_prefix(any_magic.size());
    int format = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), format);
    if (error != std::errc() || end == text.data() + text.size() || *end != ' ' || format < 1) return std::nullopt;
    return format;
}

auto checksum(std::string_view text) -> std::string
{
    return state::to_hex(state::field_hasher().start("plan").field(text).finish());
}

}  // namespace

auto write_plan(std::filesystem::path const& to, saved_plan const& saved, encryption::target const& sealed_with)
    -> expected<void>
{
    std::string const text = encode(saved);
    auto const whole = sealed_with.seal(std::string(magic) + checksum(text) + "\n" + text);
    if (!whole) return whole.error();
    if (auto const failed = replace_file(to, *whole))
        return infra::failure(make_error(messages::unwritable_plan_file, {to.string(), failed.message()}));
    return boost::system::in_place_value;
}

auto read_plan(std::filesystem::path const& from, encryption::target const& sealed_with) -> expected<saved_plan>
{
    std::string const name = from.string();
    auto found = read_input(from, input_kind::file_or_pipe);
    if (!found) return infra::failure(make_error(messages::unreadable_plan_file, {name, found.error().message()}));
    // Any other file is not a plan, whether encryption is required or not.
    bool const may_be_plan = found->starts_with(any_magic) || encryption::is_sealed(*found);
    auto const text = may_be_plan ? sealed_with.open(std::move(*found), "the plan file " + name)
                                  : expected<std::string>(std::move(*found));
    if (!text) return text.error();
    auto const format = format_of(*text);
    if (format > format_version)
        return infra::failure(make_error(
            messages::newer_plan_format, {name, std::to_string(format.value_or(0)), std::to_string(format_version)}));
    std::size_t const header = magic.size() + 64;
    if (!format || text->size() <= header || (*text)[header] != '\n')
        return infra::failure(make_error(messages::not_a_plan_file, {name}));
    std::string_view const body = std::string_view(*text).substr(header + 1);
    if (checksum(body) != text->substr(magic.size(), 64))
        return infra::failure(make_error(messages::damaged_plan_file, {name}));
    auto made = read_document(
        body,
        [&](json& whole) {
            for (auto at = static_cast<std::size_t>(*format - 1); at < upgrades.size(); ++at) upgrades[at](whole);
            return decode(whole);
        },
        language::levels_of_values);
    if (!made) return infra::failure(make_error(messages::plan_not_understood, {name, made.error().what()}));
    made->format = *format;
    return std::move(*made);
}

}  // namespace iacctl::workspace
