// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_BACKGROUND_TASK_HPP
#define IACCTL_BASE_BACKGROUND_TASK_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace iacctl {

/// The number of threads that computations use: the processors of the machine, at least 2 and at most 16.
[[nodiscard]] auto thread_count() noexcept -> std::size_t;

namespace detail {

/// Passes work to one of the `thread_count() - 1` background threads of the process. They start when they are needed,
/// and stay.
/// \return true if a thread is free for it; otherwise it runs when other work has ended, or never
auto run_in_background(std::function<void()> work) -> bool;

}  // namespace detail

/// A computation that runs in a background thread, or in the thread that calls `get` if it has not begun by then. So `get`
/// never waits for a thread to become free: tasks may wait for other tasks, and work without any background thread.
template <class Result>
class background_task {
public:
    /// \pre `work` may be called in any thread.
    explicit background_task(std::function<Result()> work) : state_(std::make_shared<state>(std::move(work)))
    {
        has_thread_ = detail::run_in_background([state = state_] {
            if (state->claim()) state->run();
        });
    }
    background_task(background_task const&) = delete;
    background_task(background_task&&) = delete;
    auto operator=(background_task const&) -> background_task& = delete;
    auto operator=(background_task&&) -> background_task& = delete;
    /// Waits for the end of work that has begun. Other work never begins.
    ~background_task()
    {
        if (state_->claim()) state_->discard();
        else if (result_.valid()) result_.wait();
    }

    /// Returns true if a thread was free for the work when it was passed on.
    [[nodiscard]] auto has_thread() const noexcept -> bool { return has_thread_; }
    /// Returns the result of the work. \pre it was not called before \throws the exception of the work
    auto get() -> Result
    {
        if (state_->claim()) state_->run();
        return result_.get();
    }

private:
    class state {
    public:
        explicit state(std::function<Result()> work) : work_(std::move(work)) {}
        [[nodiscard]] auto claim() noexcept -> bool { return !claimed_.exchange(true); }
        [[nodiscard]] auto result() -> std::future<Result> { return result_.get_future(); }
        void discard() noexcept { work_ = nullptr; }
        // The work is destroyed before its result is available, because it may refer to variables of its owner.
        void run()
        {
            try {
                if constexpr (std::is_void_v<Result>) {
                    std::exchange(work_, nullptr)();
                    result_.set_value();
                } else {
                    Result made = std::exchange(work_, nullptr)();
                    result_.set_value(std::move(made));
                }
            } catch (...) {
                result_.set_exception(std::current_exception());
            }
        }

    private:
        std::function<Result()> work_;
        std::promise<Result> result_;
        std::atomic<bool> claimed_ = false;
    };

    std::shared_ptr<state> state_;
    std::future<Result> result_ = state_->result();
    bool has_thread_ = false;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_BACKGROUND_TASK_HPP
