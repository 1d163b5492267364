// SPDX-License-Identifier: BSL-1.0
#include "hcl_program.hpp"

#include "attribute_place.hpp"
#include "base/provider_address.hpp"
#include "consistency.hpp"
#include "imports.hpp"
#include "instance_scope.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/variables.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/validation/schema.hpp"
#include "language/validation/validate.hpp"
#include "language/values/convert.hpp"
#include "language/values/storable.hpp"
#include "language/values/stored_form.hpp"
#include "messages/program.hpp"
#include "messages/report.hpp"
#include "object_codec.hpp"

#include <strider/infra/plan/moves.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace iacctl::program {

namespace {

using infra::declaration_kind;
using language::reference_kind;

// Replaces the parts of `wanted` at some steps by those of `prior`, where both have them. As in Terraform, a final key
// in brackets means one element of a map, but the whole of a value that is not a map.
auto ignored(value const& prior, value const& desired, std::span<language::syntax::step const> steps) -> value;

// Returns a map whose element of a key, or its absence, is that of the prior map. A map that is null has no elements.
auto ignored_element(value const& prior, value const& desired, std::string const& key) -> value
{
    if (!desired.is_known() || !prior.is_known()) return desired;
    std::vector<language::value_entry> entries;
    if (!desired.is_null()) entries.assign(desired.entries().begin(), desired.entries().end());
    std::erase_if(entries, [&](auto const& e) { return e.key == key; });
    if (value const* const old = prior.is_null() ? nullptr : prior.find(key)) entries.push_back({key, *old});
    if (entries.empty() && desired.is_null()) return desired;
    return value::map(desired.get_type().element(), std::move(entries)).with_marks(desired.marks());
}

auto ignored(value const& prior, value const& desired, std::span<language::syntax::step const> steps) -> value
{
    using language::type_kind;
    if (steps.empty()) return prior;
    auto const& step = steps.front();
    auto const rest = steps.subspan(1);
    bool const by_number = step.key != nullptr && step.key->is(type_kind::number);
    bool const by_text = step.key != nullptr && !by_number;
    bool const is_map = desired.is(type_kind::map);
    if (by_text && rest.empty()) return is_map ? ignored_element(prior, desired, step.key->as_string()) : prior;
    if (!prior.has_data() || !desired.has_data()) return desired;
    if (by_number) {
        auto const index = step.key->as_number().as_int64();
        auto const size = std::min(desired.elements().size(), prior.elements().size());
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= size) return desired;
        auto const position = static_cast<std::size_t>(*index);
        std::vector<value> elements(desired.elements().begin(), desired.elements().end());
        elements[position] = ignored(prior.elements()[position], elements[position], rest);
        if (desired.is(type_kind::tuple)) return value::tuple(std::move(elements)).with_marks(desired.marks());
        if (!desired.is(type_kind::list)) return desired;
        return value::list(desired.get_type().element(), std::move(elements)).with_marks(desired.marks());
    }
    if (by_text != is_map || !(is_map || desired.is(type_kind::object))) return desired;
    std::string const key = by_text ? step.key->as_string() : std::string(step.name);
    value const* const old = prior.find(key);
    std::vector<language::value_entry> entries(desired.entries().begin(), desired.entries().end());
    auto const at = std::find_if(entries.begin(), entries.end(), [&](auto const& e) { return e.key == key; });
    if (old != nullptr && at != entries.end()) at->of = ignored(*old, at->of, rest);
    return (is_map ? value::map(desired.get_type().element(), std::move(entries)) : value::object(std::move(entries)))
        .with_marks(desired.marks());
}

// Values of any type may be whole objects, to which a newer schema has added attributes.
auto with_stored_forms(language::schema const& schema, value const& prior, value const& desired) -> value
{
    std::vector<language::value_entry> entries(desired.entries().begin(), desired.entries().end());
    bool found = false;
    for (language::value_entry& e : entries) {
        auto const* const attribute = schema.find(e.key);
        value const* const old = prior.find(e.key);
        if (attribute == nullptr || old == nullptr || !attribute->of.has_dynamic()) continue;
        e.of = language::in_stored_form(*old, e.of);
        found = true;
    }
    return found ? value::object(std::move(entries)).with_marks(desired.marks()) : desired;
}

// The names of the calls of a module, outermost first.
auto names_of(hcl_program::module const& m) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const* up = &m; !up->is_root(); up = up->caller) names.push_back(up->call->name);
    std::reverse(names.begin(), names.end());
    return names;
}

// Formats violations as a list in a message.
auto listed(std::vector<std::string> const& violations) -> std::string
{
    std::string text;
    for (std::string const& one : violations) text += (text.empty() ? "  " : "\n  ") + one;
    return text;
}

}  // namespace

auto instance_key_of(std::optional<value> const& written) -> infra::instance_key
{
    if (!written) return {};
    if (written->is(language::type_kind::string)) return infra::instance_key(written->as_string());
    if (written->is(language::type_kind::number))
        if (auto const index = written->as_number().as_int64()) return infra::instance_key(*index);
    return {};
}

auto traversal_address(language::expression const& traversal) -> infra::address
{
    auto const* const path = language::as_traversal(traversal);
    if (path == nullptr) return {};
    std::vector<std::string> names{std::string(path->root)};
    std::vector<infra::instance_key> keys(1);
    for (language::syntax::step const& step : path->steps) {
        if (step.key != nullptr) keys.back() = instance_key_of(*step.key);
        else {
            names.emplace_back(step.name);
            keys.emplace_back();
        }
    }
    std::vector<infra::module_step> modules;
    std::size_t i = 0;
    for (; i + 1 < names.size() && names[i] == "module"; i += 2) modules.push_back({names[i + 1], keys[i + 1]});
    bool const data = i < names.size() && names[i] == "data";
    if (data || (i + 3 == names.size() && names[i] == "resource")) ++i;
    bool const resource = i + 1 < names.size();
    return {std::move(modules), data ? infra::resource_mode::data : infra::resource_mode::managed,
        resource ? names[i] : std::string(), resource ? names[i + 1] : std::string(),
        resource ? keys[i + 1] : infra::instance_key()};
}

hcl_declarations::hcl_declarations(language::configuration configuration, std::map<std::string, value> given,
    std::string workspace, std::shared_ptr<providers::catalog const> known)
    : configuration_(std::move(configuration)),
      given_(std::move(given)),
      workspace_(std::move(workspace)),
      catalog_(std::move(known)),
      places_(1)
{
    modules_.push_back({&configuration_, nullptr, nullptr, {}, catalog_.get()});
    for (std::size_t i = 0; i < modules_.size(); ++i)
        for (auto const& [name, call] : modules_[i].of->modules)
            if (call.child)
                modules_.push_back({call.child.get(), &modules_[i], &call, modules_[i].prefix + "module." + name + ".",
                    catalog_.get()});
    std::size_t most = 0;
    for (module const& m : modules_) {
        configures_ = configures_ || !m.of->providers.empty();
        most += m.of->variables.size() + m.of->locals.size() + m.of->resources.size() + m.of->outputs.size();
    }
    declarations_.reserve(most);
    for (module const& m : modules_) declare(m);
    for (module const& m : modules_) declare_removed(m);
    for (std::size_t i = 0; i < declarations_.size(); ++i)
        numbers_.try_emplace(numbers_.end(), declarations_[i].name, i);  // mostly in order
    for (module const& m : modules_) declare_moves(m);
    for (module const& m : modules_) declare_imports(m);
}

hcl_program::hcl_program(language::configuration configuration, std::map<std::string, value> given,
    std::string workspace, std::shared_ptr<providers::catalog const> known, std::string plan_time)
    : all_(std::make_shared<hcl_declarations>(
          std::move(configuration), std::move(given), std::move(workspace), std::move(known))),
      context_{.plan_time = std::move(plan_time), .provided = all_->catalog_.get()}
{}

auto hcl_program::for_run(phase p, check_results& results) const -> hcl_program
{
    hcl_program made = *this;
    made.context_.applying = p == phase::apply;
    made.results_ = &results;
    return made;
}

auto hcl_program::with_deferral(std::set<std::string> deferred) && -> hcl_program
{
    unknown_repetition_ = language::unknown_values::allowed;
    deferred_modules_ = std::move(deferred);
    return std::move(*this);
}

void hcl_declarations::note_rules(std::string config, ruled_declaration::kind_type kind, std::size_t rules)
{
    if (rules != 0) ruled_.push_back({std::move(config), kind, rules});
}

namespace {

auto kind_of(language::resource_mode mode) -> declaration_kind
{
    switch (mode) {
    case language::resource_mode::managed:
    case language::resource_mode::data: break;
    case language::resource_mode::ephemeral:
    case language::resource_mode::list: return declaration_kind::ephemeral;
    case language::resource_mode::action: return declaration_kind::action;
    }
    return declaration_kind::resource;
}

}  // namespace

void hcl_declarations::declare(module const& m)
{
    auto const begin = [&](std::string const& name) -> declaration& {
        declaration& d = declarations_.emplace_back();
        d.name = m.prefix + name;
        d.in = &m;
        return d;
    };
    for (auto const& [name, v] : m.of->variables) {
        declaration& d = begin("var." + name);
        d.block = &v;
        if (!m.is_root())
            if (auto const given = m.call->argument(name)) add_references(d, *m.caller, given);
        add_references(d, v.validations);
        note_rules(d.name, ruled_declaration::kind_type::variable, v.validations.size());
    }
    for (auto const& [name, v] : m.of->locals) {
        declaration& d = begin("local." + name);
        d.block = &v;
        add_references(d, m, v.of);
    }
    declare_calls(m);
    module_path path;
    for (std::string const& name : names_of(m)) path.push_back({name, {}});
    for (auto const& [name, r] : m.of->resources) {
        declaration& d = begin(name);
        d.kind = kind_of(r.mode);
        d.block = &r;
        set_provider(d, m);
        d.address = infra::address(path, mode_of(r.mode), r.type, r.name, {});
        for (language::reference const& named : r.depends_on) add_reference(d, m, named, true);
        add_references(d, m, r.count);
        add_references(d, m, r.for_each);
        add_references(d, m, r.enabled);
        add_references(d, m, r.lifecycle.prevent_destroy);
        add_references(d, r.content);
        for (language::provisioner const& p : r.provisioners) {
            if (p.when == language::provisioner_time::destroy) continue;  // may only use self
            add_references(d, p.content);
            if (p.connection) add_references(d, *p.connection);
        }
        if (r.connection) add_references(d, *r.connection);
        for (language::expression const& trigger : r.lifecycle.replace_triggered_by) add_references(d, m, trigger);
        for (language::action_trigger_block const& t : r.lifecycle.action_triggers) add_references(d, m, t.condition);
        add_references(d, r.lifecycle.preconditions);
        add_references(d, r.lifecycle.postconditions);
        note_rules(d.name, ruled_declaration::kind_type::resource, r.lifecycle.rule_count());
    }
    declare_providers(m);
    for (auto const& [name, v] : m.of->outputs) {
        declaration& d = begin("output." + name);
        // An ephemeral output is neither planned nor stored. Only tests have one in the root module.
        if (m.is_root() && !v.ephemeral) d.kind = declaration_kind::output;
        d.block = &v;
        for (language::reference const& named : v.depends_on) add_reference(d, m, named, true);
        add_references(d, m, v.of);
        add_references(d, v.preconditions);
        note_rules(d.name, ruled_declaration::kind_type::output, v.preconditions.size());
    }
    declare_checks(m);
}

void hcl_declarations::declare_removed(module const& m)
{
    for (language::removed_block const& b : m.of->removed) {
        infra::address const from = traversal_address(b.from);
        module_path path;
        for (std::string const& name : names_of(m)) path.push_back({name, {}});
        path.insert(path.end(), from.module().begin(), from.module().end());
        infra::address const place(std::move(path), from.mode(), from.type(), from.name(), {});
        removals_.emplace_back(place, b.destroy ? infra::removal::destroy : infra::removal::forget);
        if (!b.destroy || b.provisioners.empty()) continue;
        language::resource& gone = removed_.emplace_back();
        gone.type = from.type();
        gone.name = from.name();
        gone.provisioners = b.provisioners;
        gone.connection = b.connection;
        gone.range = b.range;
        declaration d;
        d.kind = declaration_kind::resource;
        d.name = m.prefix + to_string(from);
        d.block = &gone;
        d.removed = true;
        d.in = &m;
        set_provider(d, m);
        d.address = place;
        declarations_.push_back(std::move(d));
    }
}

auto hcl_declarations::find_object(std::string_view name) const -> std::optional<std::size_t>
{
    auto const at = numbers_.find(name);
    if (at == numbers_.end()) return std::nullopt;
    declaration const& d = declarations_[at->second];
    bool const is_object = d.kind == declaration_kind::resource || d.kind == declaration_kind::module;
    return is_object && !d.removed ? std::optional(at->second) : std::nullopt;
}

void hcl_declarations::declare_moves(module const& m)
{
    auto const place_of = [](language::source_range const& range) {
        auto const at = language::excerpt_of(range);
        return at.file + ":" + std::to_string(at.line) + "," + std::to_string(at.column);
    };
    for (language::moved_block const& b : m.of->moved) {
        infra::move_statement s{names_of(m), traversal_address(b.from), traversal_address(b.to),
            language::excerpt_of(b.range), place_of(b.range), {}};
        bool const of_module = s.from.type().empty();
        std::string path = m.prefix;
        for (infra::module_step const& step : s.from.module()) path += "module." + step.name + ".";
        if (of_module) path.pop_back();
        else path += to_string(infra::address({}, s.from.mode(), s.from.type(), s.from.name(), {}));
        if (auto const at = find_object(path)) {
            // `count` or `for_each` decides if an instance is still declared.
            declaration const& d = declarations_[*at];
            bool const whole = !(of_module ? s.from.module().back().key : s.from.key());
            auto const blame = [&](auto const& block) {
                language::expression const by = whole ? language::expression()
                    : block.count                     ? block.count
                                                      : block.for_each;
                return by ? by.range() : block.range;
            };
            s.from_declared = place_of(of_module ? blame(*d.call()) : blame(*d.resource()));
        }
        moves_.push_back(std::move(s));
    }
}

auto hcl_program::contradictions() const -> infra::diagnostics
{
    infra::diagnostics found;
    for (module const& m : all_->modules_) check_imports(*m.of, config_generation::not_allowed, found);
    found.add(missing_passed_providers());
    for (auto const& [name, one] : all_->configuration_.required_providers)
        for (std::string const& alias : one.aliases)
            if (!all_->configuration_.providers.contains(alias))
                found.add(messages::make_error(messages::undefined_provider_configuration,
                    {shown_provider(language::provider_named(all_->configuration_, name)),
                        alias.substr(std::min(alias.size(), name.size() + 1))}));
    for (module const& m : all_->modules_)
        for (language::removed_block const& b : m.of->removed) {
            infra::address const from = traversal_address(b.from);
            bool const of_module = from.type().empty();
            std::string const what = m.prefix + (of_module ? to_string(from.module()) : to_string(from));
            auto const at = all_->find_object(what);
            if (!at) continue;
            declaration const& d = all_->declarations_[*at];
            found.add(
                language::error(of_module ? messages::removed_module_declared : messages::removed_resource_declared,
                    {what}, of_module ? d.call()->range : d.resource()->range));
        }
    return found;
}

auto hcl_program::removal_of(infra::address const& a) const -> std::optional<infra::removal>
{
    // Statements have no instance keys, so each step stands for all instances. One that forgets prevails.
    auto const same_name = [](infra::module_step const& step, infra::module_step const& other) {
        return step.name == other.name;
    };
    std::optional<infra::removal> found;
    for (auto const& [place, what] : all_->removals_) {
        bool const of_module = place.type().empty();
        auto const& path = place.module();
        bool const applies = a.module().size() >= path.size()
            && std::equal(path.begin(), path.end(), a.module().begin(), same_name)
            && (of_module
                || (a.module().size() == path.size() && a.mode() == place.mode() && a.type() == place.type()
                    && a.name() == place.name()));
        if (applies && found != infra::removal::forget) found = what;
    }
    return found;
}

void hcl_declarations::declare_calls(module const& m)
{
    for (auto const& [name, call] : m.of->modules) {
        if (!call.child) continue;
        declaration d;
        d.name = m.prefix + "module." + name;
        d.in = &m;
        d.kind = declaration_kind::module;
        d.block = &call;
        for (language::reference const& named : call.depends_on) add_reference(d, m, named, true);
        add_references(d, m, call.count);
        add_references(d, m, call.for_each);
        add_references(d, m, call.enabled);
        declarations_.push_back(std::move(d));
    }
}

auto hcl_declarations::called(module const& from, std::string_view name) const -> module const*
{
    for (module const& m : modules_)
        if (m.caller == &from && m.call->name == name) return &m;
    return nullptr;
}

void hcl_declarations::add_name(declaration& d, std::string name, language::reference const& r, bool explicit_only)
{
    infra::reference found;
    found.name = std::move(name);
    found.key = instance_key_of(r.key);
    found.explicit_only = explicit_only;
    places_.push_back(r.range);
    found.place = static_cast<std::uint32_t>(places_.size() - 1);
    d.references.push_back(std::move(found));
}

// A reference to one output depends on it alone; a reference to a whole module depends on everything in it.
void hcl_declarations::add_module_reference(
    declaration& d, module const& from, language::reference const& r, bool explicit_only)
{
    module const* const m = called(from, r.name);
    if (m == nullptr) return;
    language::reference without_key = r;
    without_key.key.reset();
    std::string const output(r.output());
    bool const one = m->of->outputs.find(output) != m->of->outputs.end();
    if (!one) add_name(d, m->name(), without_key, explicit_only);
    for (auto const& [name, v] : m->of->outputs)
        if (!one || name == output) add_name(d, m->prefix + "output." + name, without_key, explicit_only);
}

void hcl_declarations::add_reference(
    declaration& d, module const& from, language::reference const& r, bool explicit_only)
{
    switch (r.kind) {
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral:
    case reference_kind::list:
    case reference_kind::variable:
    case reference_kind::local: break;
    case reference_kind::module: return add_module_reference(d, from, r, explicit_only);
    default: return;
    }
    std::string name = from.prefix + r.address();
    // A validation of a variable refers to the variable itself.
    if (name == d.name && d.variable() != nullptr) return;
    add_name(d, std::move(name), r, explicit_only);
}

void hcl_declarations::add_references(declaration& d, module const& from, language::expression const& e)
{
    if (!e) return;
    infra::diagnostics ignored_here;  // reported by the validation
    for (language::reference const& r : language::references_of(e, ignored_here)) add_reference(d, from, r, false);
}

void hcl_declarations::add_references(declaration& d, language::body const& b)
{
    infra::diagnostics ignored_here;
    for (language::reference const& r : language::references_of(b, ignored_here)) add_reference(d, *d.in, r, false);
}

void hcl_declarations::add_references(declaration& d, std::vector<language::check_rule> const& rules)
{
    for (language::check_rule const& rule : rules) {
        add_references(d, *d.in, rule.condition);
        add_references(d, *d.in, rule.error_message);
    }
}

auto hcl_program::lifecycle_of(declaration const& d) const -> infra::lifecycle
{
    infra::lifecycle l;
    if (d.resource() == nullptr) return l;
    if (d.resource()->lifecycle.create_before_destroy_set)
        l.create_before_destroy = d.resource()->lifecycle.create_before_destroy;
    l.prevent_destroy = static_cast<bool>(d.resource()->lifecycle.prevent_destroy);
    l.destroy = d.resource()->lifecycle.destroy;
    return l;
}

auto hcl_program::describe(std::uint32_t place) const -> std::string
{
    // A number from a saved plan may be invalid.
    if (place >= all_->places_.size() || !all_->places_[place]) return {};
    language::source_range const& range = all_->places_[place];
    return range.file->name() + ":" + std::to_string(range.file->position(range.bytes.begin).line);
}

auto hcl_program::variable_in(
    declaration const& d, module_path const& path, scope_type const& scope, infra::diagnostics& found) const -> value
{
    value result;
    if (d.in->is_root()) {
        auto const at = all_->given_.find(d.variable()->name);
        if (at != all_->given_.end()) result = at->second;
    } else {
        module_path const outer(path.begin(), path.end() - 1);
        instance_scope in(*this, scope, *d.in->caller, outer);
        in.repeat_by(d.in->name(), path.back().key);
        result = language::argument_value(*d.in->call, *d.variable(), in, found);
    }
    instance_scope in(*this, scope, *d.in, path);
    in.set_own(d.variable()->name, result);
    if (!found.has_errors() && !scope.is_for_destroy()) check_variable(d, path, in, found);
    return result;
}

void hcl_program::check_variable(
    declaration const& d, module_path const& path, instance_scope const& in, infra::diagnostics& found) const
{
    auto const given = d.in->is_root() ? language::expression() : d.in->call->argument(d.variable()->name);
    auto const results = language::check_validations(*d.variable(), in, found, given.range());
    for (std::size_t i = 0; i < results.size(); ++i) note(d, object_name(d, path), i, results[i]);
}

auto hcl_program::output_in(
    declaration const& d, module_path const& path, scope_type const& scope, infra::diagnostics& found) const -> value
{
    instance_scope const in(*this, scope, *d.in, path);
    value result;
    auto const before = found.error_count();
    if (!scope.is_for_destroy())
        check_rules(d, d.output()->preconditions, 0, object_name(d, path), in, "precondition",
            messages::output_precondition_failed, found);
    if (found.error_count() == before) result = language::evaluate_output(*d.output(), in, found);
    if (!d.output()->ephemeral && result.has_deep(language::mark::ephemeral))
        language::report_ephemeral_output(*d.output(), found);
    if (!d.output()->sensitive && !d.output()->ephemeral && d.in->is_root()
        && result.has_deep(language::mark::sensitive))
        language::report_sensitive_output(*d.output(), found);
    return result;
}

auto hcl_program::destroy_problems(declaration const& d, scope_type const& scope) const -> infra::diagnostics
{
    infra::diagnostics found;
    for (module_path const& path : paths_of(*d.in, scope)) {
        if (d.variable() != nullptr) check_variable(d, path, instance_scope(*this, scope, *d.in, path), found);
        if (d.output() != nullptr && overridden(path) == nullptr) (void)output_in(d, path, scope, found);
    }
    return found;
}

auto hcl_program::overridden(module_path path) const -> value const*
{
    auto const& all = all_->configuration_.overridden_outputs;
    if (all.empty() || path.empty()) return nullptr;
    auto found = all.find(to_string(path));
    path.back().key = {};
    if (found == all.end()) found = all.find(to_string(path));
    return found == all.end() ? nullptr : &found->second;
}

auto hcl_program::value_in(
    declaration const& d, module_path const& path, scope_type const& scope, infra::diagnostics& found) const -> value
{
    if (d.call() != nullptr) return expand_call(d, path, scope, found);
    if (d.variable() != nullptr) return variable_in(d, path, scope, found);
    if (d.local() != nullptr)
        return language::evaluate(d.local()->of, instance_scope(*this, scope, *d.in, path), found);
    if (auto const* const instead = overridden(path)) {
        value const* const given = instead->find(d.output()->name);
        return (given == nullptr ? value() : *given).with_marks(d.output()->marks());
    }
    infra::diagnostics of_output;
    value const made = output_in(d, path, scope, of_output);
    bool const left_out = scope.is_for_destroy() && of_output.has_errors();
    if (!scope.is_for_destroy()) found.add(of_output);
    return (left_out ? value::unknown() : made).with_marks(d.output()->marks());
}

auto hcl_program::body_of(declaration const& d, instance_scope const& in, infra::diagnostics& found) const -> value
{
    language::schema const* const schema = schema_of(d);
    if (schema == nullptr) return {};
    value result = language::evaluate_body(d.resource()->content, *schema, in, found);
    if (d.kind != declaration_kind::ephemeral)
        language::refuse_ephemeral(d.resource()->content, *schema, result, found);
    return result;
}

auto hcl_program::evaluate(declaration const& d, infra::address const& instance, scope_type const& scope) const
    -> expected<value>
{
    infra::diagnostics found;
    value result;
    if (d.configures() != nullptr) {
        result = evaluate_configuration(d, scope, found);
    } else if (d.resource() != nullptr) {
        result = body_of(d, instance_scope(*this, scope, d, instance, nullptr), found);
    } else if (d.in->is_root() && d.call() == nullptr) {
        expand_rules(d, {{}});
        result = value_in(d, {}, scope, found);
    } else {
        std::vector<language::value_entry> all;
        auto const paths = paths_of(*d.in, scope);
        expand_rules(d, paths);
        for (module_path const& path : paths) all.push_back({to_string(path), value_in(d, path, scope, found)});
        result = value::object(std::move(all));
    }
    bool const kept = d.kind == declaration_kind::resource || d.kind == declaration_kind::output;
    if (auto const why = kept && !found.has_errors() ? language::why_not_storable(result) : std::nullopt) {
        found.add(language::error(messages::value_not_storable,
            {why->path().empty() ? "it" : std::string_view(why->path()), why->message()},
            d.resource() != nullptr ? d.resource()->range : d.output()->of.range()));
    }
    if (found.has_errors())
        return infra::failure(with_address(found, d.resource() != nullptr ? to_string(instance) : std::string()));
    return result;
}

auto hcl_program::identity_of(declaration const& d) const -> providers::type_schema const*
{
    auto* const provider = d.imports.empty() ? nullptr : catalog()->find(provider_address_in(d.provider));
    if (provider == nullptr) return nullptr;
    auto const schema = provider->schema();
    if (!schema) return nullptr;
    auto const found = (*schema)->identities.find(d.address.type());
    return found == (*schema)->identities.end() ? nullptr : &found->second;
}

auto hcl_program::schema_of(declaration const& d) const -> language::schema const*
{
    auto const* const found = catalog()->find_type(d.provider, d.address);
    return found == nullptr ? nullptr : &found->content;
}

auto hcl_program::encode(infra::address const& a, std::string const& provider, value const& v) const -> infra::object
{
    return encode_object(*catalog(), a, provider, v);
}

auto hcl_program::decode(infra::address const& a, infra::object const& o) const -> expected<value>
{
    // The object requires the settings of the instance of a provider that created it.
    if (o.provider.ends_with("\"]") && !all_->numbers_.contains(o.provider))
        if (auto const parsed = provider_configuration_name::parse(o.provider); parsed && !parsed->alias.empty())
            return infra::failure(
                messages::make_error(messages::provider_instance_removed, {to_string(a), o.provider}, to_string(a)));
    return decode_object(*catalog(), a, o);
}

auto hcl_program::encode_output(declaration const& d, value const& v) const -> infra::output_value
{
    return program::encode_output(v, is_sensitive(d));
}

auto hcl_program::decode_output(infra::output_value const& o) const -> expected<value>
{
    return program::decode_output(o);
}

auto hcl_program::is_sensitive(declaration const& d) const noexcept -> bool
{
    return d.output() != nullptr && d.in->is_root() && d.output()->sensitive;
}

auto hcl_program::check_object(infra::address const& a, std::string const& provider, value const& read) const
    -> infra::diagnostics
{
    auto const* const schema = catalog()->find_type(provider, a);
    if (schema == nullptr) return {};
    auto const violations = schema_violations(schema->content, read);
    if (violations.empty()) return {};
    return {messages::make_error(messages::invalid_provider_object, {listed(violations)}, to_string(a))};
}

auto hcl_program::check_plan(declaration const& d, infra::address const& a, std::optional<value> const& prior,
    value const& requested, value const& planned) const -> infra::diagnostics
{
    auto const* const schema = schema_of(d);
    if (schema == nullptr) return {};
    auto const violations = plan_violations(*schema, prior, requested, planned);
    if (violations.empty()) return {};
    infra::diagnostics reported{
        messages::make_error(messages::invalid_provider_plan, {d.provider, listed(violations)}, to_string(a))};
    locate(d, a, reported);
    return reported;
}

auto hcl_program::check_outcome(declaration const& d, infra::address const& a, infra::plan_outcome outcome,
    value const& planned, value const& actual) const -> infra::diagnostics
{
    auto const* const schema = schema_of(d);
    if (schema == nullptr) return {};
    bool const again = outcome == infra::plan_outcome::final_plan;
    auto const violations = result_violations(*schema, planned, actual);
    if (violations.empty()) return {};
    auto const& what = again ? messages::inconsistent_final_plan : messages::inconsistent_result_after_apply;
    infra::diagnostics reported{messages::make_error(what, {d.provider, listed(violations)}, to_string(a))};
    locate(d, a, reported);
    return reported;
}

auto hcl_program::prevented(declaration const& d, infra::address const& a, scope_type const& scope) const
    -> infra::diagnostics
{
    language::expression const& rule = d.resource()->lifecycle.prevent_destroy;
    infra::diagnostics found;
    instance_scope const in(*this, scope, *d.in, module_path(a.module().begin(), a.module().end()));
    value given = language::evaluate(rule, in, found);
    // A destroy evaluates no declarations, so the rule is evaluated without the values of objects.
    if (given.is_unknown() && !found.has_errors()) given = evaluate_statically(*d.in, rule, found);
    if (!found.has_errors()) {
        auto const refuse = [&](messages::message<1> const& why) {
            found.add(language::error(why, {to_string(a)}, rule.range()));
        };
        auto const made = language::convert(given.unmarked_deep(), language::type::boolean());
        if (given.has_deep(language::mark::sensitive)) refuse(messages::prevent_destroy_sensitive);
        else if (given.has_deep(language::mark::ephemeral)) refuse(messages::prevent_destroy_ephemeral);
        else if (!made || made->is_null()) refuse(messages::prevent_destroy_wrong_type);
        else if (made->is_unknown()) refuse(messages::prevent_destroy_unknown);
        else if (made->as_bool()) {
            return language::error(messages::destroy_prevented, {to_string(a)}, d.resource()->range);
        }
    }
    return with_address(found, to_string(a));
}

auto hcl_program::evaluate_statically(module const& in, language::expression const& e, infra::diagnostics& found) const
    -> value
{
    std::map<std::string, value, std::less<>> known;
    if (in.is_root()) known.insert(all_->given_.begin(), all_->given_.end());
    else
        for (auto const& [name, declared] : in.of->variables) {
            auto const given = in.call->argument(name);
            auto made = given ? evaluate_statically(*in.caller, given, found)
                              : declared.default_value.value_or(value::unknown());
            known.emplace(name, made.with_marks(declared.marks()));
        }
    language::module_scope const scope(*in.of, &known, {}, context_);
    return language::evaluate(e, scope, found);
}

auto hcl_program::settings_of(declaration const& d) const -> language::schema const*
{
    auto* const source = catalog()->find(provider_address_in(d.provider));
    if (source == nullptr) return nullptr;
    auto const schema = source->schema();
    return schema ? &(*schema)->settings : nullptr;
}

void hcl_program::locate(declaration const& d, infra::address const& instance, infra::diagnostics& problems) const
{
    problems.update([&](infra::diagnostic& p) {
        if (p.address.empty() && d.resource() != nullptr) p.address = to_string(instance);
        if (p.source || (d.resource() == nullptr && d.configures() == nullptr)) return;
        language::schema const* const known = d.resource() != nullptr ? schema_of(d) : settings_of(d);
        auto const& [content, range] = d.resource() != nullptr
            ? std::tie(d.resource()->content, d.resource()->range)
            : std::tie(d.configures()->content, d.configures()->range);
        p.source = place_of_attribute(p.attribute, content, known != nullptr ? *known : language::schema(), range);
    });
}

auto hcl_program::ignore_changes(declaration const& d, value const& prior, value const& desired) const -> value
{
    language::lifecycle const& l = d.resource()->lifecycle;
    language::schema const* const schema = schema_of(d);
    value result = schema == nullptr ? desired : with_stored_forms(*schema, prior, desired);
    if (l.ignore_all_changes) {
        std::vector<language::value_entry> entries(result.entries().begin(), result.entries().end());
        for (language::value_entry& e : entries) {
            auto const* const attribute = schema == nullptr ? nullptr : schema->find(e.key);
            value const* const old = prior.find(e.key);
            if (attribute != nullptr && (attribute->optional || attribute->required) && old != nullptr) e.of = *old;
        }
        return value::object(std::move(entries));
    }
    for (language::expression const& e : l.ignore_changes) {
        auto const* const path = language::as_traversal(e);
        if (path == nullptr) continue;
        std::vector<language::syntax::step> steps;
        steps.push_back({path->root, nullptr, path->root_range()});
        steps.insert(steps.end(), path->steps.begin(), path->steps.end());
        result = ignored(prior, result, steps);
    }
    return result;
}

auto hcl_program::in_stored_form(value const& stored, value const& v) const -> value
{
    return language::in_stored_form(stored, v);
}

auto hcl_program::repetition_of(declaration const& d) const noexcept -> infra::repetition_kind
{
    // A removed resource has no instances from which others could have been moved.
    if (d.removed) return infra::repetition_kind::for_each;
    auto const kind = [](auto const& block) {
        return block.count   ? infra::repetition_kind::count
            : block.for_each ? infra::repetition_kind::for_each
            : block.enabled  ? infra::repetition_kind::optional
                             : infra::repetition_kind::single;
    };
    if (d.call() != nullptr) return kind(*d.call());
    return d.resource() != nullptr ? kind(*d.resource()) : infra::repetition_kind::single;
}

auto hcl_program::has_conditions(declaration const& d) const noexcept -> bool
{
    return d.resource() != nullptr && d.resource()->lifecycle.rule_count() != 0;
}

void hcl_program::check_rules(declaration const& d, std::vector<language::check_rule> const& rules, std::size_t first,
    std::string const& object, instance_scope const& in, std::string const& kind, messages::message<1> const& failed,
    infra::diagnostics& found) const
{
    for (std::size_t i = 0; i < rules.size(); ++i) {
        auto const result = language::evaluate_rule(rules[i], kind, in, found);
        note(d, object, first + i, result);
        if (!result.decided || result.holds) continue;  // an unknown one is evaluated later
        auto reported = language::error(failed, {result.message}, rules[i].condition.range());
        reported.source.notes = language::value_notes(rules[i].condition, in);
        found.add(std::move(reported));
    }
}

auto hcl_program::check(declaration const& d, infra::address const& instance, infra::condition_time when,
    value const& self, scope_type const& scope) const -> infra::diagnostics
{
    bool const before = when == infra::condition_time::before;
    infra::diagnostics found;
    instance_scope const in(*this, scope, d, instance, before ? nullptr : &self);
    auto const& rules = before ? d.resource()->lifecycle.preconditions : d.resource()->lifecycle.postconditions;
    check_rules(d, rules, before ? 0 : d.resource()->lifecycle.preconditions.size(), to_string(instance), in,
        before ? "precondition" : "postcondition",
        before ? messages::resource_precondition_failed : messages::resource_postcondition_failed, found);
    return found;
}

}  // namespace iacctl::program
