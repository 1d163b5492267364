// SPDX-License-Identifier: BSL-1.0
#include "background_task.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace iacctl {

namespace {

class background_threads {
public:
    auto run(std::function<void()> work) -> bool
    {
        std::unique_lock held(guard_);
        work_.push_back(std::move(work));
        if (work_.size() <= idle_) {
            has_work_.notify_one();
            return true;
        }
        if (threads_ + 1 == thread_count()) return false;
        try {
            std::thread([this] { run_all(); }).detach();
        } catch (std::exception const&) {  // the work can still run in the thread that needs its result
            if (threads_ == 0) work_.pop_back();
            return false;
        }
        ++threads_;
        return true;
    }

private:
    [[noreturn]] void run_all()
    {
        std::unique_lock held(guard_);
        while (true) {
            ++idle_;
            has_work_.wait(held, [this] { return !work_.empty(); });
            --idle_;
            auto work = std::move(work_.front());
            work_.pop_front();
            held.unlock();
            work();
            work = nullptr;
            held.lock();
        }
    }

    std::mutex guard_;
    std::condition_variable has_work_;
    std::deque<std::function<void()>> work_;
    std::size_t idle_ = 0;
    std::size_t threads_ = 0;
};

}  // namespace

auto thread_count() noexcept -> std::size_t
{
    static std::size_t const count = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 16);
    return count;
}

auto detail::run_in_background(std::function<void()> work) -> bool
{
    // Never destroyed: the process ends while its threads wait for work.
    static background_threads& threads = *new background_threads;
    return threads.run(std::move(work));
}

}  // namespace iacctl
