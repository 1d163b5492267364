// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_PROVIDER_CONFIGURATION_HPP
#define STRIDER_INFRA_PROGRAM_PROVIDER_CONFIGURATION_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// Optional: `configure(name, config)` receives the value of a declaration of kind `provider` before any other request that
/// names this provider. Parts of it may be unknown in a plan. Default: the declaration is a value like any other.
template <class X, class P>
concept takes_configuration = program<P> && requires(X& x, std::string name, typename P::value_type config) {
    { x.configure(std::move(name), std::move(config)) } -> std::same_as<task<diagnostics>>;
};

/// Optional: `missing_provider(what, provider)` is an error if the configuration lacks a provider that the object `what`
/// needs. Default: no provider is missing.
template <class P>
concept knows_providers = program<P> && requires(P const& p, std::string const& what, std::string const& provider) {
    { p.missing_provider(what, provider) } -> std::same_as<std::optional<diagnostic>>;
};

/// The program has declarations of kind `provider`. \complexity O(declarations)
template <program P>
[[nodiscard]] auto declares_providers(P const& p) -> bool
{
    for (auto const& d : p.declarations())
        if (kind_of(p, d) == declaration_kind::provider) return true;
    return false;
}

/// Evaluates a declaration of kind `provider` and configures the provider with the value.
template <program P, class X>
[[nodiscard]] auto configure(P const& p, X& provider, typename P::declaration_type const& d,
    evaluation_scope<typename P::value_type> const& scope) -> task<result<typename P::value_type, failure>>
{
    auto config = p.evaluate(d, address(), scope);
    if constexpr (takes_configuration<X, P>) {
        if (!config) co_return config;
        auto configuring = provider.configure(p.name_of(d), *config);
        diagnostics problems = co_await std::move(configuring);
        if constexpr (has_places<P>) p.locate(d, address(), problems);
        if (problems.has_errors()) co_return failure(std::move(problems));
    }
    co_return config;
}

/// Optional: `provider_of(d, a, scope)` is the name of the provider of instance `a` of a resource, where instances of one resource
/// may have different ones. Default: `provider_of(d)`.
template <class P>
concept has_instance_providers = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.provider_of(d, a, scope) } -> std::same_as<result<std::string, failure>>;
       };

/// The provider of an instance.
template <program P>
[[nodiscard]] auto instance_provider(P const& p, typename P::declaration_type const& d,
    [[maybe_unused]] address const& a, [[maybe_unused]] evaluation_scope<typename P::value_type> const& scope)
    -> result<std::string, failure>
{
    if constexpr (has_instance_providers<P>) return p.provider_of(d, a, scope);
    else return std::string(p.provider_of(d));
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_PROVIDER_CONFIGURATION_HPP
