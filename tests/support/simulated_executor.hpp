// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_SIMULATED_EXECUTOR_HPP
#define STRIDER_TESTS_SUPPORT_SIMULATED_EXECUTOR_HPP

#include <strider/walk/asio.hpp>

#include <support/simulated_threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::test {

/// A thread pool whose threads are fibres. A thread takes any of the waiting tasks; a task sees all effects from before
/// it was posted. The pool randomly refuses tasks with an exception, or destroys them without a call.
class simulated_pool {
public:
    class executor_type {
    public:
        executor_type(simulated_pool& pool, bool fails) noexcept : pool_(&pool), fails_(fails) {}

        [[nodiscard]] auto query(asio::execution::occupancy_t) const noexcept -> std::size_t { return pool_->threads_; }
        [[nodiscard]] auto query(asio::execution::blocking_t) const noexcept -> asio::execution::blocking_t
        {
            return asio::execution::blocking_t::never_t();
        }
        [[nodiscard]] auto require(asio::execution::blocking_t::never_t) const noexcept -> executor_type
        {
            return *this;
        }
        template <class F>
        void execute(F&& f) const
        {
            pool_->post(std::make_unique<task_of<std::decay_t<F>>>(std::forward<F>(f)), fails_);
        }
        friend auto operator==(executor_type, executor_type) noexcept -> bool = default;

    private:
        simulated_pool* pool_;
        bool fails_;
    };

    /// \param refuses_one_in, destroys_one_in the frequency of refused and destroyed tasks; 0: never
    simulated_pool(
        simulation& world, std::size_t threads, std::uint32_t refuses_one_in = 0, std::uint32_t destroys_one_in = 0)
        : world_(world),
          threads_(threads),
          refuses_one_in_(refuses_one_in),
          destroys_one_in_(destroys_one_in)
    {}

    [[nodiscard]] auto get_executor() noexcept -> executor_type { return executor_type(*this, true); }
    /// An executor that accepts and runs all tasks.
    [[nodiscard]] auto get_safe_executor() noexcept -> executor_type { return executor_type(*this, false); }
    [[nodiscard]] auto threads() const noexcept -> std::size_t { return threads_; }
    [[nodiscard]] auto has_refused() const noexcept -> bool { return has_refused_; }
    [[nodiscard]] auto has_destroyed() const noexcept -> bool { return has_destroyed_; }
    [[nodiscard]] auto is_idle() const noexcept -> bool { return tasks_.empty() && busy_ == 0; }

    /// The body of each thread of the pool.
    void work()
    {
        for (;;) {
            world_.wait_until([this] { return !tasks_.empty() || is_over_; });
            if (tasks_.empty() && is_over_) return;
            if (tasks_.empty()) continue;
            std::swap(tasks_[world_.random(tasks_.size())], tasks_.back());
            entry next = std::move(tasks_.back());
            tasks_.pop_back();
            ++busy_;
            world_.see(next.posted_at);
            world_.step();
            if (!next.is_destroyed) next.what->run();
            next.what.reset();
            --busy_;
        }
    }
    /// The threads end when there is no task left.
    void close() { is_over_ = true; }

private:
    struct task {
        task() = default;
        task(task const&) = delete;
        auto operator=(task const&) -> task& = delete;
        virtual ~task() = default;
        virtual void run() = 0;
    };
    template <class F>
    struct task_of final : task {
        explicit task_of(F&& of) : f(std::move(of)) {}
        explicit task_of(F const& of) : f(of) {}
        void run() override
        {
            F last(std::move(f));
            last();
        }
        F f;
    };
    struct entry {
        std::unique_ptr<task> what;
        fibre_clocks posted_at;
        bool is_destroyed;
    };

    void post(std::unique_ptr<task> what, bool fails)
    {
        if (fails && world_.one_in(refuses_one_in_)) {
            has_refused_ = true;
            throw std::bad_alloc();
        }
        bool const is_destroyed = fails && world_.one_in(destroys_one_in_);
        has_destroyed_ = has_destroyed_ || is_destroyed;
        tasks_.push_back({std::move(what), world_.clocks(), is_destroyed});
    }

    simulation& world_;
    std::size_t threads_;
    std::vector<entry> tasks_;
    std::size_t busy_ = 0;
    std::uint32_t refuses_one_in_;
    std::uint32_t destroys_one_in_;
    bool is_over_ = false;
    bool has_refused_ = false;
    bool has_destroyed_ = false;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_SIMULATED_EXECUTOR_HPP
