// SPDX-License-Identifier: BSL-1.0
#include <support/order_law.hpp>

#include <strider/infra/model/change.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace strider::test {
namespace {

using infra::address;
using infra::instance_key;
using infra::operation_kind;
using toy_change = infra::change<toy_value>;

/// A resource on which a declaration depends, with a key if it depends on one instance only.
using dependency = std::pair<address, instance_key>;

/// The resources on which each declaration depends, directly or indirectly, according to the text of the program.
class declared_closure {
public:
    explicit declared_closure(toy_program const& p) : program_(&p)
    {
        for (auto const& d : p.declarations()) by_name_.emplace(d.name, &d);
    }

    [[nodiscard]] auto of(address const& block) const -> std::set<dependency>
    {
        std::set<dependency> found;
        std::set<std::string> seen;
        for (auto const& d : program_->declarations())
            if (d.kind == infra::declaration_kind::resource && d.target == block) follow(d, found, seen);
        return found;
    }

private:
    using declaration = infra::sim::toy_declaration;

    void follow(declaration const& d, std::set<dependency>& found, std::set<std::string>& seen) const
    {
        if (!seen.insert(d.name).second) return;
        for (auto const& r : program_->references(d)) add(r.name, r.key, found, seen);
        for (auto const& t : d.action_triggers)
            for (auto const& action : t.actions)
                if (!leads_to(action.name, d.name)) follow_name(action.name, found, seen);
        if (!d.module.empty())
            follow_name(d.module, found, seen);  // the contents of a module wait for the dependencies of the module
    }
    // Returns whether an action depends on a resource, possibly through other triggers. Then the resource may not depend on it.
    [[nodiscard]] auto leads_to(std::string const& action, std::string const& resource) const -> bool
    {
        std::set<std::string> seen;
        std::vector<std::string> open{action};
        while (!open.empty()) {
            std::string const name = std::exchange(open.back(), {});
            open.pop_back();
            auto const at = by_name_.find(name);
            if (at == by_name_.end() || !seen.insert(name).second) continue;
            declaration const& d = *at->second;
            for (auto const& r : program_->references(d)) open.push_back(r.name);
            for (auto const& t : d.action_triggers)
                for (auto const& one : t.actions) open.push_back(one.name);
            for (auto const& inner : program_->declarations())
                if (d.kind == infra::declaration_kind::module && inner.module == name) open.push_back(inner.name);
            open.push_back(d.module);
        }
        return seen.contains(resource);
    }
    void follow_name(std::string const& name, std::set<dependency>& found, std::set<std::string>& seen) const
    {
        if (auto const at = by_name_.find(name); at != by_name_.end()) follow(*at->second, found, seen);
    }
    void add(std::string const& name, instance_key const& key, std::set<dependency>& found,
        std::set<std::string>& seen) const
    {
        auto const at = by_name_.find(name);
        if (at == by_name_.end()) return;
        declaration const& d = *at->second;
        if (d.kind == infra::declaration_kind::resource) found.insert({d.target, key});
        if (d.kind == infra::declaration_kind::module)  // a module is complete when everything in it is
            for (auto const& inner : program_->declarations()) {
                bool const is_inside = inner.module == name || inner.module.starts_with(name + ".");
                if (is_inside && inner.kind != infra::declaration_kind::check) add(inner.name, {}, found, seen);
            }
        follow(d, found, seen);
    }

    toy_program const* program_;
    std::map<std::string, declaration const*> by_name_;
};

/// An operation that a plan requires.
struct demanded {
    toy_change const* change;
    bool destroys;  ///< destroys the existing object; otherwise creates or updates one

    [[nodiscard]] auto late() const -> bool  // a destruction after the dependents of the object were changed
    {
        return destroys
            && (change->what == action::create_then_destroy || change->of_deposed
                || change->stored_create_before_destroy);
    }
    [[nodiscard]] auto name() const -> std::string
    {
        return to_string(change->target) + (destroys ? " (destroy)" : "");
    }
};

class order_law {
public:
    order_law(toy_program const& wanted, infra::snapshot const& prior, toy_plan const& plan,
        std::span<infra::sim::cloud_operation const> log)
        : declared_(wanted),
          prior_(prior),
          plan_(plan),
          log_(log)
    {
        // The plan determined the results of pending operations.
        for (infra::journal_entry const& e : plan.refreshed)
            if (e.kind() == infra::journal_entry::kind_type::end) (void)replay(prior_, e);
        for (toy_change const& c : plan.changes) {
            if (c.target.mode() != infra::resource_mode::managed) continue;
            if (infra::makes_object(c.what)) makers_.push_back({&c, false});
            if (infra::destroys_object(c.what)) destroyers_.push_back({&c, true});
        }
    }

    [[nodiscard]] auto check() -> std::vector<std::string>
    {
        for (demanded const& x : makers_) {
            auto const declared = declared_.of(x.change->target.config());
            for (demanded const& y : makers_)
                if (depends(declared, x, y)) require(y, x, "it refers to it");
            for (demanded const& d : destroyers_)
                if (d.change == x.change && x.change->what == action::create_then_destroy) require(x, d, "replacement");
                else if (d.change == x.change) require(d, x, "replacement");
                else if (d.change->target == x.change->target) require(x, d, "of its deposed object");
                else if (depends(stored(x, declared), x, d)) either(d, x, "it depended on it");
        }
        for (demanded const& x : destroyers_) {
            if (x.change->of_deposed) continue;
            auto const depended = stored(x, {});
            for (demanded const& y : destroyers_)
                if (!y.change->of_deposed && depends(depended, x, y) && !is_apart(x, y)) require(x, y, "it used it");
            for (demanded const& y : makers_)
                if (depends(depended, x, y) && !is_apart(x, y)) either(x, y, "it used it");
        }
        return std::move(violations_);
    }

private:
    [[nodiscard]] static auto depends(std::set<dependency> const& on, demanded const& x, demanded const& y) -> bool
    {
        address const block = y.change->target.config();
        if (block == x.change->target.config()) return false;
        if (infra::in_different_instances_of_one_module(x.change->target, y.change->target)) return false;
        return on.contains({block, {}}) || on.contains({block, y.change->target.key()});
    }
    // Objects of different providers are ordered if possible, unless everything is destroyed.
    [[nodiscard]] auto is_apart(demanded const& x, demanded const& y) const -> bool
    {
        return x.change->provider != y.change->provider && plan_.mode != plan_mode::destroy;
    }
    // The dependencies of the object in state; without an object, those in the program.
    [[nodiscard]] auto stored(demanded const& x, std::set<dependency> declared) const -> std::set<dependency>
    {
        auto const* const record = prior_.find(x.change->previous.value_or(x.change->target));
        if (!x.change->before || record == nullptr || !record->current) return declared;
        std::set<dependency> all;
        for (std::string const& name : record->current->dependencies.names())
            all.insert({infra::parse_address(name).value(), {}});
        return all;
    }

    [[nodiscard]] auto find(demanded const& o) const -> infra::sim::cloud_operation const*
    {
        for (auto const& op : log_) {
            if (op.target != o.change->target || (op.kind == operation_kind::destroy) != o.destroys) continue;
            bool const of_key = o.change->of_deposed || o.change->what == action::create_then_destroy;
            if (!o.destroys || op.deposed_key == (of_key ? o.change->deposed_key : std::string())) return &op;
        }
        return nullptr;
    }
    // A late destruction comes after the creation.
    void either(demanded const& destroyer, demanded const& maker, char const* why)
    {
        demanded const& d = destroyer.destroys ? destroyer : maker;
        demanded const& m = destroyer.destroys ? maker : destroyer;
        if (d.late()) require(m, d, why);
        else require(d, m, why);
    }
    void require(demanded const& first, demanded const& second, char const* why)
    {
        auto const* const then = find(second);
        if (then == nullptr) return;
        auto const* const before = find(first);
        // An update that turns out to have no effect is not performed.
        if (before == nullptr && first.change->what == action::update) return;
        if (before != nullptr && before->end != 0 && !before->failed && before->end < then->begin) return;
        violations_.push_back(second.name() + " begins although " + first.name() + " has not succeeded (" + why + ")");
    }

    declared_closure declared_;
    infra::snapshot prior_;
    toy_plan const& plan_;
    std::span<infra::sim::cloud_operation const> log_;
    std::vector<demanded> makers_;
    std::vector<demanded> destroyers_;
    std::vector<std::string> violations_;
};

}  // namespace

auto order_violations(toy_program const& wanted, infra::snapshot const& prior, toy_plan const& plan,
    std::span<infra::sim::cloud_operation const> log) -> std::vector<std::string>
{
    return order_law(wanted, prior, plan, log).check();
}

}  // namespace strider::test
