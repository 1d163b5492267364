// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_PROGRAM_HPP
#define STRIDER_INFRA_PROGRAM_PROGRAM_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/program/evaluation_scope.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <vector>

namespace strider::infra {

/// Value of a configuration. `wholly_known()` is false if a part of the value is not known before an apply.
template <class V>
concept configuration_value = std::regular<V> && requires(V const& v) {
    { v.wholly_known() } -> std::convertible_to<bool>;
};

/// Desired configuration: declarations that refer to one another, and their values in a scope.
///
/// These members are all that the engine requires. The other headers of this room define optional capabilities: each is a
/// concept named `has_…` that detects further members, and each documents the default for a program without them.
///
/// - `declarations()`: all declarations. Their number and order do not change while an engine works.
/// - `name_of(d)`: name of a declaration, unique among all declarations. References and evaluation scopes use it.
/// - `address_of(d)`: configuration address of a resource: without keys, unique among resources. Not called for a declaration
///   of another kind.
/// - `provider_of(d)`: name of the provider of a resource. The name is stored with each object and is not empty.
/// - `references(d)`: range of `reference`: the declarations that the evaluation of `d` reads, or that `d` names as explicit
///   dependencies. Evaluates nothing. A reference to a name that is not declared has no effect on the order.
/// - `evaluate(d, a, scope)`: configuration of instance `a` of a resource, or value of another declaration (`a` is empty).
///   Parts of the value may be unknown. The values of all references are published in `scope` before the call.
/// - `encode(a, provider, v)`: form of a value in state; `decode(a, o)`: the inverse. The engine encodes what a provider
///   returned, which is wholly known, and the planned value of a pending operation, of which parts may be unknown. It sets
///   the provider, its private data, the dependencies and the flags of an encoded object itself.
///
/// All members may be called from several threads at once.
template <class P>
concept program = configuration_value<typename P::value_type>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, object const& o,
        typename P::value_type const& v, evaluation_scope<typename P::value_type> const& scope,
        std::string const& provider) {
           { p.declarations() } -> std::ranges::random_access_range;
           requires std::same_as<std::ranges::range_value_t<decltype(p.declarations())>, typename P::declaration_type>;
           { p.name_of(d) } -> std::convertible_to<std::string>;
           { p.address_of(d) } -> std::convertible_to<address>;
           { p.provider_of(d) } -> std::convertible_to<std::string>;
           { p.references(d) } -> std::ranges::input_range;
           requires std::convertible_to<std::ranges::range_reference_t<decltype(p.references(d))>, reference>;
           { p.evaluate(d, a, scope) } -> std::same_as<result<typename P::value_type, failure>>;
           { p.encode(a, provider, v) } -> std::same_as<object>;
           { p.decode(a, o) } -> std::same_as<result<typename P::value_type, failure>>;
       };

/// Number of declarations.
template <program P>
[[nodiscard]] auto declaration_count(P const& p) -> std::size_t
{
    return static_cast<std::size_t>(std::ranges::distance(p.declarations()));
}

/// The declaration with a number. \pre `number < declaration_count(p)`
template <program P>
[[nodiscard]] auto declaration_at(P const& p, std::size_t number) -> decltype(auto)
{
    auto&& all = p.declarations();
    return std::ranges::begin(all)[static_cast<std::ranges::range_difference_t<decltype(all)>>(number)];
}

/// Names of all declarations, by number.
template <program P>
[[nodiscard]] auto declaration_names(P const& p) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& d : p.declarations()) names.push_back(p.name_of(d));
    return names;
}

/// Optional: declarations of several kinds. Default: every declaration is a resource.
template <class P>
concept has_kinds = program<P> && requires(P const& p, typename P::declaration_type const& d) {
    { p.kind_of(d) } -> std::same_as<declaration_kind>;
};

/// Kind of a declaration.
template <program P>
[[nodiscard]] auto kind_of([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d)
    -> declaration_kind
{
    if constexpr (has_kinds<P>) return p.kind_of(d);
    else return declaration_kind::resource;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_PROGRAM_HPP
