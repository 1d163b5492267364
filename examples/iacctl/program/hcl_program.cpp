// SPDX-License-Identifier: BSL-1.0
#include "hcl_program.hpp"

#include "diagnostics.hpp"
#include "instance_scope.hpp"
#include "language/evaluate.hpp"
#include "language/repetition.hpp"
#include "language/schema.hpp"
#include "language/variables.hpp"
#include "object_codec.hpp"
#include "providers/local_exec.hpp"
#include "providers/provider_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace iacctl::program {

namespace {

using infra::declaration_kind;
using language::reference_kind;

auto key_of(std::optional<value> const& written) -> infra::instance_key
{
    if (!written) return {};
    if (written->is(language::type_kind::string)) return infra::instance_key(written->as_string());
    if (written->is(language::type_kind::number))
        if (auto const index = written->as_number().as_int64()) return infra::instance_key(*index);
    return {};
}

// The steps behind an object, as one text: names and indices with dots between.
auto path_text(std::span<language::syntax::step const> steps) -> std::string
{
    std::string text;
    for (auto const& step : steps) {
        if (!text.empty()) text += '.';
        if (step.key == nullptr) text += step.name;
        else if (step.key->is(language::type_kind::string)) text += step.key->as_string();
        else text += step.key->as_number().text();
    }
    return text;
}

auto at_path(value of, std::string_view path) -> value
{
    while (!path.empty()) {
        auto const dot = path.find('.');
        std::string_view const step = path.substr(0, dot);
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
        if (value const* const entry = of.find(step)) of = value(*entry);
        else {
            std::size_t index = 0;
            for (char const c : step)
                index = c >= '0' && c <= '9' ? index * 10 + static_cast<std::size_t>(c - '0') : of.size();
            if (index >= of.elements().size()) return {};
            of = value(of.elements()[index]);
        }
    }
    return of;
}

// `wanted` with what the steps name taken from `prior`.
auto ignored(value const& prior, value const& wanted, std::span<language::syntax::step const> steps) -> value
{
    if (steps.empty()) return prior;
    auto const& step = steps.front();
    std::string const key = step.key == nullptr     ? std::string(step.name)
        : step.key->is(language::type_kind::string) ? step.key->as_string()
                                                    : std::string();
    if (wanted.is(language::type_kind::object) || wanted.is(language::type_kind::map)) {
        value const* const old = prior.find(key);
        std::vector<language::value_entry> entries(wanted.entries().begin(), wanted.entries().end());
        auto const at = std::find_if(entries.begin(), entries.end(), [&](auto const& e) { return e.key == key; });
        if (old == nullptr) {
            if (at != entries.end() && wanted.is(language::type_kind::map)) entries.erase(at);
        } else if (at != entries.end()) at->of = ignored(*old, at->of, steps.subspan(1));
        else if (steps.size() == 1) entries.push_back({key, *old});
        return wanted.is(language::type_kind::map)
            ? value::map(wanted.get_type().element(), std::move(entries)).with_marks(wanted.marks())
            : value::object(std::move(entries)).with_marks(wanted.marks());
    }
    auto const index = step.key != nullptr && step.key->is(language::type_kind::number)
        ? step.key->as_number().as_int64()
        : std::nullopt;
    auto const position = index && *index >= 0 ? static_cast<std::size_t>(*index) : wanted.elements().size();
    if (position >= wanted.elements().size() || position >= prior.elements().size()) return wanted;
    std::vector<value> elements(wanted.elements().begin(), wanted.elements().end());
    elements[position] = ignored(prior.elements()[position], elements[position], steps.subspan(1));
    if (wanted.is(language::type_kind::tuple)) return value::tuple(std::move(elements)).with_marks(wanted.marks());
    if (!wanted.is(language::type_kind::list)) return wanted;
    return value::list(wanted.get_type().element(), std::move(elements)).with_marks(wanted.marks());
}

}  // namespace

hcl_program::hcl_program(
    language::configuration configuration, std::map<std::string, value> given, std::string workspace)
    : configuration_(std::move(configuration)),
      given_(std::move(given)),
      workspace_(std::move(workspace)),
      places_(1)
{
    for (auto const& [name, v] : configuration_.variables) {
        declaration d;
        d.name = "var." + name;
        d.variable = &v;
        add_references(d, v.validations);
        declarations_.push_back(std::move(d));
    }
    for (auto const& [name, v] : configuration_.locals) {
        declaration d;
        d.name = "local." + name;
        d.local = &v;
        add_references(d, v.of);
        declarations_.push_back(std::move(d));
    }
    for (auto const& [name, r] : configuration_.resources) {
        declaration d;
        d.kind = declaration_kind::resource;
        d.name = name;
        d.resource = &r;
        auto const mode =
            r.mode == language::resource_mode::data ? infra::resource_mode::data : infra::resource_mode::managed;
        d.address = infra::address({}, mode, r.type, r.name, {});
        for (language::reference const& named : r.depends_on) add_reference(d, named, true);
        if (r.count) add_references(d, r.count);
        if (r.for_each) add_references(d, r.for_each);
        add_references(d, r.content);
        for (language::provisioner const& p : r.provisioners) {
            if (p.when == language::provisioner_time::destroy) continue;  // may only use self
            add_references(d, p.content);
            if (p.connection) add_references(d, *p.connection);
        }
        if (r.connection) add_references(d, *r.connection);
        for (language::expression const& trigger : r.lifecycle.replace_triggered_by) add_references(d, trigger);
        add_references(d, r.lifecycle.preconditions);
        add_references(d, r.lifecycle.postconditions);
        declarations_.push_back(std::move(d));
    }
    for (auto const& [name, v] : configuration_.outputs) {
        declaration d;
        d.kind = declaration_kind::output;
        d.name = "output." + name;
        d.output = &v;
        for (language::reference const& named : v.depends_on) add_reference(d, named, true);
        add_references(d, v.of);
        add_references(d, v.preconditions);
        declarations_.push_back(std::move(d));
    }
    for (std::size_t i = 0; i < declarations_.size(); ++i) numbers_.emplace(declarations_[i].name, i);
}

void hcl_program::add_reference(declaration& d, language::reference const& r, bool explicit_only)
{
    switch (r.kind) {
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::variable:
    case reference_kind::local:
    case reference_kind::module: break;
    default: return;
    }
    infra::reference found;
    found.name = r.address();
    found.key = key_of(r.key);
    found.explicit_only = explicit_only;
    if (found.name == d.name && d.kind != declaration_kind::resource) {
        if (d.variable != nullptr) return;  // a variable's validation speaks of the variable
    }
    places_.push_back(r.range);
    found.place = static_cast<std::uint32_t>(places_.size() - 1);
    d.references.push_back(std::move(found));
}

void hcl_program::add_references(declaration& d, language::expression const& e)
{
    if (!e) return;
    language::diagnostics ignored_here;  // validation has said it
    for (language::reference const& r : language::references_of(e, ignored_here)) add_reference(d, r, false);
}

void hcl_program::add_references(declaration& d, language::body const& b)
{
    language::diagnostics ignored_here;
    for (language::reference const& r : language::references_of(b, ignored_here)) add_reference(d, r, false);
}

void hcl_program::add_references(declaration& d, std::vector<language::check_rule> const& rules)
{
    for (language::check_rule const& rule : rules) {
        add_references(d, rule.condition);
        add_references(d, rule.error_message);
    }
}

auto hcl_program::lifecycle_of(declaration const& d) const -> infra::lifecycle
{
    infra::lifecycle l;
    if (d.resource == nullptr) return l;
    if (d.resource->lifecycle.create_before_destroy_set)
        l.create_before_destroy = d.resource->lifecycle.create_before_destroy;
    l.prevent_destroy = d.resource->lifecycle.prevent_destroy;
    return l;
}

auto hcl_program::provider_of(declaration const& d) const -> std::string
{
    auto const* const type = providers::provider_set::find(d.address.type());
    return type == nullptr ? std::string() : std::string(type->provider());
}

auto hcl_program::describe(std::uint32_t place) const -> std::string
{
    language::source_range const& range = places_[place];
    if (!range) return {};
    return range.file->name() + ":" + std::to_string(range.file->position(range.bytes.begin).line);
}

auto hcl_program::expand(declaration const& d, scope_type const& scope) const -> infra::checked<infra::expansion<value>>
{
    infra::expansion<value> expanded;
    language::resource const& r = *d.resource;
    language::diagnostics found;
    instance_scope const in(*this, scope, nullptr, {}, nullptr);
    auto const add = [&](infra::instance_key key) {
        expanded.instances.emplace_back(
            d.address.module(), d.address.mode(), d.address.type(), d.address.name(), std::move(key));
    };
    if (r.count) {
        expanded.kind = infra::repetition_kind::count;
        auto const count = language::evaluate_count(r.count, in, found);
        if (!count) return infra::failure(convert(found));
        for (std::size_t i = 0; i < *count; ++i) add(infra::instance_key(static_cast<std::int64_t>(i)));
    } else if (r.for_each) {
        expanded.kind = infra::repetition_kind::for_each;
        auto entries = language::evaluate_for_each(r.for_each, in, found);
        if (!entries) return infra::failure(convert(found));
        for (language::value_entry const& e : *entries) add(infra::instance_key(e.key));
        expanded.repetition = value::object(std::move(*entries));
    } else add({});
    return expanded;
}

auto hcl_program::evaluate(declaration const& d, infra::address const& instance, scope_type const& scope) const
    -> infra::checked<value>
{
    language::diagnostics found;
    value result;
    if (d.variable != nullptr) {
        auto const at = given_.find(d.variable->name);
        if (at != given_.end()) result = at->second;
        instance_scope const in(*this, scope, nullptr, {}, nullptr, &result);
        language::check_validations(*d.variable, in, found);
    } else if (d.local != nullptr) {
        instance_scope const in(*this, scope, nullptr, {}, nullptr);
        result = language::evaluate(d.local->of, in, found);
    } else if (d.output != nullptr) {
        instance_scope const in(*this, scope, nullptr, {}, nullptr);
        for (language::check_rule const& rule : d.output->preconditions)
            check_rule(
                rule, in, "precondition", "Module output value precondition failed", rule.condition.range(), found);
        if (!found.has_errors()) result = language::evaluate(d.output->of, in, found);
        if (d.output->sensitive) result = result.with_marks(language::mark::sensitive);
        else if (result.deep_marks() != language::mark::none)
            found.add(language::error("Output refers to sensitive values",
                "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, "
                "Terraform requires that any root module output containing sensitive data be explicitly marked as "
                "sensitive, to confirm your intent.\n\nIf you do intend to export this data, annotate the output value "
                "as sensitive by adding the following argument:\n    sensitive = true",
                d.output->range));
    } else if (d.resource != nullptr) {
        instance_scope const in(*this, scope, &d, instance, nullptr);
        language::schema const* const schema = schema_of(instance);
        if (schema != nullptr) result = language::evaluate_body(d.resource->content, *schema, in, found);
    }
    if (found.has_errors())
        return infra::failure(convert(found, d.resource != nullptr ? to_string(instance) : std::string()));
    return result;
}

auto hcl_program::encode(infra::address const& a, value const& v) const -> infra::object
{
    return encode_object(a, v);
}

auto hcl_program::decode(infra::address const& a, infra::object const& o) const -> infra::checked<value>
{
    return decode_object(a, o);
}

auto hcl_program::encode_output(declaration const& d, value const& v) const -> infra::output_value
{
    return program::encode_output(v, is_sensitive(d));
}

auto hcl_program::decode_output(infra::output_value const& o) const -> infra::checked<value>
{
    return program::decode_output(o);
}

auto hcl_program::is_sensitive(declaration const& d) const noexcept -> bool
{
    return d.output != nullptr && d.output->sensitive;
}

auto hcl_program::prevented(declaration const& d, infra::address const& a) const -> infra::diagnostic
{
    auto found = infra::make_error("Instance cannot be destroyed",
        "Resource " + to_string(a)
            + " has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this "
              "error "
              "and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan "
              "using "
              "the -target option.");
    found.source = excerpt(d.resource->range);
    return found;
}

auto hcl_program::provisioners(declaration const& d) const -> std::vector<infra::provisioner>
{
    std::vector<infra::provisioner> steps;
    if (d.resource == nullptr) return steps;
    for (language::provisioner const& p : d.resource->provisioners)
        steps.push_back({p.type, steps.size(),
            p.when == language::provisioner_time::destroy ? infra::provision_time::destroy
                                                          : infra::provision_time::create,
            p.on_failure == language::failure_action::keep_going});
    return steps;
}

auto hcl_program::evaluate_provisioner(declaration const& d, infra::provisioner const& step,
    infra::address const& instance, value const& self, scope_type const& scope) const -> infra::checked<value>
{
    language::diagnostics found;
    instance_scope const in(*this, scope, &d, instance, &self);
    value config = language::evaluate_body(
        d.resource->provisioners[step.index].content, providers::local_exec_schema(), in, found);
    if (found.has_errors()) return infra::failure(convert(found, to_string(instance)));
    return config;
}

void hcl_program::locate(declaration const& d, infra::provisioner const& step, infra::diagnostics& problems) const
{
    for (infra::diagnostic& p : problems)
        if (p.source.file.empty()) p.source = excerpt(d.resource->provisioners[step.index].range);
}

auto hcl_program::ignore_changes(declaration const& d, value const& prior, value const& wanted) const -> value
{
    language::lifecycle const& l = d.resource->lifecycle;
    if (!l.ignore_all_changes && l.ignore_changes.empty()) return wanted;
    value result = wanted;
    if (l.ignore_all_changes) {
        language::schema const* const schema = schema_of(d.address);
        std::vector<language::value_entry> entries(wanted.entries().begin(), wanted.entries().end());
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
        steps.push_back({path->root, nullptr, path->root_range});
        steps.insert(steps.end(), path->steps.begin(), path->steps.end());
        result = ignored(prior, result, steps);
    }
    return result;
}

auto hcl_program::replace_triggers(declaration const& d) const -> std::vector<infra::replace_trigger>
{
    std::vector<infra::replace_trigger> triggers;
    if (d.resource == nullptr) return triggers;
    language::diagnostics ignored_here;
    for (language::expression const& e : d.resource->lifecycle.replace_triggered_by)
        for (language::reference const& r : language::references_of(e, ignored_here)) {
            if (r.kind != reference_kind::resource) continue;
            infra::replace_trigger t;
            t.subject.name = r.address();
            t.subject.key = key_of(r.key);
            t.attribute = path_text(r.remaining());
            triggers.push_back(std::move(t));
        }
    return triggers;
}

auto hcl_program::trigger_differs(infra::replace_trigger const& t, value const& before, value const& after) const
    -> bool
{
    value const now = at_path(after, t.attribute);
    return !now.wholly_known() || at_path(before, t.attribute).unmarked_deep() != now.unmarked_deep();
}

auto hcl_program::has_conditions(declaration const& d) const noexcept -> bool
{
    return d.resource != nullptr
        && (!d.resource->lifecycle.preconditions.empty() || !d.resource->lifecycle.postconditions.empty());
}

auto hcl_program::check(declaration const& d, infra::address const& instance, infra::condition_time when,
    value const& self, scope_type const& scope) const -> infra::diagnostics
{
    bool const before = when == infra::condition_time::before;
    language::diagnostics found;
    instance_scope const in(*this, scope, &d, instance, before ? nullptr : &self);
    auto const& rules = before ? d.resource->lifecycle.preconditions : d.resource->lifecycle.postconditions;
    for (language::check_rule const& rule : rules)
        check_rule(rule, in, before ? "precondition" : "postcondition",
            before ? "Resource precondition failed" : "Resource postcondition failed", rule.condition.range(), found);
    return convert(found, to_string(instance));
}

}  // namespace iacctl::program
