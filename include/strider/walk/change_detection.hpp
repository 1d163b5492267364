// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CHANGE_DETECTION_HPP
#define STRIDER_WALK_CHANGE_DETECTION_HPP

#include <strider/version.hpp>

#include <concepts>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace strider {

namespace detail {

template <class T>
struct comparable_parts;

}  // namespace detail

/// True if a `value_cache<T>` compares values, to find out whether a visit has changed that of its vertex. By default, a type must
/// be equality comparable, and so must the elements of a range, a pair, a tuple, an optional or a variant: `std::vector<T>` has
/// an `operator==` that does not compile if `T` has none. Specialise it for a type of your own, for example as false if a
/// comparison costs more than the visits that it saves.
template <class T>
inline constexpr bool enable_change_detection = std::equality_comparable<T> && detail::comparable_parts<T>::value;

namespace detail {

template <class T>
struct comparable_parts : std::true_type {};
template <std::ranges::input_range T>
    requires(!std::same_as<std::ranges::range_value_t<T>, T>)
struct comparable_parts<T> : std::bool_constant<enable_change_detection<std::ranges::range_value_t<T>>> {};
template <class First, class Second>
struct comparable_parts<std::pair<First, Second>>
    : std::bool_constant<enable_change_detection<First> && enable_change_detection<Second>> {};
template <class... Elements>
struct comparable_parts<std::tuple<Elements...>> : std::bool_constant<(enable_change_detection<Elements> && ...)> {};
template <class... Alternatives>
struct comparable_parts<std::variant<Alternatives...>>
    : std::bool_constant<(enable_change_detection<Alternatives> && ...)> {};
template <class T>
struct comparable_parts<std::optional<T>> : std::bool_constant<enable_change_detection<T>> {};

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_WALK_CHANGE_DETECTION_HPP
