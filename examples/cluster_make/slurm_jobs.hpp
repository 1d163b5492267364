// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_SLURM_JOBS_HPP
#define CLUSTER_MAKE_SLURM_JOBS_HPP

#include "build_file.hpp"
#include "slurm_access.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cluster_make {

/// The end of a job of Slurm.
struct job_result {
    std::string state;  // as squeue prints it; "UNKNOWN": Slurm no longer knows the job
    std::uint32_t code = 0;  // of FAILED

    [[nodiscard]] auto is_done() const -> bool { return state == "COMPLETED"; }
    /// True if the job ran to its end.
    [[nodiscard]] auto has_exited() const -> bool { return is_done() || state == "FAILED"; }
    /// The end of the job as text, for a message.
    [[nodiscard]] auto text(job_needs const& of) const -> std::string
    {
        if (state == "FAILED") return "exit code " + std::to_string(code);
        if (state == "TIMEOUT")
            return "it exceeded its time limit" + (of.time.empty() ? std::string() : " (time=" + of.time + ")");
        if (state == "OUT_OF_MEMORY")
            return "it exceeded its memory" + (of.memory.empty() ? std::string() : " (memory=" + of.memory + ")");
        if (state == "CANCELLED") return "it was cancelled by scancel";
        if (state == "NODE_FAIL") return "its node failed";
        if (state == "PREEMPTED") return "it was preempted";
        if (state == "UNKNOWN") return "its outcome is unknown: Slurm has forgotten it, or does not answer";
        return "Slurm reports the state " + state;
    }
};

/// Jobs of Slurm. All calls are on the thread of the executor.
class slurm_jobs {
public:
    /// \param own  a folder for scripts and logs, which the nodes share
    slurm_jobs(std::string folder, std::string own, std::unique_ptr<slurm_access> by)
        : folder_(std::move(folder)),
          own_(std::move(own)),
          by_(std::move(by))
    {}
    slurm_jobs(slurm_jobs const&) = delete;
    auto operator=(slurm_jobs const&) -> slurm_jobs& = delete;

    /// Submits a task; Slurm repeats it after the loss of its node, unless the task must run only once.
    /// \return the id of the job
    /// \param first_token  the fencing token of its first attempt
    auto submit(task const& t, std::string key, std::uint64_t first_token) -> asio::awaitable<std::string>
    {
        std::string const script = own_ + "/jobs/" + t.name + ".sh";
        std::ofstream out(script, std::ios::binary | std::ios::trunc);
        out << "#!/bin/sh -e\nexport CLUSTER_MAKE_TOKEN=$((" << first_token << " + ${SLURM_RESTART_COUNT:-0}))\n"
            << t.script;
        if (!out.flush()) throw submission_refused(script + " cannot be written");
        job_request what;
        what.name = name_of(t);
        what.folder = folder_;
        what.script = script;
        what.log = own_ + "/logs/" + t.name + ".log";
        what.key = std::move(key);
        for (std::string const& label : t.labels) what.features += (what.features.empty() ? "" : "&") + label;
        what.needs = *t.job;
        what.requeue = !t.once;
        out.close();
        auto submitting = to_its_end(by_->submit(std::move(what)));
        co_return co_await std::move(submitting);
    }

    /// Cancels a job if it belongs to the task.
    auto cancel(task const& t, std::string id) -> asio::awaitable<void>
    {
        auto cancelling = to_its_end(cancelled(name_of(t), std::move(id)));
        (void)co_await std::move(cancelling);
    }

    /// Waits for the end of a job. If the coroutine is or was cancelled, it cancels the job and waits for its end.
    auto end_of(task const& t, std::string id) -> asio::awaitable<job_result>
    {
        auto const executor = co_await asio::this_coro::executor;
        co_await asio::this_coro::throw_if_cancelled(false);
        auto const at = waiting_.emplace(waiting_.end(), executor, std::move(id), name_of(t));
        pause_ = shortest_pause;
        if (!std::exchange(polls_, true)) asio::co_spawn(executor, poll(), asio::detached);
        for (bool cancelled = false; at->end.state.empty();) {
            auto const state = co_await asio::this_coro::cancellation_state;
            if (!cancelled && state.cancelled() != asio::cancellation_type::none) {
                cancelled = true;
                auto cancelling = cancel(t, at->id);
                co_await std::move(cancelling);
                pause_ = shortest_pause;
                continue;
            }
            auto waiting = at->ended.async_wait(asio::as_tuple(asio::use_awaitable));
            co_await std::move(waiting);
        }
        job_result end = std::move(at->end);
        waiting_.erase(at);
        co_return end;
    }

private:
    struct waiter {
        waiter(asio::any_io_executor const& on, std::string job, std::string job_name)
            : id(std::move(job)),
              name(std::move(job_name)),
              ended(on, asio::steady_timer::time_point::max())
        {}
        std::string id;
        std::string name;
        job_result end;
        asio::steady_timer ended;  // cancelled at the end
    };

    static constexpr auto shortest_pause = std::chrono::milliseconds(250);
    static constexpr auto longest_pause = std::chrono::milliseconds(5000);
    static constexpr unsigned max_failures = 20;

    // The name also identifies the job, because Slurm may reuse its id.
    static auto name_of(task const& t) -> std::string { return t.name + '.' + std::to_string(t.digest); }

    // If the cancellation fails, the job runs to its end.
    auto cancelled(std::string name, std::string id) -> asio::awaitable<bool>
    {
        try {
            auto cancelling = by_->cancel(std::move(name), std::move(id));
            co_await std::move(cancelling);
        } catch (std::exception const&) {
            co_return false;
        }
        co_return true;
    }

    // Runs a coroutine whose effect must be known: a cancellation does not reach it.
    template <class T>
    static auto to_its_end(asio::awaitable<T> what) -> asio::awaitable<T>
    {
        auto const executor = co_await asio::this_coro::executor;
        co_await asio::this_coro::throw_if_cancelled(false);
        asio::steady_timer ended(executor, asio::steady_timer::time_point::max());
        std::exception_ptr failed;
        std::optional<T> result;
        asio::co_spawn(executor, std::move(what), [&](std::exception_ptr error, T got) {
            failed = std::move(error);
            result = std::move(got);
            ended.cancel();
        });
        while (!result) {
            auto waiting = ended.async_wait(asio::as_tuple(asio::use_awaitable));
            co_await std::move(waiting);
        }
        if (failed) std::rethrow_exception(failed);
        co_return std::move(*result);
    }

    // Requests all jobs at once, at increasing intervals while no job ends, until no job is waited for.
    auto poll() -> asio::awaitable<void>
    {
        asio::steady_timer timer(co_await asio::this_coro::executor);
        unsigned failures = 0;
        while (!waiting_.empty()) {
            timer.expires_after(pause_);
            auto resting = timer.async_wait(asio::use_awaitable);
            co_await std::move(resting);
            pause_ = std::min(pause_ * 5 / 4, std::chrono::milliseconds(longest_pause));
            // The answer does not contain jobs that are submitted later.
            std::vector<waiter*> asked;
            for (waiter& one : waiting_) asked.push_back(&one);
            auto asking = by_->jobs();
            auto const known = co_await std::move(asking);
            failures = known ? 0 : failures + 1;
            if (!known && failures < max_failures) continue;
            take(asked, known.value_or(slurm_access::jobs_by_id()));
        }
        polls_ = false;
    }

    void take(std::vector<waiter*> const& asked, slurm_access::jobs_by_id const& known)
    {
        for (waiter* const one : asked) {
            if (!one->end.state.empty()) continue;
            auto const found = known.find(one->id);
            bool const is_known = found != known.end() && found->second.name == one->name;
            if (is_known && is_active(found->second.state)) continue;
            one->end = is_known ? job_result{found->second.state, found->second.code} : job_result{"UNKNOWN", 0};
            one->ended.cancel();
            pause_ = shortest_pause;
        }
    }

    static auto is_active(std::string const& state) -> bool
    {
        for (auto const* const final : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "PREEMPTED",
                 "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"})
            if (state == final) return false;
        return true;
    }

    std::string folder_;
    std::string own_;
    std::unique_ptr<slurm_access> by_;
    std::list<waiter> waiting_;
    std::chrono::milliseconds pause_ = shortest_pause;
    bool polls_ = false;
};

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_SLURM_JOBS_HPP
