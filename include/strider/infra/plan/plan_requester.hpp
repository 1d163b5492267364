// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_REQUESTER_HPP
#define STRIDER_INFRA_PLAN_PLAN_REQUESTER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <optional>
#include <utility>

namespace strider::infra {

/// Asks providers for the plans of changes, and checks their answers.
template <program P, provider_for<P> Provider>
class plan_requester {
    using value_type = typename P::value_type;

public:
    /// Both must outlive the requester.
    plan_requester(P const& configuration, Provider& provider) : configuration_(&configuration), provider_(&provider) {}

    /// Calls `plan` of the provider. \param prior  empty: a creation \return empty if there were errors
    [[nodiscard]] auto make(plan_findings<value_type>& found, change<value_type> const& c,
        std::optional<value_type> prior, value_type desired, std::optional<value_type> declared = std::nullopt)
        -> task<std::optional<planned<value_type>>>
    {
        plan_request<value_type> request(c.target, c.provider, prior, desired, prior ? c.private_data : document());
        request.declared = std::move(declared);
        auto planning = provider_->plan(std::move(request));
        auto answer = co_await std::move(planning);
        if (!answer) {
            found.problems.add(located(*configuration_, c.declaration, c.target, answer.error().why()));
            co_return std::nullopt;
        }
        found.problems.add(located(*configuration_, c.declaration, c.target, std::move(answer->warnings)));
        if (answer->legacy_type_system || answer->deferred) co_return std::move(*answer);
        diagnostics wrong =
            check_plan(*configuration_, declaration(c.declaration), c.target, prior, desired, answer->after);
        found.problems.add(wrong);
        if (wrong.has_errors()) co_return std::nullopt;
        co_return std::move(*answer);
    }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declaration_at(*configuration_, i); }

    P const* configuration_;
    Provider* provider_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_REQUESTER_HPP
