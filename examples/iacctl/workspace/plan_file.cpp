// SPDX-License-Identifier: BSL-1.0
#include "plan_file.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
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

#include <nlohmann/json.hpp>

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

using json = nlohmann::json;
using change = infra::change<language::value>;
using language::decode_value;
using language::encode_value;
using language::malformed;
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
    auto const& name = text.get_ref<std::string const&>();
    auto const found = std::ranges::find(all, name, &std::pair<E, std::string_view>::second);
    if (found == all.end()) throw malformed("\"" + name + "\" is not a known name");
    return found->first;
}

auto read_reason(json const& text) -> infra::action_reason
{
    auto const& name = text.get_ref<std::string const&>();
    for (std::size_t i = 0; i < infra::action_reasons; ++i)
        if (auto const reason = static_cast<infra::action_reason>(i); to_string(reason) == name) return reason;
    throw malformed("\"" + name + "\" is not a known reason");
}

// Decodes an unsigned number.
template <class N>
auto read_count(json const& number) -> N
{
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > std::numeric_limits<N>::max())
        throw malformed("a number is out of range");
    return number.get<N>();
}

auto optional_value(std::optional<language::value> const& v) -> json
{
    return v ? encode_value(*v) : json();
}

auto optional_value(json const& v) -> std::optional<language::value>
{
    return v.is_null() ? std::nullopt : std::optional(decode_value(v));
}

auto number_of(std::size_t declaration) -> json
{
    return declaration == infra::no_declaration ? json() : json(declaration);
}

auto declaration_of(json const& number) -> std::size_t
{
    return number.is_null() ? infra::no_declaration : read_count<std::size_t>(number);
}

auto read_address(json const& text) -> infra::address
{
    auto parsed = infra::parse_address(text.get<std::string>());
    if (!parsed) throw malformed("an address cannot be read: " + parsed.error().message());
    return *parsed;
}

// Sets of dependencies, each stored once; the rest of the plan refers to them.
class kept_sets {
public:
    // A list of names, or the key of a stored set.
    auto reference(infra::dependency_set const& set) -> json
    {
        keep(set);
        std::string text;
        state::append_dependencies(text, set);
        return json::parse(text);
    }
    auto entry(infra::journal_entry const& e) -> json
    {
        if (e.result()) keep(e.result()->dependencies);
        return state::text_of(e);
    }
    [[nodiscard]] auto documents() const -> json const& { return documents_; }

private:
    void keep(infra::dependency_set const& set)
    {
        sets_.add(
            set, [&](std::string const& key, std::string const& document) { documents_.push_back({key, document}); });
    }

    state::dependency_catalog sets_;
    json documents_ = json::array();
};

auto read_sets(json const& documents) -> state::dependency_catalog
{
    state::dependency_catalog sets;
    for (json const& d : documents)
        if (!sets.read(d.at(0).get<std::string>(), d.at(1).get<std::string>()))
            throw malformed("a set of dependencies cannot be read");
    return sets;
}

auto read_set(json const& reference, state::dependency_catalog const& sets) -> infra::dependency_set
{
    if (!reference.is_string()) return reference.get<std::vector<std::string>>();
    infra::dependency_set const* const set = sets.find(reference.get<std::string>());
    if (set == nullptr) throw malformed("a set of dependencies is missing");
    return *set;
}

auto read_entry(json const& text, state::dependency_catalog const& sets) -> infra::journal_entry
{
    auto entry = state::read_entry(text.get<std::string>(), sets);
    if (!entry) throw malformed("an entry cannot be read");
    return std::move(*entry);
}

// Encodes state as the entries that result in it.
auto encode(infra::snapshot const& s, kept_sets& sets) -> json
{
    using infra::journal_entry;
    json entries = json::array();
    for (auto const& [target, record] : s.resources) {
        if (record.current) entries.push_back(sets.entry(journal_entry::record(target, {}, *record.current)));
        for (auto const& [key, o] : record.deposed)
            entries.push_back(sets.entry(journal_entry::record(target, key, o)));
    }
    for (auto const& [name, value] : s.outputs) entries.push_back(sets.entry(journal_entry::output(name, value)));
    if (!s.checks.empty()) entries.push_back(sets.entry(journal_entry::checks(s.checks)));
    for (auto const& [_, operation] : s.pending) entries.push_back(sets.entry(journal_entry::begin(operation)));
    return {{"lineage", s.lineage}, {"serial", s.serial}, {"entries", std::move(entries)}};
}

auto decode_snapshot(json const& j, state::dependency_catalog const& sets) -> infra::snapshot
{
    infra::snapshot s;
    for (json const& e : j.at("entries"))
        if (!infra::replay(s, read_entry(e, sets))) throw malformed("its state cannot be read");
    j.at("lineage").get_to(s.lineage);
    s.serial = read_count<std::uint64_t>(j.at("serial"));
    return s;
}

auto encode(std::vector<infra::attribute_path> const& paths) -> json
{
    json all = json::array();
    for (infra::attribute_path const& path : paths) {
        json& steps = all.emplace_back(json::array());
        for (infra::attribute_step const& step : path)
            std::visit([&](auto const& item) { steps.push_back(item); }, step);
    }
    return all;
}

auto decode_paths(json const& all) -> std::vector<infra::attribute_path>
{
    std::vector<infra::attribute_path> paths;
    for (json const& steps : all) {
        infra::attribute_path& path = paths.emplace_back();
        for (json const& step : steps) {
            if (step.is_number_integer()) path.emplace_back(step.get<std::int64_t>());
            else path.emplace_back(step.get<std::string>());
        }
    }
    return paths;
}

auto encode(change const& c, kept_sets& sets) -> json
{
    json j = {{"address", to_string(c.target)}, {"deposed_key", c.deposed_key}, {"of_deposed", c.of_deposed},
        {"action", name_of(c.what, action_names)}, {"reason", to_string(c.reason)},
        {"before", optional_value(c.before)}, {"after", optional_value(c.after)},
        {"replace_paths", encode(c.replace_paths)}, {"declaration", number_of(c.declaration)}, {"provider", c.provider},
        {"dependencies", sets.reference(c.dependencies)},
        {"stored_dependencies", sets.reference(c.stored_dependencies)}, {"cbd", c.create_before_destroy},
        {"stored_cbd", c.stored_create_before_destroy}, {"has_conditions", c.has_conditions}};
    if (c.previous) j["previous"] = to_string(*c.previous);
    if (c.import_id) j["import_id"] = *c.import_id;
    if (!c.import_identity.empty()) j["import_identity"] = c.import_identity.text();
    if (c.keep) j["keep"] = true;
    if (!c.private_data.empty()) j["private_data"] = c.private_data.text();
    if (!c.planned_data.empty()) j["planned_data"] = c.planned_data.text();
    return j;
}

auto decode_change(json const& j, state::dependency_catalog const& sets) -> change
{
    change c;
    c.target = read_address(j.at("address"));
    c.config = to_string(c.target.config());
    j.at("deposed_key").get_to(c.deposed_key);
    j.at("of_deposed").get_to(c.of_deposed);
    c.what = read_name(j.at("action"), action_names);
    c.reason = read_reason(j.at("reason"));
    c.before = optional_value(j.at("before"));
    c.after = optional_value(j.at("after"));
    c.replace_paths = decode_paths(j.at("replace_paths"));
    if (j.contains("previous")) c.previous = read_address(j.at("previous"));
    if (j.contains("import_id")) c.import_id = j.at("import_id").get<std::string>();
    if (j.contains("import_identity")) c.import_identity = infra::document(j.at("import_identity").get<std::string>());
    if (j.contains("private_data")) c.private_data = infra::document(j.at("private_data").get<std::string>());
    if (j.contains("planned_data")) c.planned_data = infra::document(j.at("planned_data").get<std::string>());
    c.declaration = declaration_of(j.at("declaration"));
    j.at("provider").get_to(c.provider);
    c.dependencies = read_set(j.at("dependencies"), sets);
    c.stored_dependencies = read_set(j.at("stored_dependencies"), sets);
    j.at("cbd").get_to(c.create_before_destroy);
    j.at("stored_cbd").get_to(c.stored_create_before_destroy);
    j.at("has_conditions").get_to(c.has_conditions);
    c.keep = j.value("keep", false);
    return c;
}

// The address is written without its unknown keys, so that it can be parsed. The keys are counted from the outermost
// module.
auto encode(infra::deferred_change<language::value> const& dc, kept_sets& sets) -> json
{
    change known = dc.planned;
    auto modules = known.target.module();
    json unknown = json::array();
    for (std::size_t i = 0; i != modules.size(); ++i)
        if (modules[i].key.is_unknown()) {
            unknown.push_back(i);
            modules[i].key = {};
        }
    bool const own = known.target.key().is_unknown();
    if (own) unknown.push_back(modules.size());
    auto key = own ? infra::instance_key() : known.target.key();
    known.target = infra::address(
        std::move(modules), known.target.mode(), known.target.type(), known.target.name(), std::move(key));
    json j = encode(known, sets);
    j["unknown_keys"] = std::move(unknown);
    j["deferral"] = to_string(dc.reason);
    return j;
}

auto decode_deferred(json const& j, state::dependency_catalog const& sets) -> infra::deferred_change<language::value>
{
    infra::deferred_change<language::value> one;
    one.planned = decode_change(j, sets);
    auto modules = one.planned.target.module();
    auto key = one.planned.target.key();
    for (json const& number : j.at("unknown_keys")) {
        auto const at = read_count<std::size_t>(number);
        if (at > modules.size()) throw malformed("a number is out of range");
        (at == modules.size() ? key : modules[at].key) = infra::instance_key::unknown();
    }
    auto const& target = one.planned.target;
    one.planned.target =
        infra::address(std::move(modules), target.mode(), target.type(), target.name(), std::move(key));
    auto const& name = j.at("deferral").get_ref<std::string const&>();
    for (std::size_t i = 0; i < infra::deferral_reasons; ++i)
        if (one.reason = static_cast<infra::deferral_reason>(i); to_string(one.reason) == name) return one;
    throw malformed("\"" + name + "\" is not a known reason");
}

auto encode(infra::invocation<language::value> const& i) -> json
{
    json j = {{"address", to_string(i.target)}, {"declaration", i.declaration}, {"provider", i.provider},
        {"config", encode_value(i.config)}, {"event", name_of(i.event, event_names)}};
    if (!i.caller.type().empty()) j["caller"] = to_string(i.caller);
    if (i.conditional) j["conditional"] = true;
    if (i.event != infra::trigger_event::invoke)
        j.update({{"change", i.change}, {"trigger", i.trigger}, {"position", i.position},
            {"on_failure", name_of(i.on_failure, effect_names)}});
    return j;
}

auto decode_invocation(json const& j) -> infra::invocation<language::value>
{
    infra::invocation<language::value> one;
    one.target = read_address(j.at("address"));
    one.declaration = read_count<std::size_t>(j.at("declaration"));
    j.at("provider").get_to(one.provider);
    one.config = decode_value(j.at("config"));
    one.event = read_name(j.at("event"), event_names);
    if (auto const caller = j.find("caller"); caller != j.end()) one.caller = read_address(*caller);
    one.conditional = j.value("conditional", false);
    if (one.event == infra::trigger_event::invoke) return one;
    one.change = read_count<std::size_t>(j.at("change"));
    one.trigger = read_count<std::size_t>(j.at("trigger"));
    one.position = read_count<std::size_t>(j.at("position"));
    one.on_failure = read_name(j.at("on_failure"), effect_names);
    return one;
}

// Encodes the graph that an apply follows. Vertices are already in topological order.
auto encode(strider::dag<infra::node> const& g) -> json
{
    json vertices = json::array();
    json edges = json::array();
    for (auto const v : g.vertices()) {
        infra::node const& n = g[v];
        vertices.push_back({name_of(n.role, role_names), n.create_before_destroy, n.index});
        for (strider::edge const& e : g.dependency_edges(v))
            edges.push_back(
                {e.dependent.index(), e.dependency.index(), name_of(e.origin.made_by(), rule_names), e.origin.place()});
    }
    return {{"vertices", std::move(vertices)}, {"edges", std::move(edges)}};
}

auto decode_graph(json const& j) -> strider::dag<infra::node>
{
    strider::digraph<infra::node> g;
    std::vector<strider::draft_vertex_id> ids;
    for (json const& v : j.at("vertices")) {
        infra::node n;
        n.role = read_name(v.at(0), role_names);
        n.create_before_destroy = v.at(1).get<bool>();
        n.index = read_count<std::uint32_t>(v.at(2));
        ids.push_back(g.add_vertex(n));
    }
    auto const vertex = [&](json const& number) {
        auto const index = read_count<std::size_t>(number);
        if (index >= ids.size()) throw malformed("an edge has no vertex");
        return ids[index];
    };
    for (json const& e : j.at("edges")) {
        auto const dependent = vertex(e.at(0));
        auto const dependency = vertex(e.at(1));
        if (dependent == dependency) throw malformed("its graph has a cycle");
        g.add_edge(dependent, depends_on(dependency),
            edge_origin(read_name(e.at(2), rule_names), read_count<std::uint32_t>(e.at(3))));
    }
    auto frozen = strider::freeze(std::move(g));
    if (!frozen) throw malformed("its graph has a cycle");
    return std::move(*frozen);
}

auto encode(saved_plan const& saved) -> json
{
    json variables = json::object();
    // Ephemeral values are valid for one run only, so they must be set again to apply the plan.
    for (auto const& [name, v] : saved.variables)
        if (!v.is_ephemeral()) variables[name] = encode_value(v);
    kept_sets sets;
    json prior = encode(saved.prior, sets);
    json refreshed = json::array();
    for (auto const& e : saved.what.refreshed) refreshed.push_back(sets.entry(e));
    auto const all = [&sets](auto const& changes) {
        json encoded = json::array();
        for (change const& c : changes) encoded.push_back(encode(c, sets));
        return encoded;
    };
    json outputs = json::array();
    for (auto const& o : saved.what.outputs)
        outputs.push_back(
            {{"name", o.name}, {"declaration", number_of(o.declaration)}, {"action", name_of(o.what, action_names)},
                {"before", optional_value(o.before)}, {"after", optional_value(o.after)}, {"sensitive", o.sensitive}});
    json changes = all(saved.what.changes);
    json invocations = json::array();
    for (auto const& one : saved.what.invocations) invocations.push_back(encode(one));
    json drift = all(saved.what.drift);
    json deferred = json::array();
    for (auto const& one : saved.what.deferred) deferred.push_back(encode(one, sets));
    json generated = json::object();
    for (auto const& [address, text] : saved.generated) generated[to_string(address)] = text;
    json parts;
    if (saved.parts) parts = {{"written", saved.parts->written}, {"read", saved.parts->read}};
    return {{"parts", std::move(parts)}, {"sets", sets.documents()}, {"files", saved.files},
        {"generated", std::move(generated)}, {"variables", std::move(variables)},
        {"ephemeral", saved.ephemeral.value_or(std::set<std::string, std::less<>>())}, {"workspace", saved.workspace},
        {"created", saved.created}, {"prior", std::move(prior)}, {"mode", name_of(saved.what.mode, mode_names)},
        {"lineage", saved.what.lineage}, {"serial", saved.what.serial}, {"refreshed", std::move(refreshed)},
        {"changes", std::move(changes)}, {"drift", std::move(drift)}, {"deferred", std::move(deferred)},
        {"outputs", std::move(outputs)}, {"invocations", std::move(invocations)}, {"providers", saved.what.providers},
        {"graph", encode(saved.what.graph)}, {"targeted", saved.what.targeted}, {"excluding", saved.what.excluding},
        {"checks", saved.checks.text()}, {"errored", saved.errored}};
}

auto decode(json const& j) -> saved_plan
{
    saved_plan s;
    j.at("files").get_to(s.files);
    for (auto const& [name, v] : j.at("variables").items()) s.variables.emplace(name, decode_value(v));
    if (auto const names = j.find("ephemeral"); names != j.end()) names->get_to(s.ephemeral.emplace());
    j.at("workspace").get_to(s.workspace);
    j.at("created").get_to(s.created);
    state::dependency_catalog const sets = read_sets(j.at("sets"));
    s.prior = decode_snapshot(j.at("prior"), sets);
    plan& p = s.what;
    p.mode = read_name(j.at("mode"), mode_names);
    j.at("lineage").get_to(p.lineage);
    p.serial = read_count<std::uint64_t>(j.at("serial"));
    for (json const& e : j.at("refreshed")) p.refreshed.push_back(read_entry(e, sets));
    for (json const& c : j.at("changes")) p.changes.push_back(decode_change(c, sets));
    for (json const& c : j.at("drift")) p.drift.push_back(decode_change(c, sets));
    for (json const& o : j.at("outputs")) {
        infra::output_change<language::value> c;
        o.at("name").get_to(c.name);
        c.declaration = declaration_of(o.at("declaration"));
        c.what = read_name(o.at("action"), action_names);
        c.before = optional_value(o.at("before"));
        c.after = optional_value(o.at("after"));
        o.at("sensitive").get_to(c.sensitive);
        p.outputs.push_back(std::move(c));
    }
    if (auto const all = j.find("invocations"); all != j.end())  // older plans have none
        for (json const& one : *all) p.invocations.push_back(decode_invocation(one));
    if (auto const all = j.find("deferred"); all != j.end())
        for (json const& one : *all) p.deferred.push_back(decode_deferred(one, sets));
    j.at("providers").get_to(p.providers);
    p.graph = decode_graph(j.at("graph"));
    j.at("targeted").get_to(p.targeted);
    j.at("excluding").get_to(p.excluding);
    s.checks = infra::document(j.at("checks").get<std::string>());
    j.at("errored").get_to(s.errored);
    if (auto const all = j.find("generated"); all != j.end())  // older plans have none
        for (auto const& [address, text] : all->items()) s.generated[read_address(address)] = text.get<std::string>();
    // Plans of states with only a serial number, and older plans, have no parts.
    if (auto const parts = j.find("parts"); parts != j.end() && !parts->is_null()) {
        s.parts.emplace();
        parts->at("written").get_to(s.parts->written);
        parts->at("read").get_to(s.parts->read);
    }
    return s;
}

// In format 1, state is a text in Terraform's format, each dependency is a name, and plans are always complete.
void upgrade_from_format_1(json& j)
{
    auto const prior = state::from_v4(j.at("prior").get_ref<std::string const&>());
    if (!prior) throw malformed("its state cannot be read");
    kept_sets sets;
    j["prior"] = encode(*prior, sets);
    j["sets"] = sets.documents();
    // The role of joins is now before that of the root.
    constexpr std::size_t last = 8;
    for (json& v : j.at("graph").at("vertices"))
        if (read_count<std::size_t>(v.at(0)) == last) v.at(0) = last + 1;
}

// The first plans of format 2 are complete, but lack this member.
void upgrade_from_format_2(json& j)
{
    if (!j.contains("excluding")) j["excluding"] = false;
}

// The results of checks have another form in format 3. They are not needed, because an apply evaluates all checks.
void upgrade_from_format_3(json& j)
{
    j["checks"] = "";
}

// Format 4 has numbers in place of the names of format 5.
void upgrade_from_format_4(json& j)
{
    auto const replace = [](json& number, auto const& all) {
        auto const index = read_count<std::size_t>(number);
        if (index >= all.size()) throw malformed("a number is out of range");
        number = all[index].second;
    };
    replace(j.at("mode"), mode_names);
    for (char const* list : {"changes", "drift"}) {
        for (json& c : j.at(list)) {
            replace(c.at("action"), action_names);
            auto const reason = read_count<std::size_t>(c.at("reason"));
            if (reason >= infra::action_reasons) throw malformed("a number is out of range");
            c["reason"] = to_string(static_cast<infra::action_reason>(reason));
        }
    }
    for (json& o : j.at("outputs")) replace(o.at("action"), action_names);
    for (json& v : j.at("graph").at("vertices")) {
        // Format 4 has an unused role between those of destroyers and of modules.
        constexpr std::size_t gone = 4;
        auto const role = read_count<std::size_t>(v.at(0));
        if (role == gone) throw malformed("a number is out of range");
        v.at(0) = role > gone ? role - 1 : role;
        replace(v.at(0), role_names);
    }
    for (json& e : j.at("graph").at("edges")) replace(e.at(2), rule_names);
}

// Format 5 has the name of an attribute in place of the path of format 6.
void upgrade_from_format_5(json& j)
{
    for (char const* list : {"changes", "drift"})
        for (json& c : j.at(list))
            for (json& path : c.at("replace_paths")) path = json::array({path.get<std::string>()});
}

// Plans of format 6 are complete.
void upgrade_from_format_6(json& j)
{
    j["errored"] = false;
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
    std::string const text = encode(saved).dump();
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
    auto const not_understood = [&](std::string_view why) {
        return infra::failure(make_error(messages::plan_not_understood, {name, why}));
    };
    try {
        json whole = json::parse(body);
        for (auto at = static_cast<std::size_t>(*format - 1); at < upgrades.size(); ++at) upgrades[at](whole);
        saved_plan made = decode(whole);
        made.format = *format;
        return made;
    } catch (malformed const& e) {
        return not_understood(e.what());
    } catch (json::exception const&) {
        return not_understood("its JSON does not have the expected structure");
    }
}

}  // namespace iacctl::workspace
