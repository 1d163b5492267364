// SPDX-License-Identifier: BSL-1.0
#include "relevant_attributes.hpp"

#include "language/syntax/references.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace {

using program_module = program::hcl_program::module;
using language::reference_kind;

// The place of an expression: an instance of a module, optionally with `each` or `count`.
struct place {
    program_module const* in;
    std::string prefix;  // of addresses: `module.m["k"].`
    language::expression repeats;
    std::vector<place> callers;  // of the module: one, unless it is the root module
};

auto path_of(std::span<language::syntax::step const> steps) -> std::vector<resource_attribute::step>
{
    std::vector<resource_attribute::step> path;
    for (language::syntax::step const& step : steps) {
        if (step.key == nullptr) path.emplace_back(std::string(step.name));
        else if (step.key->is(language::type_kind::string)) path.emplace_back(step.key->as_string());
        else if (auto const index = step.key->as_number().as_int64()) path.emplace_back(*index);
    }
    return path;
}

template <class Repeated>
auto repetition(Repeated const& repeated) -> language::expression
{
    return repeated.for_each ? repeated.for_each : repeated.count ? repeated.count : repeated.enabled;
}

// The declarations that a plan evaluates: all, or with targets those that it needs for its objects and outputs.
class evaluated_declarations {
public:
    evaluated_declarations(program::hcl_program const& desired, plan const& p)
    {
        for (auto const& d : desired.declarations()) by_name_.emplace(d.name, &d);
        if (!p.targeted) {
            for (auto const& [name, _] : by_name_) names_.insert(name);
            return;
        }
        for (auto const& change : p.changes) add(to_string(change.target.config()));
        for (auto const& change : p.outputs) add("output." + change.name);
    }
    [[nodiscard]] auto contains(std::string_view name) const -> bool { return names_.contains(name); }

private:
    // Adds a declaration and those that it depends on.
    void add(std::string const& name)
    {
        std::vector<std::string_view> pending{name};
        while (!pending.empty()) {
            auto const found = by_name_.find(pending.back());
            pending.pop_back();
            if (found == by_name_.end() || !names_.insert(found->first).second) continue;
            for (infra::reference const& r : found->second->references) pending.push_back(r.name);
        }
    }

    std::map<std::string_view, program::hcl_program::declaration const*> by_name_;
    std::set<std::string_view> names_;
};

class search {
public:
    search(program::hcl_program const& desired, plan const& p) : evaluated_(desired, p)
    {
        for (program_module const& m : desired.modules()) {
            by_prefix_.emplace(m.prefix, &m);
            if (!m.is_root()) called_.emplace(m.call, &m);
        }
    }

    void begin_at(infra::address const& changed)
    {
        auto const at = place_of(changed.module());
        if (!at) return;
        infra::address const config = changed.config();
        infra::address const block({}, config.mode(), config.type(), config.name(), {});
        auto const found = at->in->of->resources.find(to_string(block));
        if (found != at->in->of->resources.end()) follow_body(found->second, *at);
    }
    void begin_at_output(std::string const& name)
    {
        auto const root = place_of({});
        auto const found = root->in->of->outputs.find(name);
        if (found != root->in->of->outputs.end()) follow(found->second.of, *root);
    }
    // A plan computes the outputs of each instance of a called module again, so all that it evaluates count as changed.
    void begin_at_outputs_of(std::vector<infra::module_step> const& path)
    {
        if (path.empty()) return;
        auto const at = place_of(path);
        if (!at || !instances_.insert(at->prefix).second) return;
        for (auto const& [name, output] : at->in->of->outputs)
            if (evaluated_.contains(at->in->prefix + "output." + name)) follow(output.of, *at);
        begin_at_outputs_of({path.begin(), path.end() - 1});
    }
    // Instances of modules without objects: their keys are not known, and nothing refers to objects in them.
    void begin_at_modules_without_objects()
    {
        for (auto const& [prefix, module] : by_prefix_) {
            auto const in_module = [&](std::string const& instance) { return without_keys(instance) == prefix; };
            if (!module->is_root() && std::ranges::none_of(instances_, in_module))
                begin_at_outputs_of(path_of_module(*module));
        }
    }
    [[nodiscard]] auto found() && -> std::vector<resource_attribute> { return std::move(found_); }

private:
    [[nodiscard]] static auto path_of_module(program_module const& module) -> std::vector<infra::module_step>
    {
        if (module.is_root()) return {};
        auto path = path_of_module(*module.caller);
        path.push_back({module.call->name, {}});
        return path;
    }
    // The prefix of addresses in the module of an instance.
    [[nodiscard]] static auto without_keys(std::string const& prefix) -> std::string
    {
        auto const inside = infra::parse_address(prefix + "any.any");
        return inside ? to_string(inside->config().module()) + "." : std::string();
    }

    [[nodiscard]] auto place_of(std::vector<infra::module_step> const& path) const -> std::optional<place>
    {
        place at{by_prefix_.at({}), {}, {}, {}};
        for (infra::module_step const& step : path) {
            auto const call = at.in->of->modules.find(step.name);
            auto const child = call == at.in->of->modules.end() ? called_.end() : called_.find(&call->second);
            if (child == called_.end()) return std::nullopt;
            at = inside(at, *child->second, to_string(step.key));
        }
        return at;
    }
    [[nodiscard]] static auto inside(place const& caller, program_module const& child, std::string const& key) -> place
    {
        place calls = caller;
        calls.repeats = repetition(*child.call);
        return {&child, caller.prefix + "module." + child.call->name + key + ".", {}, {std::move(calls)}};
    }

    void follow_body(language::resource const& r, place at)
    {
        at.repeats = repetition(r);
        language::for_each_expression(r.content, [&](auto const& e, auto const& bound) { follow(e, at, bound); });
    }
    void follow(language::expression const& e, place const& at, language::bound_names const& bound = {})
    {
        infra::diagnostics ignored;
        for (language::reference const& r : language::references_of(e, ignored, bound)) follow(r, at);
    }
    void follow(language::reference const& r, place const& at)
    {
        bool const repeats = r.kind == reference_kind::each || r.kind == reference_kind::count;
        if (repeats) {
            if (at.repeats && seen_.emplace(at.prefix, &at.repeats.node()).second) follow(at.repeats, at);
            return;
        }
        if (!named_.insert(at.prefix + r.address_with_key() + '/' + steps_text(r)).second) return;
        switch (r.kind) {
        case reference_kind::resource:
        case reference_kind::data: follow_resource(r, at); break;
        case reference_kind::module: follow_module(r, at); break;
        case reference_kind::local:
            if (auto const local = at.in->of->locals.find(r.name); local != at.in->of->locals.end())
                follow(local->second.of, at);
            break;
        case reference_kind::variable:
            if (!at.in->is_root())
                if (auto const* const given = at.in->call->content.find(r.name)) follow(given->of, at.callers.front());
            break;
        default: break;
        }
    }
    void follow_resource(language::reference const& r, place const& at)
    {
        found_.push_back({at.prefix + r.address_with_key(), path_of(r.remaining())});
        auto const* const resource = at.in->of->find_resource(r);
        if (resource == nullptr) return;
        auto const* const argument =
            r.remaining().empty() ? nullptr : resource->content.find(r.remaining().front().name);
        place inner = at;
        inner.repeats = repetition(*resource);
        if (argument != nullptr) follow(argument->of, inner);
        else if (r.remaining().empty()) follow_body(*resource, at);
    }
    void follow_module(language::reference const& r, place const& at)
    {
        auto const call = at.in->of->modules.find(r.name);
        auto const child = call == at.in->of->modules.end() ? called_.end() : called_.find(&call->second);
        if (child == called_.end()) return;
        std::string const with_key = r.address_with_key();
        place const inner = inside(at, *child->second, with_key.substr(r.address().size()));
        for (auto const& [name, output] : inner.in->of->outputs)
            if (r.output().empty() || r.output() == name) follow(output.of, inner);
    }
    [[nodiscard]] static auto steps_text(language::reference const& r) -> std::string
    {
        std::string text;
        for (resource_attribute::step const& step : path_of(r.remaining())) {
            text += std::holds_alternative<std::string>(step) ? std::get<std::string>(step)
                                                              : std::to_string(std::get<std::int64_t>(step));
            text += '\0';
        }
        return text;
    }

    evaluated_declarations evaluated_;
    std::map<std::string, program_module const*> by_prefix_;
    std::map<language::module_call const*, program_module const*> called_;
    std::set<std::pair<std::string, language::syntax::node const*>> seen_;
    std::set<std::string> named_;
    std::set<std::string> instances_;  // the prefixes of modules whose outputs were followed
    std::vector<resource_attribute> found_;
};

}  // namespace

auto relevant_attributes(program::hcl_program const& desired, saved_plan const& saved)
    -> std::vector<resource_attribute>
{
    plan const& made = saved.what;
    search all(desired, made);
    for (auto const& change : made.changes)
        if (change.what != infra::action::no_op) all.begin_at(change.target);
    for (auto const& change : made.outputs)
        if (change.what != infra::action::no_op) all.begin_at_output(change.name);
    if (made.mode == infra::plan_mode::destroy) return std::move(all).found();
    for (auto const& change : made.changes)
        if (change.what != infra::action::destroy) all.begin_at_outputs_of(change.target.module());
    // The plan has no changes of other instances than the targets, but their outputs are evaluated.
    if (made.targeted)
        for (auto const& [address, _] : saved.prior.resources) all.begin_at_outputs_of(address.module());
    all.begin_at_modules_without_objects();
    return std::move(all).found();
}

}  // namespace iacctl::workspace
