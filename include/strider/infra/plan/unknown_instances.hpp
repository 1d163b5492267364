// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_UNKNOWN_INSTANCES_HPP
#define STRIDER_INFRA_PLAN_UNKNOWN_INSTANCES_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/object_reader.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/plan/plan_requester.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/task.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace strider::infra {

/// Plans declarations whose instances are not known before an apply.
template <program P, provider_for<P> Provider>
class unknown_instances {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;

public:
    /// All references must outlive this object.
    unknown_instances(P const& configuration, Provider& provider, plan_options const& options,
        observer<value_type> const& watch, evaluation_scope<value_type>& scope)
        : configuration_(&configuration),
          reader_(configuration, provider, options, watch),
          requests_(configuration, provider),
          scope_(&scope)
    {}

    /// Plans all instances whose keys are not known as one that is deferred. Its value is what they have in common.
    /// \pre the address has an unknown key
    [[nodiscard]] auto plan(findings& found, std::size_t number, address target) -> task<void>
    {
        auto const& d = declaration_at(*configuration_, number);
        change<value_type> c;
        c.target = target;
        c.config = to_string(target.config());
        c.declaration = number;
        c.what = target.mode() == resource_mode::data ? action::read : action::create;
        auto evaluated = configuration_->evaluate(d, target, *scope_);
        if (!evaluated) co_return found.problems.add(evaluated.error().why());
        c.after = std::move(*evaluated);
        // Without the key, the instance of the provider may be unknown, too. Then the configuration is all that is known.
        auto const provider = instance_provider(*configuration_, d, target, *scope_);
        c.provider = provider ? *provider : configuration_->provider_of(d);
        if (provider) {
            auto planning = requests_.make(found, c, std::nullopt, *c.after);
            auto const answer = co_await std::move(planning);
            if (!answer) co_return;
            c.after = answer->after;
        }
        scope_->publish(number, target, *c.after);
        found.deferred.push_back({std::move(c), deferral_reason::instance_count_unknown});
    }

    /// Reads the current object of an instance that may or may not be declared, because the declared keys are not known.
    /// \param known  the stored and the declared dependencies
    [[nodiscard]] auto refresh(findings& found, std::size_t declaration,
        std::pair<address const, resource_record> const& instance, dependency_set known) -> task<void>
    {
        if (instance.first.mode() == resource_mode::data || !instance.second.current) co_return;
        object const stored = *instance.second.current;
        auto refreshing = reader_.refresh(found, declaration, instance.first, {}, stored);
        auto there = co_await std::move(refreshing);
        if (there) there->stored.dependencies = std::move(known);
        if (there && !there->value) found.refreshed.push_back(journal_entry::remove(instance.first, {}));
        else if (there && there->stored != stored)
            found.refreshed.push_back(journal_entry::record(instance.first, {}, there->stored));
    }

private:
    P const* configuration_;
    object_reader<P, Provider> reader_;
    plan_requester<P, Provider> requests_;
    evaluation_scope<value_type>* scope_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_UNKNOWN_INSTANCES_HPP
