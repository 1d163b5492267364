// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_INSTANCES_HPP
#define STRIDER_INFRA_PROGRAM_INSTANCES_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// The argument that repeats a declaration.
enum class repetition_kind : std::uint8_t {
    single,
    count,
    for_each,
    optional,  ///< a single instance or none
};

/// Instances of a declaration, and the value that they are repeated by.
template <class V>
struct expansion {
    /// distinct addresses; empty: no instance. One with an unknown key stands for instances that are not known yet: a plan defers
    /// them
    std::vector<address> instances;
    std::optional<V> repetition;  ///< value of count or for_each; empty: neither is declared
    repetition_kind kind = repetition_kind::single;  ///< the construct that determines the keys
    /// The instances of the module that contains the declaration, which explain why an object is destroyed. Without a value,
    /// those with an instance of the declaration are known, and all others if there is no such instance and `kind` allows none.
    std::optional<std::vector<std::vector<module_step>>> modules;
    bool desired = true;  ///< false: the declaration only describes how its objects are removed
};

/// Returns the reason why an object is destroyed that is no instance of its declaration.
/// \param kind, instances, modules  of the expansion of the declaration
[[nodiscard]] inline auto reason_to_destroy(address const& a, repetition_kind kind,
    std::vector<address> const& instances, std::optional<std::vector<std::vector<module_step>>> const& modules)
    -> action_reason
{
    auto const in_module = [&](address const& b) { return b.module() == a.module(); };
    bool const module_exists = modules ? std::find(modules->begin(), modules->end(), a.module()) != modules->end()
                                       : std::any_of(instances.begin(), instances.end(), in_module)
            || (instances.empty() && kind != repetition_kind::single);
    if (!module_exists) return action_reason::delete_because_no_module;
    if (!a.key() && kind == repetition_kind::optional) return action_reason::delete_because_enabled_false;
    if (a.key().index() != nullptr && kind == repetition_kind::count) return action_reason::delete_because_count_index;
    if (a.key().name() != nullptr && kind == repetition_kind::for_each) return action_reason::delete_because_each_key;
    return action_reason::delete_because_wrong_repetition;
}

/// Optional: a resource has any number of instances. `expand(d, scope)` returns their addresses; the values of all references
/// of `d` are published in `scope` before the call. Default: one instance, at `address_of(d)`.
template <class P>
concept has_expansion = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, evaluation_scope<typename P::value_type> const& scope) {
           { p.expand(d, scope) } -> std::same_as<result<expansion<typename P::value_type>, failure>>;
       };

/// Instances of a declaration.
template <program P, class V = typename P::value_type>
[[nodiscard]] auto expand(P const& p, typename P::declaration_type const& d,
    [[maybe_unused]] evaluation_scope<V> const& scope) -> result<expansion<V>, failure>
{
    if constexpr (has_expansion<P>) return p.expand(d, scope);
    else {
        expansion<V> one;
        one.instances.push_back(p.address_of(d));
        return one;
    }
}

/// Optional: declarations lie in modules. `module_of(d)` is the name of the declaration of the module that contains `d`,
/// or empty for the root. Default: everything is in the root.
template <class P>
concept has_modules = program<P> && requires(P const& p, typename P::declaration_type const& d) {
    { p.module_of(d) } -> std::convertible_to<std::string>;
};

/// Name of the module that contains a declaration; empty: the root.
template <program P>
[[nodiscard]] auto module_of([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d)
    -> std::string
{
    if constexpr (has_modules<P>) return p.module_of(d);
    else return {};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_INSTANCES_HPP
