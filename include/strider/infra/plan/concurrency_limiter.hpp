// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP
#define STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP

#include <strider/infra/program/execution_limits.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/asio_groups.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Limits the operations that run at once on the instances of all declarations: in total, and for each type of resource.
///
/// Several coroutines on the strand of a visit process the instances of one declaration: they share data without
/// locks, and only their waits overlap. With a limit of one, instances are processed in order.
template <class Executor = asio::any_io_executor>
class basic_concurrency_limiter {
    using permits = asio::experimental::concurrent_channel<Executor, void(error_code)>;

public:
    /// Takes the limits of a run: one of all work, and one for each type that has a limit.
    basic_concurrency_limiter(Executor const& executor, execution_limits const& limits)
        : limit_(limits.max_concurrency()),
          of_all_(make(executor, limit_))
    {
        for (auto const& [type, limit] : limits.of_type)
            of_type_.emplace(type, make(executor, std::max<std::uint32_t>(limit, 1)));
    }

    /// Awaits `work(i)`, a task, for each `i` below `count`. \pre runs on a strand
    /// \throws the exception of the first coroutine that failed, after all have ended
    template <class Work>
    [[nodiscard]] auto for_each(std::string type, std::size_t count, Work work) -> task<void>
    {
        auto const found = of_type_.find(type);
        permits* const of_type = found == of_type_.end() ? nullptr : found->second.get();
        std::size_t next = 0;
        auto const worker = [&]() -> task<void> {
            while (next < count) {
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
        std::size_t const workers = std::min<std::size_t>(count, limit_);
        if (workers <= 1) {
            auto alone = worker();
            co_await std::move(alone);
            co_return;
        }
        auto const home = co_await asio::this_coro::executor;
        using started = decltype(asio::co_spawn(home, worker(), asio::deferred));
        std::vector<started> all;
        for (std::size_t i = 0; i < workers; ++i) all.push_back(asio::co_spawn(home, worker(), asio::deferred));
        auto group = asio::experimental::make_parallel_group(std::move(all));
        auto ending = group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        auto const [order, thrown] = co_await std::move(ending);
        for (std::size_t const i : order)
            if (thrown[i]) std::rethrow_exception(thrown[i]);
    }

private:
    [[nodiscard]] static auto make(Executor const& executor, std::uint32_t limit) -> std::unique_ptr<permits>
    {
        auto made = std::make_unique<permits>(executor, limit);
        for (std::uint32_t i = 0; i < limit; ++i) made->try_send(error_code());
        return made;
    }
    // Does not wait. \return false if no permit was acquired
    [[nodiscard]] auto try_acquire(permits* of_type) -> bool
    {
        auto const acquired = [](error_code) {};
        if (of_type != nullptr && !of_type->try_receive(acquired)) return false;
        if (of_all_->try_receive(acquired)) return true;
        if (of_type != nullptr) of_type->try_send(error_code());
        return false;
    }
    // Acquires the permit of the type first, so that a wait for it holds no permit that others need.
    [[nodiscard]] auto acquire(permits* of_type) -> task<void>
    {
        if (of_type != nullptr) {
            auto taking = receive(*of_type);
            co_await std::move(taking);
        }
        auto taking = receive(*of_all_);
        co_await std::move(taking);
    }
    [[nodiscard]] static auto receive(permits& from) -> task<void>
    {
        if (from.try_receive([](error_code) {})) co_return;
        auto token = asio::as_tuple(asio::use_awaitable);
        auto receiving = from.async_receive(token);
        co_await std::move(receiving);
    }
    void release(permits* of_type)
    {
        of_all_->try_send(error_code());
        if (of_type != nullptr) of_type->try_send(error_code());
    }

    std::uint32_t limit_;
    std::unique_ptr<permits> of_all_;
    std::map<std::string, std::unique_ptr<permits>, std::less<>> of_type_;
};

using concurrency_limiter = basic_concurrency_limiter<>;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP
