// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_STRAND_EXECUTOR_HPP
#define STRIDER_WALK_STRAND_EXECUTOR_HPP

#include <strider/version.hpp>

#include <concepts>

namespace strider {

/// An executor that runs one function at a time on another executor: `asio::strand`, or a type with these members of it.
/// A plain walk on such an executor has one worker.
template <class E>
concept strand_executor = requires(E const& executor) {
    typename E::inner_executor_type;
    { executor.get_inner_executor() } -> std::convertible_to<typename E::inner_executor_type>;
    { executor.running_in_this_thread() } -> std::convertible_to<bool>;
};

}  // namespace strider

#endif  // STRIDER_WALK_STRAND_EXECUTOR_HPP
