// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP
#define STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

namespace strider::infra {

/// Optional: objects have moved to other addresses.
///
/// - `moves()`: range of `move_statement`.
/// - `repetition_of(d)`: how a resource or module is declared to be repeated. Objects move by themselves between the only
///   instance and the first of many.
template <class P>
concept has_moves = program<P> && requires(P const& p, typename P::declaration_type const& d) {
    { p.moves() } -> std::ranges::input_range;
    requires std::convertible_to<std::ranges::range_reference_t<decltype(p.moves())>, move_statement>;
    { p.repetition_of(d) } -> std::same_as<repetition_kind>;
};

/// Optional: `convert_moved(d, from, to, object)` is the form of an object at the address that it has moved to, which may have
/// another type or provider. Default: it does not change.
template <class P>
concept converts_moved_objects =
    has_moves<P> && requires(P const& p, typename P::declaration_type const& d, address const& a, object const& o) {
        { p.convert_moved(d, a, a, o) } -> std::same_as<result<object, failure>>;
    };

/// The end of an object that is no longer declared.
enum class removal : std::uint8_t {
    destroy,
    forget,  ///< it leaves state and is not destroyed
};

/// Optional: `removal_of(a)`: the end that a statement declares for an object at an address that is no longer declared. Without a
/// statement, the object is destroyed, unless it is stored to be kept.
template <class P>
concept has_removals = program<P> && requires(P const& p, address const& a) {
    { p.removal_of(a) } -> std::same_as<std::optional<removal>>;
};

/// Optional: `imports(d, scope)`: existing objects that enter state as instances of a resource.
template <class P>
concept has_imports = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, evaluation_scope<typename P::value_type> const& scope) {
           { p.imports(d, scope) } -> std::same_as<result<std::vector<import_target>, failure>>;
       };

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP
