// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_PLACES_HPP
#define STRIDER_TESTS_SUPPORT_PLACES_HPP

#include <strider/walk/asio.hpp>

namespace strider::test {

/// Where a walk runs: on an executor, or on a strand of it.
inline constexpr auto directly = [](auto const& executor) { return executor; };
inline constexpr auto on_strand = [](auto const& executor) { return asio::make_strand(executor); };

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_PLACES_HPP
