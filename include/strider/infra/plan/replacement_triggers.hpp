// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_REPLACEMENT_TRIGGERS_HPP
#define STRIDER_INFRA_PLAN_REPLACEMENT_TRIGGERS_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

namespace strider::infra {

/// Finds the planned changes of other objects that replace an instance.
template <program P>
class replacement_triggers {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;

public:
    /// \param planned  the findings of each visited declaration, by number
    replacement_triggers(P const& configuration, plan_options const& options, evaluation_scope<value_type> const& scope,
        std::vector<findings*> const& planned)
        : configuration_(&configuration),
          options_(&options),
          scope_(&scope),
          planned_(&planned)
    {}

    /// Finds, once for all instances of a resource, the changes that replace them. \param any  one of the instances
    void find([[maybe_unused]] findings& found, [[maybe_unused]] std::size_t number,
        [[maybe_unused]] address const& any) const
    {
        if constexpr (has_replace_triggers<P>) {
            if (options_->mode != plan_mode::normal) return;
            auto const triggers = configuration_->replace_triggers(declaration(number), any);
            if (!triggers) return;  // each instance reports the error
            for (replace_trigger const& t : *triggers) {
                auto& subject = found.triggers.emplace_back();
                auto const named = scope_->number_of(t.subject.name);
                if (auto const* const others = named ? (*planned_)[*named] : nullptr)
                    for (change<value_type> const& c : others->changes) subject.all.push_back(&c);
                std::ranges::sort(subject.all, {}, [](auto const* c) -> address const& { return c->target; });
                std::ranges::copy_if(subject.all, std::back_inserter(subject.changed), [&](auto const* c) {
                    return changes_object(c->what) || (t.by_creation && c->what == action::create);
                });
            }
        }
    }

    /// True if a change of a trigger of the declaration was planned. \return empty if there were errors
    [[nodiscard]] auto fire(findings& found, change<value_type> const& c) const -> std::optional<bool>
    {
        bool triggered = false;
        bool valid = true;
        if constexpr (has_replace_triggers<P>) {
            auto const triggers = configuration_->replace_triggers(declaration(c.declaration), c.target);
            if (!triggers) {
                found.problems.add(triggers.error().why());
                return std::nullopt;
            }
            for (std::size_t i = 0; i < triggers->size(); ++i) {
                replace_trigger const& t = (*triggers)[i];
                auto const number = scope_->number_of(t.subject.name);
                if (!number) continue;
                address const block = configuration_->address_of(declaration(*number));
                address const configuration(c.target.module(), block.mode(), block.type(), block.name(), t.subject.key);
                for (auto const* other : changes_of(found.triggers[i].changed, configuration))
                    triggered = triggered || t.attribute.empty() || !other->before
                        || configuration_->trigger_differs(t, *other->before, *other->after);
                if (!changes_of(found.triggers[i].all, configuration).empty()) continue;
                valid = false;
                address const named({}, block.mode(), block.type(), block.name(), t.subject.key);
                std::string const module = to_string(c.target.module());
                found.problems.add(module.empty()
                        ? make_error(codes::unknown_replace_trigger, {to_string(named)})
                        : make_error(codes::unknown_replace_trigger_in_module, {to_string(named), module}));
            }
        }
        return valid ? std::optional(triggered) : std::nullopt;
    }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declaration_at(*configuration_, i); }

    // The changes of an instance or, if the name has no key, of all instances in its module.
    [[nodiscard]] static auto changes_of(std::vector<change<value_type> const*> const& all, address const& name)
    {
        auto const target = [](auto const* c) -> address const& { return c->target; };
        auto const module = [](auto const* c) -> std::vector<module_step> const& { return c->target.module(); };
        return name.key() ? std::ranges::equal_range(all, name, {}, target)
                          : std::ranges::equal_range(all, name.module(), {}, module);
    }

    P const* configuration_;
    plan_options const* options_;
    evaluation_scope<value_type> const* scope_;
    std::vector<findings*> const* planned_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_REPLACEMENT_TRIGGERS_HPP
