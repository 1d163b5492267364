// SPDX-License-Identifier: BSL-1.0
#include "plan_integrity.hpp"

#include "language/validation/schema.hpp"
#include "language/validation/schema_values.hpp"
#include "workspace/program/check_document.hpp"
#include "workspace/program/object_codec.hpp"

#include <strider/infra/graph/graph_tables.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace iacctl::workspace {

namespace {

using infra::action;
using infra::declaration_kind;
using infra::node_role;
using language::type;
using language::type_kind;
using language::value;
using change = infra::change<value>;
using journal_kind = infra::journal_entry::kind_type;

// Parts that are null or unknown may be of any type.
auto fits(value const& v, type const& desired) -> bool
{
    if (!v.has_data() || desired.is(type_kind::dynamic)) return true;
    if (v.kind() != desired.kind()) return false;
    auto const all_fit = [](auto const& parts, type const& each) {
        return std::ranges::all_of(parts, [&](value const& part) { return fits(part, each); });
    };
    switch (desired.kind()) {
    case type_kind::list:
    case type_kind::set: return all_fit(v.elements(), desired.element());
    case type_kind::map:
        return std::ranges::all_of(v.entries(), [&](auto const& e) { return fits(e.of, desired.element()); });
    case type_kind::tuple:
        return v.elements().size() == desired.elements().size()
            && std::ranges::equal(v.elements(), desired.elements(), fits);
    case type_kind::object:
        return v.entries().size() == desired.attributes().size()
            && std::ranges::equal(v.entries(), desired.attributes(),
                [](auto const& e, auto const& a) { return e.key == a.name && fits(e.of, a.of); });
    default: return true;
    }
}

class plan_checker {
public:
    plan_checker(plan const& p, program::hcl_program const& desired)
        : plan_(&p),
          desired_(&desired),
          tables_(desired, p.changes, p.mode, p.invocations)
    {}

    [[nodiscard]] auto run() -> std::string
    {
        for (auto const& entry : plan_->refreshed)
            if (auto why = entry_problem(entry); !why.empty()) return why;
        for (change const& c : plan_->changes)
            if (auto why = change_problem(c); !why.empty()) return about(c, why);
        for (change const& c : plan_->drift)
            if (auto why = value_problem(c); !why.empty()) return about(c, why);
        for (auto const& one : plan_->invocations)
            if (auto why = invocation_problem(one); !why.empty()) return to_string(one.target) + ": " + why;
        for (auto const& o : plan_->outputs)
            if (o.declaration != infra::no_declaration && !is_output(o.declaration, o.name))
                return "the output " + o.name + " is not declared";
        for (strider::vertex_id const v : plan_->graph.vertices())
            if (auto why = vertex_problem(plan_->graph[v]); !why.empty()) return "its graph has " + why;
        return {};
    }

private:
    static auto about(change const& c, std::string const& why) -> std::string
    {
        return to_string(c.target) + ": " + why;
    }

    [[nodiscard]] auto kind_of(std::size_t declaration) const -> std::optional<declaration_kind>
    {
        auto const all = desired_->declarations();
        return declaration < all.size() ? std::optional(desired_->kind_of(all[declaration])) : std::nullopt;
    }
    [[nodiscard]] auto is_resource(std::size_t declaration, infra::address const& config) const -> bool
    {
        return kind_of(declaration) == declaration_kind::resource
            && desired_->declarations()[declaration].address == config;
    }
    [[nodiscard]] auto is_output(std::size_t declaration, std::string const& name) const -> bool
    {
        if (kind_of(declaration) != declaration_kind::output) return false;
        auto const& d = desired_->declarations()[declaration];
        return d.in->is_root() && d.output() != nullptr && d.output()->name == name;
    }

    // An apply records the objects that its plan has read first, so an object that could not be read from state later
    // is refused here.
    [[nodiscard]] auto entry_problem(infra::journal_entry const& e) const -> std::string
    {
        if (e.kind() == journal_kind::begin) return "it has the beginning of an operation";
        if (e.kind() == journal_kind::checks && !program::is_check_document(e.output_content().value))
            return "its check results cannot be read";
        // An interrupted operation may have ended without an object.
        bool const has_object = e.kind() == journal_kind::record || (e.kind() == journal_kind::end && e.result());
        bool const readable = !has_object || (e.result() && desired_->decode(e.target(), *e.result()));
        return readable ? std::string() : to_string(e.target()) + ": its object cannot be read";
    }

    [[nodiscard]] auto value_problem(change const& c) const -> std::string
    {
        auto const* const schema = desired_->catalog()->find_type(c.provider, c.target);
        if (schema == nullptr) return "its provider does not have its type";
        auto const& desired = schema->object_type;
        for (auto const* side : {&c.before, &c.after})
            if (*side && !fits(**side, desired)) return "its values do not fit its type";
        return {};
    }

    [[nodiscard]] auto change_problem(change const& c) -> std::string
    {
        if (c.declaration != infra::no_declaration && !is_resource(c.declaration, c.target.config()))
            return "the plan refers to another declaration";
        if (!objects_.emplace(c.target, c.of_deposed ? c.deposed_key : std::string()).second) return "it occurs twice";
        if (c.of_deposed && c.deposed_key.empty()) return "a deposed object has no key";
        if (c.of_deposed && infra::makes_object(c.what)) return "a deposed object would be created";
        if ((infra::destroys_object(c.what) || c.what == action::update) && !c.before)
            return "it has no object to change";
        if (infra::makes_object(c.what) && !c.after) return "it has no object to create";
        // Other changes evaluate expressions with this value during the apply.
        bool const is_seen = c.declaration != infra::no_declaration && !c.of_deposed;
        bool const all_goes = plan_->mode == infra::plan_mode::destroy;
        if (is_seen && all_goes && !c.before) return "it has no object to destroy";
        if (is_seen && !all_goes && c.what == action::no_op && !c.after) return "it has no object to keep";
        return value_problem(c);
    }

    [[nodiscard]] auto is_fired(infra::invocation<value> const& i) const -> bool
    {
        if (i.change >= plan_->changes.size()) return false;
        change const& c = plan_->changes[i.change];
        if (c.target != i.caller || c.declaration == infra::no_declaration || !fires(c.what, i.event)) return false;
        return i.trigger < desired_->action_triggers(desired_->declarations()[c.declaration]).size();
    }

    [[nodiscard]] auto invocation_problem(infra::invocation<value> const& i) const -> std::string
    {
        if (kind_of(i.declaration) != declaration_kind::action
            || desired_->declarations()[i.declaration].address != i.target.config())
            return "the plan refers to another declaration";
        bool const triggered = i.event != infra::trigger_event::invoke;
        if (triggered && !is_fired(i)) return "no change invokes it";
        auto const* const schema = desired_->catalog()->find_type(i.provider, i.target);
        if (schema == nullptr) return "its provider does not have its type";
        return fits(i.config, schema->object_type) ? std::string() : "its values do not fit its type";
    }

    [[nodiscard]] auto vertex_problem(infra::node const& n) -> std::string
    {
        bool const counted = n.role != node_role::join && n.role != node_role::root;
        if (counted && !vertices_.emplace(n.role, n.index).second) return "two vertices for the same operation";
        switch (n.role) {
        case node_role::declaration: return kind_of(n.index) ? std::string() : "a vertex without a declaration";
        case node_role::module_close:
            return kind_of(n.index) == declaration_kind::module ? std::string() : "a vertex without a module";
        case node_role::provider_begin:
        case node_role::provider_close:
            return n.index < tables_.providers().size() ? std::string() : "a vertex without a provider";
        case node_role::creator:
        case node_role::destroyer:
        case node_role::deposed_destroyer:
            if (n.index >= plan_->changes.size()) return "a vertex without a change";
            return does_its_work(n.role, plan_->changes[n.index]) ? std::string()
                                                                  : "a vertex that does not fit its change";
        case node_role::invocation:
            return n.index < plan_->invocations.size() ? std::string() : "a vertex without an invocation";
        case node_role::orphan: return "a vertex that exists only while planning";
        case node_role::join:
        case node_role::root: return {};
        }
        return "a vertex with an unknown role";
    }

    [[nodiscard]] auto does_its_work(node_role role, change const& c) const -> bool
    {
        bool const all_goes = plan_->mode == infra::plan_mode::destroy;
        if (role == node_role::creator)
            return c.declaration != infra::no_declaration && !c.of_deposed && c.after
                && (c.what == action::no_op || (infra::makes_object(c.what) && !all_goes));
        if (!infra::destroys_object(c.what)) return false;
        return role == node_role::destroyer ? !c.of_deposed : !c.deposed_key.empty();
    }

    plan const* plan_;
    program::hcl_program const* desired_;
    infra::graph_tables<program::hcl_program> tables_;
    std::set<std::pair<infra::address, std::string>> objects_;  // with the key of a deposed one
    std::set<std::pair<node_role, std::uint32_t>> vertices_;
};

}  // namespace

auto find_contradiction(saved_plan const& saved, program::hcl_program const& desired) -> std::string
{
    if (!program::is_check_document(saved.checks) || !program::is_check_document(saved.prior.checks))
        return "its check results cannot be read";
    return plan_checker(saved.what, desired).run();
}

void complete_objects(saved_plan& saved, program::hcl_program const& desired)
{
    for (auto* const all : {&saved.what.changes, &saved.what.drift})
        for (change& c : *all) {
            auto const* const type = desired.catalog()->find_type(c.provider, c.target);
            if (type == nullptr) continue;
            for (auto* const side : {&c.before, &c.after})
                if (*side) *side = language::with_left_out(**side, type->content);
        }
}

}  // namespace iacctl::workspace
