// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_STORE_HPP
#define STRIDER_INFRA_SIM_STORE_HPP

#include <strider/core/result.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/sim/fault_plan.hpp>
#include <strider/walk/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// Durable state in memory: it outlives engines, executors and crashes.
///
/// Stores every batch, so that the state after any entry is available. A batch is written first and synchronized then; a crash
/// between both may lose, tear or reorder what was written (`restart`). A lease makes one writer at a time; its epoch fences
/// writers whose lease has expired.
class durable_state {
public:
    durable_state() = default;
    /// Starts with a state that was not written by entries.
    explicit durable_state(snapshot start) : start_(start), now_(std::move(start)) {}

    /// The state after all entries.
    [[nodiscard]] auto now() const noexcept -> snapshot const& { return now_; }
    /// The state before the first entry.
    [[nodiscard]] auto before_entries() const noexcept -> snapshot const& { return start_; }
    /// The written groups of entries, in order.
    [[nodiscard]] auto batches() const noexcept -> std::vector<std::vector<journal_entry>> const& { return batches_; }
    /// The entries of all groups, in order.
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
        ++version_;
        return true;
    }
    /// The number of changes so far. An engine that has read another version has read an older state.
    [[nodiscard]] auto version() const noexcept -> std::uint64_t { return version_; }
    /// Writes a batch, which is not durable before `synchronize`. \return its number
    [[nodiscard]] auto write(std::span<journal_entry const> batch) -> std::uint64_t
    {
        written_[++writes_].assign(batch.begin(), batch.end());
        return writes_;
    }
    /// Makes a batch durable that was written. \return as `append`
    [[nodiscard]] auto synchronize(std::uint64_t number) -> bool
    {
        auto const batch = written_.extract(number);
        return !batch.empty() && append(batch.mapped());
    }
    /// Drops a batch that was written.
    void discard(std::uint64_t number) { written_.erase(number); }
    /// After a crash: of what was written and not synchronized, a part survives, by seed. 0: nothing.
    ///
    /// Each entry is there, torn or lost, independent of the others. A store detects an entry that is torn or has no predecessor,
    /// so the state continues up to the first gap.
    void restart(std::uint64_t seed = 0)
    {
        auto const batches = std::exchange(written_, {});
        std::mt19937_64 random(seed);
        for (auto const& [_, batch] : batches) {
            std::size_t whole = 0;
            while (seed != 0 && whole < batch.size() && random() % 4 != 0) ++whole;
            if (whole != 0) (void)append(std::span(batch).first(whole));
            if (whole != batch.size()) return;
        }
    }

    /// Takes the lease, unless another holder has one that has not expired.
    /// \return the epoch, which is greater than those before; empty: the lease is taken
    [[nodiscard]] auto lock(std::string const& holder, std::chrono::nanoseconds now, std::chrono::nanoseconds time)
        -> std::optional<std::uint64_t>
    {
        if (!holder_.empty() && holder_ != holder && now < expiry_) return std::nullopt;
        holder_ = holder;
        expiry_ = now + time;
        return ++epoch_;
    }
    /// Ends the lease, if it is still that of the epoch.
    void unlock(std::uint64_t epoch)
    {
        if (epoch == epoch_) holder_.clear();
    }
    /// The epoch of the last lease.
    [[nodiscard]] auto epoch() const noexcept -> std::uint64_t { return epoch_; }
    /// Changes state from outside, as an editor or another program.
    void tamper(snapshot other)
    {
        start_ = other;
        now_ = std::move(other);
        batches_.clear();
        ++version_;
    }

private:
    static void name(snapshot& s)
    {
        if (s.lineage.empty()) s.lineage = "toy";
    }

    snapshot start_;
    snapshot now_;
    std::vector<std::vector<journal_entry>> batches_;
    std::map<std::uint64_t, std::vector<journal_entry>> written_;  // not synchronized, by number
    std::uint64_t writes_ = 0;
    std::string holder_;
    std::chrono::nanoseconds expiry_{};
    std::uint64_t epoch_ = 0;
    std::uint64_t version_ = 0;
};

/// A store with a clock policy. Names in the fault plan: "read" and, per group of entries, "commit"; a commit that
/// fails or throws stores nothing.
///
/// A commit fails if the state has changed since the engine read it, or if the lease was lost: of two engines on one state,
/// one at most continues.
template <class Clock = steady_clock>
class store {
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;

public:
    /// The engine refuses a state of this store that has no lineage.
    static constexpr bool keeps_lineage = true;

    /// A store in memory that outlives it. \param latency  of each commit, in the time of the clock
    explicit store(durable_state& in, strider::sim::fault_plan faults = {}, duration latency = duration::zero())
        : durable_(&in),
          faults_(std::move(faults)),
          latency_(latency)
    {}

    /// Reads the present state; later commits fail if another writer has written since.
    [[nodiscard]] auto read() -> task<result<snapshot, failure>>
    {
        auto taking = take_time(duration::zero());
        co_await std::move(taking);
        if (faults_.next("read") == fault::fails) co_return failure(sim_error(codes::state_unreadable));
        version_ = durable_->version();
        co_return durable_->now();
    }

    /// Takes the lease of the state for a time. \return false if another holder has it
    [[nodiscard]] auto lock(std::string holder, duration lease) -> task<bool>
    {
        auto taking = take_time(duration::zero());
        co_await std::move(taking);
        auto const home = co_await asio::this_coro::executor;
        epoch_ = durable_->lock(holder, Clock::now(home).time_since_epoch(), lease);
        co_return epoch_.has_value();
    }
    /// Ends the lease.
    void unlock()
    {
        if (auto const epoch = std::exchange(epoch_, std::nullopt)) durable_->unlock(*epoch);
    }

    /// Writes a group of entries at once, and waits for the latency. Returns an error if a fault or another writer
    /// fails it.
    [[nodiscard]] auto append(std::span<journal_entry const> batch, snapshot const&) -> task<error_code>
    {
        fault const f = faults_.next("commit");
        duration time = latency_;
        if (f == fault::slow) time += std::chrono::duration_cast<duration>(faults_.delay());
        std::uint64_t const written = durable_->write(batch);
        auto taking = take_time(time);
        co_await std::move(taking);
        error_code error = overtaken();
        if (f == fault::fails) error = make_error_code(boost::system::errc::no_space_on_device);
        if (error || f == fault::throws) durable_->discard(written);
        if (f == fault::throws) throw std::runtime_error("the disk failed");
        if (error) co_return error;
        bool const followed = durable_->synchronize(written);
        version_ = durable_->version();
        if (!followed) co_return make_error_code(boost::system::errc::state_not_recoverable);
        co_return error_code();
    }

private:
    // The error if another engine has the lease, or has changed the state.
    [[nodiscard]] auto overtaken() const -> error_code
    {
        if (epoch_ && *epoch_ != durable_->epoch()) return make_error_code(boost::system::errc::no_lock_available);
        if (version_ && *version_ != durable_->version())
            return make_error_code(boost::system::errc::state_not_recoverable);
        return {};
    }
    [[nodiscard]] auto take_time(duration time) -> task<void>
    {
        auto const home = co_await asio::this_coro::executor;
        if (time == duration::zero()) {
            auto yielded = asio::post(home, asio::use_awaitable);
            co_await std::move(yielded);
            co_return;
        }
        strider::clock_timer_t<Clock> timer(home);
        timer.expires_after(time);
        auto const token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        co_await std::move(waiting);
    }

    durable_state* durable_;
    strider::sim::fault_plan faults_;
    duration latency_;
    std::optional<std::uint64_t> epoch_;  // of the lease
    std::optional<std::uint64_t> version_;  // that was read, or written
};

static_assert(state_store<store<>>);

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_STORE_HPP
