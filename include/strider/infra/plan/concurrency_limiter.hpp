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

/// Works on the instances of a declaration, several at once: a resource of a hundred instances is read as fast as a hundred
/// resources. Over all declarations no more operations are under way than the limits allow.
///
/// The lanes of one declaration share the strand of its visit, so what they find needs no lock: only waiting overlaps. With one
/// lane instances are worked on in their order.
class instance_lanes {
    using tokens = asio::experimental::concurrent_channel<asio::any_io_executor, void(error_code)>;

public:
    instance_lanes(asio::any_io_executor const& executor, execution_limits const& limits)
        : limit_(limits.max_concurrency()),
          of_all_(make(executor, limit_))
    {
        for (auto const& [type, limit] : limits.of_type)
            of_type_.emplace(type, make(executor, std::max<std::uint32_t>(limit, 1)));
    }

    /// Awaits `work(i)`, a task, for each `i` below `count`. \pre runs on a strand
    /// \throws what the first lane to fail has thrown, after all have ended
    template <class Work>
    [[nodiscard]] auto for_each(std::string type, std::size_t count, Work work) -> task<void>
    {
        auto const found = of_type_.find(type);
        tokens* const of_type = found == of_type_.end() ? nullptr : found->second.get();
        std::size_t next = 0;
        auto const lane = [&]() -> task<void> {
            while (next < count) {
                std::size_t const i = next++;
                if (!take_at_once(of_type)) {
                    auto taking = take(of_type);
                    co_await std::move(taking);
                }
                std::exception_ptr thrown;
                try {
                    auto working = work(i);
                    co_await std::move(working);
                } catch (...) {
                    thrown = std::current_exception();
                }
                give(of_type);
                if (thrown) std::rethrow_exception(thrown);
            }
        };
        std::size_t const lanes = std::min<std::size_t>(count, limit_);
        if (lanes <= 1) {
            auto alone = lane();
            co_await std::move(alone);
            co_return;
        }
        auto const home = co_await asio::this_coro::executor;
        using started = decltype(asio::co_spawn(home, lane(), asio::deferred));
        std::vector<started> all;
        for (std::size_t i = 0; i < lanes; ++i) all.push_back(asio::co_spawn(home, lane(), asio::deferred));
        auto group = asio::experimental::make_parallel_group(std::move(all));
        auto ending = group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
        auto const [order, thrown] = co_await std::move(ending);
        for (std::size_t const i : order)
            if (thrown[i]) std::rethrow_exception(thrown[i]);
    }

private:
    [[nodiscard]] static auto make(asio::any_io_executor const& executor, std::uint32_t limit)
        -> std::unique_ptr<tokens>
    {
        auto made = std::make_unique<tokens>(executor, limit);
        for (std::uint32_t i = 0; i < limit; ++i) made->try_send(error_code());
        return made;
    }
    // Without waiting. False: nothing was taken.
    [[nodiscard]] auto take_at_once(tokens* of_type) -> bool
    {
        auto const taken = [](error_code) {};
        if (of_type != nullptr && !of_type->try_receive(taken)) return false;
        if (of_all_->try_receive(taken)) return true;
        if (of_type != nullptr) of_type->try_send(error_code());
        return false;
    }
    // The one of the type first: who waits for it holds back nobody else.
    [[nodiscard]] auto take(tokens* of_type) -> task<void>
    {
        if (of_type != nullptr) {
            auto taking = receive(*of_type);
            co_await std::move(taking);
        }
        auto taking = receive(*of_all_);
        co_await std::move(taking);
    }
    [[nodiscard]] static auto receive(tokens& from) -> task<void>
    {
        if (from.try_receive([](error_code) {})) co_return;
        auto token = asio::as_tuple(asio::use_awaitable);
        auto receiving = from.async_receive(token);
        co_await std::move(receiving);
    }
    void give(tokens* of_type)
    {
        of_all_->try_send(error_code());
        if (of_type != nullptr) of_type->try_send(error_code());
    }

    std::uint32_t limit_;
    std::unique_ptr<tokens> of_all_;
    std::map<std::string, std::unique_ptr<tokens>, std::less<>> of_type_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_CONCURRENCY_LIMITER_HPP
