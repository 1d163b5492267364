// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_EXECUTION_HPP
#define STRIDER_INFRA_PROGRAM_EXECUTION_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/infra/program/execution_limits.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/walk_options.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

namespace strider::infra {

using strider::clock_for;
using strider::steady_clock;

/// A specialization of `walk_options`.
template <class T>
inline constexpr bool is_walk_options = false;
template <class... Policies>
inline constexpr bool is_walk_options<walk_options<Policies...>> = true;

/// Executor, clock and limits of an engine.
///
/// - `get_executor()`: executor of all visits. It converts to `any_io_executor`.
/// - `limits()`: limits of operations that run at once within one visit.
/// - `options(type_of)`: `walk_options` of the walks of a plan and an apply. `type_of(v)` is the type of the resource that a
///   vertex works on, or empty; it stays valid during the walk.
template <class X>
concept execution_policy = requires(X const& x, std::string (*type_of)(vertex_id)) {
    requires clock_for<typename X::clock_type, typename X::executor_type>;
    requires std::constructible_from<asio::any_io_executor, typename X::executor_type>;
    { x.get_executor() } noexcept -> std::same_as<typename X::executor_type>;
    { x.limits() } -> std::convertible_to<execution_limits>;
    requires is_walk_options<std::remove_cvref_t<decltype(x.options(type_of))>>;
};

/// Execution on an Asio executor, with a limit of all visits and one for each type of resource.
template <class Executor, class Clock = steady_clock>
class asio_execution {
public:
    using executor_type = Executor;  ///< executor of all visits
    using clock_type = Clock;  ///< clock for elapsed times and delays

    /// Runs all visits on this executor. \param limits  the default limits the visits at once only
    explicit asio_execution(Executor executor, execution_limits limits = {})
        : executor_(std::move(executor)),
          limits_(std::move(limits))
    {}

    /// The parts of the policy, as given to the constructor.
    /// @{
    [[nodiscard]] auto get_executor() const noexcept -> Executor { return executor_; }
    [[nodiscard]] auto limits() const noexcept -> execution_limits const& { return limits_; }
    /// @}
    /// Options of one walk. \param type_of  returns the type of resource of a vertex, by which pools are limited
    template <class TypeOf>
    [[nodiscard]] auto options(TypeOf type_of) const
    {
        auto limit_of = [type_of = std::move(type_of), limits = limits_.of_type](vertex_id v) -> resource_pool {
            if (limits.empty()) return {};
            auto const found = limits.find(type_of(v));
            if (found == limits.end()) return {};
            return {static_cast<std::uint64_t>(std::distance(limits.begin(), found)), found->second};
        };
        using ready = resource_pools<decltype(limit_of)>;
        // A visit that calls a provider takes long, whatever those before it took.
        return walk_options<ready>{.max_concurrency = limits_.max_concurrency(),
            .stop_on_first_failure = limits_.stop_on_first_failure,
            .threads = limits_.threads,
            .granularity = visit_granularity::coarse,
            .ready = ready(std::move(limit_of))};
    }

private:
    Executor executor_;
    execution_limits limits_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_EXECUTION_HPP
