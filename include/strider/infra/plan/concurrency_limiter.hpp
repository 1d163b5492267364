// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP
#define STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP

#include <strider/infra/plan/async_semaphore.hpp>
#include <strider/infra/program/execution_limits.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/asio.hpp>

#include <boost/asio/experimental/parallel_group.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Limits the operations that run at once on the instances of all declarations: in total, and for each type of resource.
///
/// Several coroutines on the strand of a visit process the instances of one declaration: they share data without
/// locks, and only their waits overlap. With a limit of one, instances are processed in order. Many instances are divided into
/// parts, each with a strand: work on different parts shares nothing without locks.
template <class Executor = asio::any_io_executor>
class basic_concurrency_limiter {
    using permits = async_semaphore<Executor>;

public:
    /// Takes the limits of a run: one of all work, and one for each type that has a limit. If they do not state the number of threads,
    /// it is the `occupancy` of the executor; if it has none, the limit of all work.
    template <std::convertible_to<Executor> From>
    basic_concurrency_limiter(From const& executor, execution_limits const& limits)
        : executor_(executor),
          limit_(limits.max_concurrency()),
          threads_(std::min(limit_, limits.threads == 0 ? threads_of(executor) : limits.threads)),
          of_all_(executor, limit_)
    {
        for (auto const& [type, limit] : limits.of_type)
            of_type_.try_emplace(type, executor, std::max<std::uint32_t>(limit, 1));
    }

    /// Awaits `work(i)`, a task, for each `i` below `count`. \pre runs on a strand
    /// \throws the exception of the first coroutine that failed, after all have ended
    template <class Work>
    [[nodiscard]] auto for_each(std::string type, std::size_t count, Work work) -> task<void>
    {
        auto working = for_range(of_type(type), 0, count, std::ref(work));
        co_await std::move(working);
    }

    /// The number of parts in which that many instances are worth being processed by several threads.
    [[nodiscard]] auto parts_of(std::size_t count) const -> std::size_t
    {
        constexpr std::size_t grain_size = 400;
        return std::clamp<std::size_t>(count / grain_size, 1, threads_);
    }

    /// As `for_each`, in consecutive parts: awaits `work(part, i)`. A single part is processed on the strand of the caller, and
    /// each of several on one of its own.
    template <class Work>
    [[nodiscard]] auto for_each_in_parts(std::string type, std::size_t count, std::size_t parts, Work work)
        -> task<void>
    {
        permits* const limited = of_type(type);
        auto const one_part = [&](std::size_t part) -> task<void> {
            auto const on_part = [&work, part](std::size_t i) { return work(part, i); };
            auto working = for_range(limited, count * part / parts, count * (part + 1) / parts, std::cref(on_part));
            co_await std::move(working);
        };
        if (parts == 1) {
            auto alone = one_part(0);
            co_await std::move(alone);
            co_return;
        }
        using started = decltype(asio::co_spawn(asio::any_io_executor(), one_part(0), asio::deferred));
        std::vector<started> all;
        // A strand of an executor that may run its work in the call would process the first part before the second one starts.
        auto const queue = asio::require(executor_, asio::execution::blocking.never);
        for (std::size_t part = 0; part < parts; ++part) {
            asio::any_io_executor const strand = asio::make_strand(queue);
            all.push_back(asio::co_spawn(strand, one_part(part), asio::deferred));
        }
        auto ending = all_of(std::move(all));
        co_await std::move(ending);
    }

private:
    template <class From>
    [[nodiscard]] static auto threads_of(From const& executor) -> std::uint32_t
    {
        std::size_t threads = 0;
        if constexpr (asio::can_query_v<From const&, asio::execution::occupancy_t>)
            threads = static_cast<std::size_t>(asio::query(executor, asio::execution::occupancy));
        auto const no_limit = std::numeric_limits<std::uint32_t>::max();
        return threads == 0 || threads > no_limit ? no_limit : static_cast<std::uint32_t>(threads);
    }
    // Those of a type; null: it has no limit of its own.
    [[nodiscard]] auto of_type(std::string const& type) -> permits*
    {
        auto const found = of_type_.find(type);
        return found == of_type_.end() ? nullptr : &found->second;
    }

    // Several coroutines on the strand of the caller process [first, last). \pre `work` outlives the task
    template <class Work>
    [[nodiscard]] auto for_range(permits* of_type, std::size_t first, std::size_t last, Work work) -> task<void>
    {
        std::size_t next = first;
        auto const worker = [&]() -> task<void> {
            while (next < last) {
                std::size_t const i = next++;
                if (!try_acquire(of_type)) {
                    auto acquiring = acquire(of_type);
                    co_await std::move(acquiring);
                }
                std::exception_ptr thrown;
                try {
                    auto working = work(i);
                    co_await std::move(working);
                } catch (...) {
                    thrown = std::current_exception();
                }
                release(of_type);
                if (thrown) std::rethrow_exception(thrown);
            }
        };
        std::size_t const workers = std::min<std::size_t>(last - first, limit_);
        if (workers <= 1) {
            auto alone = worker();
            co_await std::move(alone);
            co_return;
        }
        auto const home = co_await asio::this_coro::executor;
        using started = decltype(asio::co_spawn(home, worker(), asio::deferred));
        std::vector<started> all;
        for (std::size_t i = 0; i < workers; ++i) all.push_back(asio::co_spawn(home, worker(), asio::deferred));
        auto ending = all_of(std::move(all));
        co_await std::move(ending);
    }

    // \throws the exception of the first that failed, after all have ended
    template <class Started>
    [[nodiscard]] static auto all_of(std::vector<Started> all) -> task<void>
    {
        auto group = asio::experimental::make_parallel_group(std::move(all));
        auto ending = group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        auto const [order, thrown] = co_await std::move(ending);
        for (std::size_t const i : order)
            if (thrown[i]) std::rethrow_exception(thrown[i]);
    }

    // Does not wait. \return false if no permit was acquired
    [[nodiscard]] auto try_acquire(permits* of_type) -> bool
    {
        if (of_type != nullptr && !of_type->try_acquire()) return false;
        if (of_all_.try_acquire()) return true;
        if (of_type != nullptr) of_type->release();
        return false;
    }
    // Acquires the permit of the type first, so that a wait for it holds no permit that others need.
    [[nodiscard]] auto acquire(permits* of_type) -> task<void>
    {
        if (of_type != nullptr) {
            auto acquiring = of_type->acquire();
            co_await std::move(acquiring);
        }
        auto acquiring = of_all_.acquire();
        co_await std::move(acquiring);
    }
    void release(permits* of_type)
    {
        of_all_.release();
        if (of_type != nullptr) of_type->release();
    }

    Executor executor_;
    std::uint32_t limit_;
    std::uint32_t threads_;
    permits of_all_;
    std::map<std::string, permits, std::less<>> of_type_;
};

using concurrency_limiter = basic_concurrency_limiter<>;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP
