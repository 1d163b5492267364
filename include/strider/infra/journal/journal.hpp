// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_JOURNAL_JOURNAL_HPP
#define STRIDER_INFRA_JOURNAL_JOURNAL_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/asio.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace strider::infra {

/// The live snapshot of a run, and the interface to change it: entries are committed in groups and then take effect.
///
/// A strand collects entries. One coroutine takes the collected entries, applies them with `replay`, calls the store
/// to make them durable, and completes their waiters in order; meanwhile the next group is collected. There is no
/// timer: the duration of a commit is the collection window. After a failed commit every later entry completes with
/// the same error, while the snapshot contains all entries, for a rescue copy.
///
/// The store and the journal must outlive all operations.
template <state_store Store>
class basic_journal {
public:
    /// Starts with the state that the store has read. \param executor  its strand orders all appends
    basic_journal(asio::any_io_executor executor, Store& store, snapshot start)
        : shared_(std::make_shared<shared_state>(std::move(executor), store, std::move(start)))
    {}

    /// Makes an entry durable. Cancellation is ignored, because operations that were started must be settled.
    [[nodiscard]] auto append(journal_entry entry) -> task<error_code>
    {
        std::vector<journal_entry> one;
        one.push_back(std::move(entry));
        return append_all(std::move(one));
    }

    /// Makes several entries durable, together and in this order. Without entries, waits for all earlier ones.
    [[nodiscard]] auto append_all(std::vector<journal_entry> entries) -> task<error_code>
    {
        return enqueue(shared_, std::move(entries));
    }

    /// Adds an entry without waiting; entries that are appended later become durable later.
    /// \param then  called with the result, before the waiters of later entries continue; must not throw
    void take(journal_entry entry, std::function<void(error_code const&)> then = [](error_code const&) {})
    {
        std::vector<journal_entry> one;
        one.push_back(std::move(entry));
        enter(shared_, waiter{std::move(then), {}}, std::move(one));
    }

    /// State with all added entries, durable or not. \pre no append is in progress
    [[nodiscard]] auto live() const noexcept -> snapshot const& { return shared_->live; }
    /// The same, which the journal then has no more. \pre no append is in progress, and none follows
    [[nodiscard]] auto take_live() noexcept -> snapshot { return std::move(shared_->live); }
    /// The error of the failed commit. \pre no append is in progress
    [[nodiscard]] auto error() const noexcept -> error_code { return shared_->error; }
    /// Returns whether a commit has failed: no later entry becomes durable. Thread-safe.
    [[nodiscard]] auto has_failed() const noexcept -> bool { return shared_->failed.load(std::memory_order_relaxed); }
    /// The number of entries that wait for the next commit. Thread-safe; may be out of date when it returns.
    [[nodiscard]] auto backlog() const noexcept -> std::size_t
    {
        return shared_->backlog.load(std::memory_order_relaxed);
    }
    /// The number of committed groups. \pre no append is in progress
    [[nodiscard]] auto commits() const noexcept -> std::size_t { return shared_->commits; }
    /// The number of entries in these groups. \pre no append is in progress
    [[nodiscard]] auto entries() const noexcept -> std::size_t { return shared_->entries; }

private:
    static constexpr int yields_before_commit = 6;

    struct waiter {
        asio::any_completion_handler<void(error_code)> handler;
        asio::any_io_executor executor;  // null: does not wait, and is called on the strand
    };

    // Shared with the committing coroutine, which reads the queue once more after the last waiter has completed.
    struct shared_state {
        shared_state(asio::any_io_executor executor, Store& to, snapshot start)
            : strand(asio::make_strand(std::move(executor))),
              store(&to),
              live(std::move(start))
        {}
        asio::strand<asio::any_io_executor> strand;
        Store* store;
        snapshot live;
        std::vector<journal_entry> queue;
        std::vector<waiter> waiters;
        error_code error;
        std::atomic<bool> failed = false;  // as `error`, for other threads
        std::atomic<std::size_t> backlog = 0;
        std::size_t commits = 0;
        std::size_t entries = 0;
        bool committing = false;
    };

    // A waiting coroutine owns the shared state, and the shared state owns the handler of the coroutine. If a commit
    // is abandoned because its context is destroyed, the guard breaks this cycle.
    class commit_guard {
    public:
        explicit commit_guard(std::shared_ptr<shared_state> of) noexcept : shared_(std::move(of)) {}
        commit_guard(commit_guard&&) noexcept = default;
        auto operator=(commit_guard&&) -> commit_guard& = delete;
        ~commit_guard()
        {
            if (shared_) std::exchange(shared_->waiters, {}).clear();
        }
        [[nodiscard]] auto operator*() const noexcept -> shared_state& { return *shared_; }
        void end() noexcept
        {
            shared_->committing = false;
            shared_.reset();
        }

    private:
        std::shared_ptr<shared_state> shared_;
    };

    struct enqueue_entries {
        template <class Handler>
        void operator()(Handler handler, std::shared_ptr<shared_state> to, std::vector<journal_entry> batch) const
        {
            asio::any_io_executor executor = asio::get_associated_executor(handler, to->strand);
            enter(std::move(to), waiter{std::move(handler), std::move(executor)}, std::move(batch));
        }
    };

    static void enter(std::shared_ptr<shared_state> to, waiter w, std::vector<journal_entry> batch)
    {
        auto const strand = to->strand;
        to->backlog.fetch_add(batch.size(), std::memory_order_relaxed);
        asio::dispatch(strand, [to = std::move(to), w = std::move(w), batch = std::move(batch)]() mutable {
            for (journal_entry& e : batch) to->queue.push_back(std::move(e));
            to->waiters.push_back(std::move(w));
            if (std::exchange(to->committing, true)) return;
            auto on = to->strand;
            asio::co_spawn(on, commit(commit_guard(std::move(to))), asio::detached);
        });
    }

    [[nodiscard]] static auto enqueue(std::shared_ptr<shared_state> to, std::vector<journal_entry> entries)
        -> task<error_code>
    {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto committed = asio::async_initiate<decltype(token), void(error_code)>(
            enqueue_entries(), token, std::move(to), std::move(entries));
        auto const [error] = co_await std::move(committed);
        co_return error;
    }

    [[nodiscard]] static auto commit(commit_guard guard) -> task<void>
    {
        shared_state* const b = &*guard;
        auto const inner = b->strand.get_inner_executor();
        while (!b->waiters.empty()) {
            // The waiters of the last commit continue now, and most append another entry soon. Yielding a few times
            // to the executor includes these entries; otherwise a commit of the first one would delay all the others.
            for (int i = 0; i < yields_before_commit; ++i) {
                auto yielded = asio::post(inner, asio::use_awaitable);
                co_await std::move(yielded);
            }
            std::vector<journal_entry> const batch = std::exchange(b->queue, {});
            std::vector<waiter> waiting = std::exchange(b->waiters, {});
            b->backlog.fetch_sub(batch.size(), std::memory_order_relaxed);
            for (journal_entry const& e : batch)
                if (!replay(b->live, e) && !b->error)
                    b->error = make_error_code(boost::system::errc::state_not_recoverable);
            b->entries += batch.size();
            if (!b->error && !batch.empty()) {
                bool thrown = false;
                try {
                    auto appended = b->store->append(std::span<journal_entry const>(batch), b->live);
                    b->error = co_await std::move(appended);
                } catch (...) {
                    thrown = true;
                }
                if (thrown) b->error = make_error_code(boost::system::errc::io_error);
                ++b->commits;
            }
            if (b->error) b->failed.store(true, std::memory_order_relaxed);
            // An operation whose begin was not committed is not performed, so it needs no decision later.
            for (journal_entry const& e : batch)
                if (b->error && e.kind() == journal_entry::kind_type::begin)
                    (void)replay(b->live, journal_entry::end(e.operation(), {}, true));
            for (waiter& w : waiting) {
                auto complete = [handler = std::move(w.handler), error = b->error]() mutable {
                    std::move(handler)(error);
                };
                if (w.executor) asio::post(w.executor, std::move(complete));
                else complete();
            }
        }
        guard.end();
    }

    std::shared_ptr<shared_state> shared_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_JOURNAL_JOURNAL_HPP
