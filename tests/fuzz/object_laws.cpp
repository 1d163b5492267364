// SPDX-License-Identifier: BSL-1.0
// The laws of objects that are kept or imported, of deferred changes, and of providers that break their contract.
#include <fuzz/laws.hpp>

#include <algorithm>
#include <optional>

namespace strider::test {
namespace {

using infra::address;
using infra::declaration_kind;
using infra::operation_kind;
using infra::sim::cloud_operation;

auto stored_object(infra::snapshot const& s, toy_change const& c) -> infra::object const*
{
    auto const* const record = s.find(c.previous.value_or(c.target));
    if (record == nullptr) return nullptr;
    if (!c.of_deposed) return record->current ? &*record->current : nullptr;
    auto const old = record->deposed.find(c.deposed_key);
    return old == record->deposed.end() ? nullptr : &old->second;
}

/// Returns whether what repeats a declaration is unknown in a plan.
auto is_unknown_in(program_reference const& text, toy_plan const& plan, program_reference::declaration const& d) -> bool
{
    auto const& t = d.count ? d.count : d.for_each;
    if (!t || t->kind() != infra::sim::toy_term::kind_type::attribute) return false;
    auto const named = text.find(t->subject());
    if (!named || text[*named].kind != declaration_kind::resource) return false;
    return std::any_of(plan.changes.begin(), plan.changes.end(), [&](toy_change const& c) {
        return c.target == text[*named].target && !c.of_deposed && c.after && c.after->is_unknown(t->text());
    });
}

}  // namespace

/// An object that is to be kept leaves state, whether it is still declared or not.
void fuzz_world::check_kept(one_run const& r)
{
    for (toy_change const& c : r.report.plan->changes) {
        if (!infra::destroys_object(c.what)) continue;
        auto const declared = r.text.find(c.target.config());
        bool const keeps = declared && !r.text[*declared].lifecycle.destroy;
        auto const* const stored = stored_object(r.prior, c);
        bool const kept = !declared && stored != nullptr && stored->keep && !r.order.program.removal_of(c.target);
        if (keeps || kept) broken("kept", to_string(c.target) + " is destroyed");
    }
}

/// The object that a declaration imports is not created again.
void fuzz_world::check_imports(one_run const& r)
{
    bool const plain = r.mode() == plan_mode::normal && !r.is_partial && r.prior.pending.empty();
    if (!plain || !r.order.program.moves().empty()) return;
    auto const& plan = *r.report.plan;
    for (std::size_t i = 0; i < r.text.size(); ++i)
        for (auto const& [key, id] : r.text[i].imports) {
            address const& block = r.text[i].target;
            address const a(block.module(), block.mode(), block.type(), block.name(), key);
            auto const* const record = r.prior.find(a);
            if ((record != nullptr && record->current) || !r.existed.contains(id.text())) continue;
            auto const c = std::find_if(plan.changes.begin(), plan.changes.end(),
                [&](toy_change const& one) { return one.target == a && !one.of_deposed; });
            bool const deferred = std::any_of(plan.deferred.begin(), plan.deferred.end(),
                [&](auto const& one) { return one.planned.target.config() == block; });
            if (deferred) continue;
            if (c == plan.changes.end() || c->import_id != id.text()) {
                broken("import", id.text() + " is not imported");
                continue;
            }
            count("imported");
            bool const stays = c->what == infra::action::no_op || c->what == infra::action::update;
            if (!r.is_complete() || !stays) continue;
            auto const* const now = kept_.now().find(a);
            if (now == nullptr || !now->current || id_of(*now->current) != id.text())
                broken("import", id.text() + " is not the object of " + to_string(a));
        }
}

/// Nothing that depends on a deferred change is changed, and no instance is destroyed that may be declared.
void fuzz_world::check_deferral(one_run const& r)
{
    if (r.mode() != plan_mode::normal) return;
    auto const& plan = *r.report.plan;
    // A deferred destruction may wait for its dependents, so they do not wait for it.
    std::set<std::size_t> deferred;
    for (auto const& one : plan.deferred)
        if (auto const i = r.text.find(one.planned.target.config()); i && one.planned.what != infra::action::destroy)
            deferred.insert(*i);
    for (toy_change const& c : plan.changes) {
        auto const i = r.text.find(c.target.config());
        if (!i || c.of_deposed || !infra::makes_object(c.what)) continue;
        bool const is_planned = std::any_of(plan.deferred.begin(), plan.deferred.end(),
            [&](auto const& one) { return one.planned.target == c.target; });
        if (is_planned) broken("deferral", to_string(c.target) + " is deferred and changed");
        for (std::size_t const d : r.text.closure(*i))
            if (d != *i && deferred.contains(d))
                broken("deferral", to_string(c.target) + " is changed before " + r.text[d].name);
    }
    for (std::size_t i = 0; i < r.text.size() && !r.is_partial; ++i) {
        if (r.text[i].kind != declaration_kind::resource || !is_unknown_in(r.text, plan, r.text[i])) continue;
        // A module may have no instances.
        if (!deferred.contains(i) && r.text[i].module.empty()) broken("deferral", r.text[i].name + " is not deferred");
        for (toy_change const& c : plan.changes)
            if (c.target.config() == r.text[i].target && infra::destroys_object(c.what) && !c.of_deposed)
                broken("deferral", to_string(c.target) + " is destroyed");
    }
}

/// An answer that breaks the contract is an error.
void fuzz_world::check_lies(one_run const& r)
{
    auto const& plan = *r.report.plan;
    for (auto const& [operation, how] : r.order.of_apply.violations) {
        count("contract broken");
        for (toy_change const& c : plan.changes) {
            if (operation != "plan " + to_string(c.target) || c.of_deposed || !c.after) continue;
            if (how == contract_violation::ignores_configuration && (*c.after)["size"] == "other")
                broken("lie", to_string(c.target) + " is planned as its provider likes");
        }
        for (cloud_operation const& o : r.log) {
            std::string const target = to_string(o.target);
            if (how == contract_violation::is_inconsistent && operation == "plan " + target
                && o.kind == operation_kind::create && !o.object.empty()) {
                auto const c = std::find_if(plan.changes.begin(), plan.changes.end(),
                    [&](toy_change const& one) { return one.target == o.target && !one.of_deposed; });
                auto const* const made = cloud_.find(o.object);
                if (c != plan.changes.end() && made != nullptr && made->value["nonce"] != (*c->after)["nonce"])
                    broken("lie", o.object + " was created by another plan");
            }
            bool const of_call = operation == std::string(to_string(o.kind)) + " " + target && o.end != 0 && !o.failed;
            bool const returns = o.kind != operation_kind::destroy || how == contract_violation::returns_object;
            if (of_call && returns && r.report.applied && r.report.applied->ok)
                broken("lie", o.key + " counts as a success");
        }
    }
}

}  // namespace strider::test
