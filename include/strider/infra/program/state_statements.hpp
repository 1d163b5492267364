// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP
#define STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <ranges>
#include <vector>

namespace strider::infra {

/// Optional: objects have moved to other addresses.
///
/// - `moves()`: range of `move_statement`.
/// - `repetition_of(d)`: how a resource is declared to be repeated. An object moves by itself between the only instance and
///   the first of many.
template <class P>
concept has_moves = program<P> && requires(P const& p, typename P::declaration_type const& d) {
    { p.moves() } -> std::ranges::input_range;
    requires std::convertible_to<std::ranges::range_reference_t<decltype(p.moves())>, move_statement>;
    { p.repetition_of(d) } -> std::same_as<repetition_kind>;
};

/// Optional: `is_forgotten(a)`: an object at an address that is no longer declared leaves state and is not destroyed.
template <class P>
concept has_forgotten = program<P> && requires(P const& p, address const& a) {
    { p.is_forgotten(a) } -> std::convertible_to<bool>;
};

/// Optional: `imports(d, scope)`: existing objects that enter state as instances of a resource.
template <class P>
concept has_imports = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, evaluation_scope<typename P::value_type> const& scope) {
           { p.imports(d, scope) } -> std::same_as<expected<std::vector<import_target>>>;
       };

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_STATE_STATEMENTS_HPP
