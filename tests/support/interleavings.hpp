// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_INTERLEAVINGS_HPP
#define STRIDER_TESTS_SUPPORT_INTERLEAVINGS_HPP

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/// Runs a protocol of a few threads in every order of its atomic operations with a bounded number of preemptions.
///
/// One thread runs at a time. Before each operation on a `stepped` atomic, the next thread is selected; all selections
/// are enumerated depth first. This checks the logic under sequential consistency. ThreadSanitizer checks the memory
/// orders with real threads.
namespace strider::test {

class interleavings {
public:
    using body = std::function<void()>;

    explicit interleavings(unsigned preemptions) : allowed_(preemptions) {}

    /// Calls `world` for each order; it returns the threads to run. Calls `check` when they have ended. \return how many
    auto explore(std::function<std::vector<body>()> const& world, std::function<bool()> const& check) -> std::size_t
    {
        std::size_t orders = 0;
        do {
            run(world());
            ++orders;
            if (!check()) {
                failed_ = true;
                return orders;
            }
        } while (next_order());
        return orders;
    }
    [[nodiscard]] auto failed() const noexcept -> bool { return failed_; }

    /// A point at which another thread may continue. No cost outside of an exploration.
    static void step()
    {
        if (here_ != nullptr) here_->pass(me_, true);
    }

private:
    struct choice {
        std::size_t taken;
        std::size_t options;
    };

    void run(std::vector<body> bodies)
    {
        at_ = 0;
        left_ = allowed_;
        alive_.assign(bodies.size(), true);
        turn_ = bodies.size();
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            threads.emplace_back([this, i, &bodies] {
                here_ = this;
                me_ = i;
                wait_for_turn(i);
                bodies[i]();
                pass(i, false);
                here_ = nullptr;
            });
        choose(bodies.size(), false);
        for (std::thread& t : threads) t.join();
    }

    void wait_for_turn(std::size_t i)
    {
        std::unique_lock lock(mutex_);
        turned_.wait(lock, [&] { return turn_ == i; });
    }

    void pass(std::size_t me, bool goes_on)
    {
        if (choose(me, goes_on) != me && goes_on) wait_for_turn(me);
    }

    // The first option is to continue with the same thread; while this is possible, any other option is a preemption.
    auto choose(std::size_t me, bool goes_on) -> std::size_t
    {
        std::unique_lock lock(mutex_);
        if (me < alive_.size()) alive_[me] = goes_on;
        std::vector<std::size_t> options;
        if (goes_on) options.push_back(me);
        if (!goes_on || left_ != 0)
            for (std::size_t i = 0; i < alive_.size(); ++i)
                if (alive_[i] && i != me) options.push_back(i);
        if (options.empty()) return me;
        std::size_t taken = 0;
        if (options.size() > 1) {
            if (at_ == path_.size()) path_.push_back({0, options.size()});
            taken = path_[at_++].taken;
        }
        if (goes_on && taken != 0) --left_;
        std::size_t const next = options[taken];
        if (next != me) {
            turn_ = next;
            turned_.notify_all();
        }
        return next;
    }

    auto next_order() -> bool
    {
        while (!path_.empty() && path_.back().taken + 1 == path_.back().options) path_.pop_back();
        if (path_.empty()) return false;
        ++path_.back().taken;
        return true;
    }

    inline static thread_local interleavings* here_ = nullptr;
    inline static thread_local std::size_t me_ = 0;

    std::mutex mutex_;
    std::condition_variable turned_;
    std::vector<choice> path_;
    std::vector<bool> alive_;
    std::size_t at_ = 0;
    std::size_t turn_ = 0;
    unsigned allowed_;
    unsigned left_ = 0;
    bool failed_ = false;
};

/// Replaces `std::atomic` in the explored code.
template <class T>
class stepped {
public:
    stepped() = default;
    stepped(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic

    [[nodiscard]] auto load(std::memory_order order) const -> T
    {
        interleavings::step();
        return value_.load(order);
    }
    void store(T value, std::memory_order order)
    {
        interleavings::step();
        value_.store(value, order);
    }
    auto fetch_add(T more, std::memory_order order) -> T
    {
        interleavings::step();
        return value_.fetch_add(more, order);
    }
    auto fetch_sub(T less, std::memory_order order) -> T
    {
        interleavings::step();
        return value_.fetch_sub(less, order);
    }
    auto compare_exchange_strong(T& expected, T value, std::memory_order order) -> bool
    {
        interleavings::step();
        return value_.compare_exchange_strong(expected, value, order);
    }
    auto compare_exchange_weak(T& expected, T value, std::memory_order order) -> bool
    {
        return compare_exchange_strong(expected, value, order);
    }

private:
    std::atomic<T> value_{};
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_INTERLEAVINGS_HPP
