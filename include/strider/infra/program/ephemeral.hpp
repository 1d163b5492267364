// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_EPHEMERAL_HPP
#define STRIDER_INFRA_PROGRAM_EPHEMERAL_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace strider::infra {

/// Optional: `open_ephemeral(request)` opens an instance of a declaration of kind `ephemeral`, and returns its value. If the
/// configuration has unknown parts, the provider opens nothing, and parts of the value are unknown. The provider closes what
/// it has opened after the walk. Default: an instance of such a declaration is an error.
template <class X, class P>
concept opens_ephemeral_resources = program<P> && requires(X& x, data_request<typename P::value_type> request) {
    {
        x.open_ephemeral(std::move(request))
    } -> std::same_as<task<result<read_result<typename P::value_type>, failure>>>;
};

/// Opens all instances of a declaration of kind `ephemeral`, and publishes their values. \return warnings and errors
template <program P, class X>
[[nodiscard]] auto open_instances(P const& p, X& provider, typename P::declaration_type const& d, std::size_t number,
    evaluation_scope<typename P::value_type>& scope) -> task<diagnostics>
{
    using value_type = typename P::value_type;
    auto expanded = expand(p, d, scope);
    if (!expanded) co_return expanded.error().why();
    scope.expand(number, expanded->instances);
    if (expanded->repetition) scope.repeat(number, std::move(*expanded->repetition));
    diagnostics problems;
    auto const meets_conditions = [&](address const& a, condition_time when, value_type const& self) {
        if constexpr (has_conditions<P>) {
            if (scope.is_for_destroy() || !p.has_conditions(d)) return true;
            auto broken = p.check(d, a, when, self, scope);
            bool const met = !broken.has_errors();
            problems.add(std::move(broken));
            return met;
        } else return true;
    };
    for (address const& a : expanded->instances) {
        if (has_unknown_key(a)) continue;  // nothing can be opened for instances that are not known yet
        if (!meets_conditions(a, condition_time::before, value_type())) continue;
        auto config = p.evaluate(d, a, scope);
        if (!config) {
            problems.add(config.error().why());
            continue;
        }
        if constexpr (opens_ephemeral_resources<X, P>) {
            auto const named = instance_provider(p, d, a, scope);
            if (!named) {
                problems.add(named.error().why());
                continue;
            }
            data_request<value_type> request(a, *named, std::move(*config));
            auto opening = provider.open_ephemeral(std::move(request));
            auto opened = co_await std::move(opening);
            diagnostics found = opened ? std::move(opened->warnings) : opened.error().why();
            if constexpr (has_places<P>) p.locate(d, a, found);
            problems.add(std::move(found));
            if (!opened || !opened->object || !meets_conditions(a, condition_time::after, *opened->object)) continue;
            scope.publish(number, a, std::move(*opened->object));
        } else problems.add(make_error(codes::data_not_supported, {to_string(a)}, to_string(a)));
    }
    co_return problems;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_EPHEMERAL_HPP
