// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_STORE_HPP
#define STRIDER_INFRA_SIM_STORE_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/sim/fault_plan.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// Durable state in memory: it outlives engines, executors and crashes.
///
/// Stores every batch, so that the state after any entry is available.
class durable_state {
public:
    durable_state() = default;
    explicit durable_state(snapshot start) : start_(start), now_(std::move(start)) {}

    [[nodiscard]] auto now() const noexcept -> snapshot const& { return now_; }
    /// The state before the first entry.
    [[nodiscard]] auto before_entries() const noexcept -> snapshot const& { return start_; }
    [[nodiscard]] auto batches() const noexcept -> std::vector<std::vector<journal_entry>> const& { return batches_; }
    [[nodiscard]] auto entries() const -> std::vector<journal_entry>
    {
        std::vector<journal_entry> all;
        for (auto const& batch : batches_) all.insert(all.end(), batch.begin(), batch.end());
        return all;
    }
    /// The state after the first `count` entries, or an error if they are inconsistent.
    [[nodiscard]] auto after(std::size_t count) const -> result<snapshot>
    {
        snapshot s = start_;
        for (journal_entry const& e : entries()) {
            if (count-- == 0) break;
            if (auto const done = replay(s, e); !done) return done.error();
            name(s);
        }
        return s;
    }

    /// \return false, without storing anything, if the entries are inconsistent
    [[nodiscard]] auto append(std::span<journal_entry const> batch) -> bool
    {
        snapshot next = now_;
        for (journal_entry const& e : batch)
            if (!replay(next, e)) return false;
        name(next);
        now_ = std::move(next);
        batches_.emplace_back(batch.begin(), batch.end());
        return true;
    }
    /// Changes state from outside, as an editor or another program.
    void tamper(snapshot other)
    {
        start_ = other;
        now_ = std::move(other);
        batches_.clear();
    }

private:
    static void name(snapshot& s)
    {
        if (s.lineage.empty()) s.lineage = "toy";
    }

    snapshot start_;
    snapshot now_;
    std::vector<std::vector<journal_entry>> batches_;
};

/// A store with a clock policy. Names in the fault plan: "read" and, per group of entries, "commit"; a commit that
/// fails or throws stores nothing.
template <class Clock = steady_clock>
class store {
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;

public:
    static constexpr bool keeps_lineage = true;

    explicit store(durable_state& in, strider::sim::fault_plan faults = {}, duration latency = duration::zero())
        : durable_(&in),
          faults_(std::move(faults)),
          latency_(latency)
    {}

    [[nodiscard]] auto read() -> task<expected<snapshot>>
    {
        auto taking = take_time(duration::zero());
        co_await std::move(taking);
        if (faults_.next("read") == fault::fails) co_return failure(sim_error(codes::state_unreadable));
        co_return durable_->now();
    }

    [[nodiscard]] auto append(std::span<journal_entry const> batch, snapshot const&) -> task<error_code>
    {
        fault const f = faults_.next("commit");
        duration time = latency_;
        if (f == fault::slow) time += std::chrono::duration_cast<duration>(faults_.delay());
        auto taking = take_time(time);
        co_await std::move(taking);
        if (f == fault::throws) throw std::runtime_error("the disk failed");
        if (f == fault::fails) co_return make_error_code(boost::system::errc::no_space_on_device);
        if (!durable_->append(batch)) co_return make_error_code(boost::system::errc::state_not_recoverable);
        co_return error_code();
    }

private:
    [[nodiscard]] auto take_time(duration time) -> task<void>
    {
        auto const home = co_await asio::this_coro::executor;
        if (time == duration::zero()) {
            auto yielded = asio::post(home, asio::use_awaitable);
            co_await std::move(yielded);
            co_return;
        }
        typename Clock::timer_type timer(home);
        timer.expires_after(time);
        auto const token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        co_await std::move(waiting);
    }

    durable_state* durable_;
    strider::sim::fault_plan faults_;
    duration latency_;
};

static_assert(state_store<store<>>);

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_STORE_HPP
