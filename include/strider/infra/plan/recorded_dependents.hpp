// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_RECORDED_DEPENDENTS_HPP
#define STRIDER_INFRA_PLAN_RECORDED_DEPENDENTS_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

/// Spreads create_before_destroy to what an object depended on by state, where the configuration does not: the object has lost
/// its declaration or its reference, or an instance on which it depended has lost its declaration.
///
/// Such an object is destroyed after something was created. What it depended on must exist until then: a replacement
/// becomes create_then_destroy, and the destruction of an object without a declaration is late. Otherwise the order of an
/// apply would have a cycle.
template <program P>
class recorded_dependents {
    using value_type = typename P::value_type;
    using change_type = change<value_type>;

public:
    /// \param prior  the state that the changes were planned from
    recorded_dependents(P const& configuration, snapshot const& prior, plan_options const& options)
        : configuration_(&configuration),
          prior_(&prior),
          options_(&options)
    {}

    /// \complexity O(changes + their dependency sets), per instance of a module with such an object: each name is followed once
    /// \return warnings of declarations with `create_before_destroy = false` that are overruled
    auto spread(std::vector<change_type>& changes) -> diagnostics
    {
        for (change_type& c : changes)
            if (is_early(c)) early_[c.config].push_back(&c);
        if (early_.empty()) return {};
        std::vector<change_type const*> late;
        for (change_type const& c : changes)
            if (is_late(c)) late.push_back(&c);
        diagnostics warnings;
        while (!late.empty()) {
            change_type const& by = *late.back();
            late.pop_back();
            for_each_new_dependency(by, [&](std::string const& name) {
                auto const found = early_.find(name);
                if (found == early_.end()) return;
                std::erase_if(found->second, [&](change_type* c) {
                    if (in_different_instances_of_one_module(by.target, c->target)) return false;
                    make_late(*c, by.config, warnings);
                    late.push_back(c);
                    return true;
                });
            });
        }
        return warnings;
    }

private:
    // The dependencies of late objects in one instance of a module that were followed.
    struct followed {
        std::unordered_set<dependency_set::id_type> sets;
        std::unordered_set<std::string> names;
    };

    [[nodiscard]] static auto is_late(change_type const& c) -> bool
    {
        bool const goes = c.what == action::destroy && (c.of_deposed || c.stored_create_before_destroy);
        return goes || c.what == action::create_then_destroy;
    }
    [[nodiscard]] static auto is_early(change_type const& c) -> bool
    {
        bool const goes = c.what == action::destroy && !c.of_deposed && !c.stored_create_before_destroy;
        return goes || c.what == action::destroy_then_create;
    }

    // Calls use(name) for each dependency that no other late object in the same instance of a module has had.
    template <class Use>
    void for_each_new_dependency(change_type const& late, Use use)
    {
        followed& before = by_module_[late.target.module()];
        auto const is_new = [&](dependency_set const& set) { return before.sets.insert(set.id()).second; };
        late.stored_dependencies.for_each_set(is_new, [&](dependency_set const& set) {
            for (std::string const& name : set.own_names())
                if (before.names.insert(name).second) use(name);
        });
    }
    void make_late(change_type& c, std::string const& by, diagnostics& warnings) const
    {
        if (c.what == action::destroy) {
            c.stored_create_before_destroy = true;
            return;
        }
        warn(warnings, c, by);
        c.what = action::create_then_destroy;
        c.deposed_key = unused_deposed_key(c.target, options_->key_seed, prior_->find(c.target));
    }

    void warn(diagnostics& warnings, change_type const& c, std::string const& by) const
    {
        if (c.declaration == no_declaration) return;
        auto const& d = declaration_at(*configuration_, c.declaration);
        if (lifecycle_of(*configuration_, d).create_before_destroy.value_or(true)) return;
        auto warning = make_warning(codes::overruled_create_before_destroy, {configuration_->name_of(d), by});
        warnings.add(located(*configuration_, c.declaration, c.target, {std::move(warning)}));
    }

    P const* configuration_;
    snapshot const* prior_;
    plan_options const* options_;
    std::unordered_map<std::string, std::vector<change_type*>> early_;  // by the name of the resource
    std::map<std::vector<module_step>, followed> by_module_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_RECORDED_DEPENDENTS_HPP
