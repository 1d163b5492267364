// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_SIMULATED_THREADS_HPP
#define STRIDER_TESTS_SUPPORT_SIMULATED_THREADS_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <support/fibre.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

/// Simulated threads that one seed schedules in one thread: fibres, atomic variables with weak memory, and a clock.
///
/// *Interleavings.* Each operation on a `simulated_atomic` is a point at which another fibre may continue.
///
/// *Weak memory.* A variable keeps its latest values in modification order. A load returns any of them that coherence and
/// happens-before permit, so a missing acquire or release shows. Happens-before is computed with vector clocks: of release
/// stores and the acquire loads that read them, with release sequences, and of tasks that are posted. Sequentially consistent
/// operations take place in the order of their execution. The model permits a subset of the executions that C++20 permits: a
/// store is always the last in modification order, and no load reads from a store that has not been executed.
///
/// *Faults.* A fault changes the effect of some operations, by the name of the variable. It proves that the laws of a
/// test can be violated.
///
/// References: B. Norris, B. Demsky, "CDSChecker: checking concurrent data structures written with C/C++ atomics", 2013;
/// D. Vyukov, "Relacy Race Detector".
namespace strider::test {

inline constexpr std::size_t most_fibres = 7;
using fibre_clocks = std::array<std::uint32_t, most_fibres>;

enum class planted_fault : std::uint8_t {
    none,
    relaxed_counters,  // settled dependencies order nothing
    relaxed_termination,  // workers that leave order nothing
    no_second_look,  // a worker that has left does not see offers of others
    no_last_element_race,  // the owner of a deque takes the last entry without synchronization
    double_settle,  // sometimes a dependency is counted twice
    late_join,  // a run that is over can be joined
    lost_offer,  // offers are not counted
    relaxed_deque,  // entries are published without order
};

class simulation {
public:
    using body = std::function<void()>;

    explicit simulation(std::uint64_t seed, planted_fault fault = planted_fault::none)
        : random_(seed * 2 + 1),
          fault_(fault)
    {
        for (int i = 0; i < 4; ++i) (void)next_random();
        std::array<std::uint32_t, 5> constexpr one_in{2, 3, 6, 16, 60};
        switches_one_in_ = one_in[random(one_in.size())];
        stale_one_in_ = random(3) == 0 ? 0 : 2 + random(4);
    }
    simulation(simulation const&) = delete;
    auto operator=(simulation const&) -> simulation& = delete;

    [[nodiscard]] static auto current() noexcept -> simulation& { return *current_; }

    /// Adds a body. \pre `run` was not called
    void add(body work) { threads_.push_back(std::make_unique<thread>(std::move(work))); }

    /// Runs all bodies.
    /// \return the first violation, or an empty string. After a violation, the fibres and their resources are not
    /// released.
    auto run() -> std::string
    {
        simulation* const before = std::exchange(current_, this);
        me_ = next_fibre();
        home_.continue_with(threads_[me_]->place);
        current_ = before;
        if (!violation_.empty())
            for (auto& each : threads_) (void)each.release();
        return violation_;
    }

    [[nodiscard]] auto me() const noexcept -> std::size_t { return me_; }
    [[nodiscard]] auto clocks() noexcept -> fibre_clocks& { return threads_[me_]->clocks; }
    /// Orders all later operations of the thread after the operations that another thread performed before it had these
    /// clocks.
    void see(fibre_clocks const& theirs) noexcept
    {
        for (std::size_t i = 0; i < most_fibres; ++i) clocks()[i] = std::max(clocks()[i], theirs[i]);
    }
    [[nodiscard]] auto fault() const noexcept -> planted_fault { return fault_; }
    /// \return a number below `bound`
    [[nodiscard]] auto random(std::uint64_t bound) noexcept -> std::uint32_t
    {
        return static_cast<std::uint32_t>(next_random() % bound);
    }
    [[nodiscard]] auto one_in(std::uint64_t count) noexcept -> bool { return count != 0 && random(count) == 0; }
    [[nodiscard]] auto reads_stale_value() noexcept -> bool { return one_in(stale_one_in_); }

    /// Returns whether each operation is printed, because STRIDER_RUN_TRACE is set.
    [[nodiscard]] auto is_traced() const noexcept -> bool { return is_traced_; }

    /// A point at which another fibre may continue.
    void step()
    {
        ++clocks()[me_];
        now_ += std::chrono::nanoseconds(8);
        if (++steps_ > 400'000) violate("the run does not end");
        if (one_in(switches_one_in_)) yield();
    }
    /// Lets another fibre continue, if there is one that can.
    void yield()
    {
        std::size_t const next = next_fibre();
        if (next != me_) switch_to(next);
    }
    /// Lets other fibres continue until `ready()`.
    template <class Ready>
    void wait_until(Ready ready)
    {
        if (ready()) return yield();
        threads_[me_]->ready = std::move(ready);
        switch_to(next_fibre());
        threads_[me_]->ready = nullptr;
    }
    [[noreturn]] void violate(std::string what)
    {
        violation_ = std::move(what);
        fibre::end_with(home_);
    }

    /// The time of the simulation.
    [[nodiscard]] auto now() const noexcept -> std::chrono::steady_clock::time_point { return now_; }
    void pass(std::chrono::nanoseconds time) noexcept { now_ += time; }

private:
    struct thread {
        explicit thread(body work) : does(std::move(work)) {}
        body does;
        fibre place{&simulation::enter};
        std::function<bool()> ready;  // set while it waits
        fibre_clocks clocks{};
        bool ended = false;
    };

    static void enter()
    {
        simulation& world = current();
        world.threads_[world.me_]->does();
        world.threads_[world.me_]->ended = true;
        bool const all =
            std::all_of(world.threads_.begin(), world.threads_.end(), [](auto& each) { return each->ended; });
        if (all) fibre::end_with(world.home_);
        world.switch_to(world.next_fibre());
    }

    // Selects one of the fibres that can continue.
    [[nodiscard]] auto next_fibre() -> std::size_t
    {
        std::array<std::size_t, most_fibres> able{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < threads_.size(); ++i)
            if (!threads_[i]->ended && (!threads_[i]->ready || threads_[i]->ready())) able[count++] = i;
        if (count == 0) violate("all threads wait, and work is left");
        return able[random(count)];
    }
    void switch_to(std::size_t next)
    {
        std::size_t const before = std::exchange(me_, next);
        if (before == next) return;
        threads_[before]->place.continue_with(threads_[next]->place);
    }

    [[nodiscard]] auto next_random() noexcept -> std::uint64_t
    {
        std::uint64_t z = (random_ += 0x9e37'79b9'7f4a'7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return z ^ (z >> 31U);
    }

    inline static simulation* current_ = nullptr;

    std::vector<std::unique_ptr<thread>> threads_;
    fibre home_;
    std::string violation_;
    std::size_t me_ = 0;
    std::uint64_t random_;
    std::chrono::steady_clock::time_point now_{std::chrono::microseconds(400)};
    std::uint64_t steps_ = 0;
    std::uint32_t switches_one_in_ = 4;
    std::uint32_t stale_one_in_ = 0;
    planted_fault fault_;
    bool is_traced_ = std::getenv("STRIDER_RUN_TRACE") != nullptr;
};

/// Replaces `std::atomic` in a simulation.
template <class T, detail::shared_variable Name>
class simulated_atomic {
    using order = std::memory_order;
    using shared = detail::shared_variable;

    struct record {
        T value;
        fibre_clocks released{};  // the clocks that an acquire load of the value receives
        fibre_clocks seen{};  // the time when each fibre wrote or read the value first
        bool is_sequential = false;  // written or read by a sequentially consistent operation
    };

public:
    simulated_atomic() : simulated_atomic(T()) {}
    simulated_atomic(T value) : initial_(value), made_by_(world().me())  // NOLINT(google-explicit-constructor)
    {
        made_at_ = ++world().clocks()[made_by_];
    }
    simulated_atomic(simulated_atomic const&) = delete;
    auto operator=(simulated_atomic const&) -> simulated_atomic& = delete;

    [[nodiscard]] auto load(order o = order::seq_cst) const -> T
    {
        world().step();
        o = weakened(o);
        if (Name == shared::offers && world().fault() == planted_fault::no_second_look) return looked_before();
        T const value = read(permitted(o), o);
        return is_late_join(value) ? T(1) : value;
    }
    void store(T value, order o = order::seq_cst)
    {
        world().step();
        write(value, weakened(o), fibre_clocks{});
    }
    auto exchange(T value, order o) -> T
    {
        return modify([value](T) { return value; }, o);
    }
    auto fetch_add(T more, order o) -> T
    {
        if (Name == shared::offers && world().fault() == planted_fault::lost_offer) return load(o);
        return modify([more](T now) { return static_cast<T>(now + more); }, o);
    }
    auto fetch_sub(T less, order o) -> T
    {
        if (Name == shared::open && world().fault() == planted_fault::double_settle && world().one_in(8))
            (void)modify([less](T now) { return static_cast<T>(now - less); }, o);
        return modify([less](T now) { return static_cast<T>(now - less); }, o);
    }
    auto fetch_or(T bits, order o) -> T
    {
        return modify([bits](T now) { return static_cast<T>(now | bits); }, o);
    }
    auto fetch_and(T bits, order o) -> T
    {
        return modify([bits](T now) { return static_cast<T>(now & bits); }, o);
    }
    auto compare_exchange_strong(T& expected, T value, order success, order failure) -> bool
    {
        world().step();
        success = weakened(success);
        failure = weakened(failure);
        if (Name == shared::top && world().fault() == planted_fault::no_last_element_race) return true;
        if (is_late_join(log().back().value) && expected == T(1)) {
            replace(value, success);
            return true;
        }
        std::size_t const candidate = permitted(failure);
        bool const fails = log()[candidate].value != expected;
        if (!fails && log().back().value == expected) {
            replace(value, success);
            return true;
        }
        expected = read(fails ? candidate : log().size() - 1, failure);
        return false;
    }
    auto compare_exchange_weak(T& expected, T value, order success, order failure) -> bool
    {
        if (!world().one_in(16)) return compare_exchange_strong(expected, value, success, failure);
        expected = load(failure);
        return false;
    }
    auto compare_exchange_strong(T& expected, T value, order o) -> bool
    {
        return compare_exchange_strong(expected, value, o, of_failure(o));
    }
    auto compare_exchange_weak(T& expected, T value, order o) -> bool
    {
        return compare_exchange_weak(expected, value, o, of_failure(o));
    }

    /// As `std::atomic`: returns once another value has been read. A notification is not needed here, because a waiting
    /// fibre is checked whenever another one stops.
    void wait(T old, order o) const
    {
        world().wait_until([this, old] { return log().back().value != old; });
        (void)read(log().size() - 1, o);
    }
    void notify_one() { world().step(); }

private:
    [[nodiscard]] static auto world() noexcept -> simulation& { return simulation::current(); }
    [[nodiscard]] static auto of_failure(order o) noexcept -> order
    {
        if (o == order::acq_rel) return order::acquire;
        return o == order::release ? order::relaxed : o;
    }
    [[nodiscard]] static auto acquires(order o) noexcept -> bool
    {
        return o == order::acquire || o == order::acq_rel || o == order::seq_cst;
    }
    [[nodiscard]] static auto releases(order o) noexcept -> bool
    {
        return o == order::release || o == order::acq_rel || o == order::seq_cst;
    }
    [[nodiscard]] static auto weakened(order o) noexcept -> order
    {
        planted_fault const fault = world().fault();
        bool const hit = (Name == shared::open && fault == planted_fault::relaxed_counters)
            || (Name == shared::active && fault == planted_fault::relaxed_termination)
            || ((Name == shared::bottom || Name == shared::top) && fault == planted_fault::relaxed_deque);
        return hit ? order::relaxed : o;
    }

    [[nodiscard]] auto log() const -> std::vector<record>&
    {
        if (log_.empty()) {
            log_.push_back({initial_, {}, {}, false});
            log_.back().seen[made_by_] = made_at_;
        }
        return log_;
    }
    // The position of a value that a load may return.
    [[nodiscard]] auto permitted(order o) const -> std::size_t
    {
        auto& all = log();
        fibre_clocks const& mine = world().clocks();
        std::size_t at = all.size() - 1;
        for (;; --at) {
            record const& r = all[at];
            if (o == order::seq_cst && r.is_sequential) return at;
            for (std::size_t i = 0; i < most_fibres; ++i)
                if (r.seen[i] != 0 && r.seen[i] <= mine[i]) return at;
            if (at == 0) break;
            if (!world().reads_stale_value()) return at;
        }
        if (!is_truncated_)
            world().violate("shared_variable " + std::to_string(static_cast<int>(Name))
                + ": a thread does not see its construction");
        return at;
    }
    auto read(std::size_t at, order o) const -> T
    {
        record& r = log()[at];
        fibre_clocks& mine = world().clocks();
        if (r.seen[world().me()] == 0) r.seen[world().me()] = mine[world().me()];
        if (o == order::seq_cst) r.is_sequential = true;
        if (acquires(o)) world().see(r.released);
        latest_seen_[world().me()] = r.value;
        trace(at + 1 == log().size() ? "reads" : "reads stale", r.value);
        return r.value;
    }
    void write(T value, order o, fibre_clocks released)
    {
        record r{value, released, {}, o == order::seq_cst};
        if (releases(o)) join(r.released, world().clocks());
        r.seen[world().me()] = world().clocks()[world().me()];
        trace("writes", value);
        auto& all = log();
        all.push_back(r);
        if (all.size() > 8) {
            all.erase(all.begin());
            is_truncated_ = true;
        }
    }
    // A modification reads the last value, and continues its release sequence.
    void replace(T value, order o)
    {
        (void)read(log().size() - 1, o);
        write(value, o, fibre_clocks(log().back().released));
    }
    template <class F>
    auto modify(F f, order o) -> T
    {
        world().step();
        T const before = log().back().value;
        replace(f(before), weakened(o));
        return before;
    }
    [[nodiscard]] static auto is_late_join(T value) -> bool
    {
        return Name == shared::active && world().fault() == planted_fault::late_join && value == T();
    }
    void trace(char const* what, T value) const
    {
        if (!world().is_traced()) return;
        std::fprintf(stderr, "thread %d %s %lld, shared_variable %d at %p\n", static_cast<int>(world().me()), what,
            static_cast<long long>(value), static_cast<int>(Name), static_cast<void const*>(this));
    }
    [[nodiscard]] auto looked_before() const -> T { return latest_seen_[world().me()]; }
    static void join(fibre_clocks& into, fibre_clocks const& from)
    {
        for (std::size_t i = 0; i < most_fibres; ++i) into[i] = std::max(into[i], from[i]);
    }

    T initial_;
    std::size_t made_by_;
    std::uint32_t made_at_;
    mutable std::vector<record> log_;
    mutable std::array<T, most_fibres> latest_seen_{};
    bool is_truncated_ = false;
};

/// The threads policy of a simulated run.
struct simulated_threads {
    template <class T, detail::shared_variable Name>
    using atomic = simulated_atomic<T, Name>;
    using mutex = std::mutex;
    struct clock {
        using time_point = std::chrono::steady_clock::time_point;
        [[nodiscard]] static auto now() noexcept -> time_point { return simulation::current().now(); }
    };

    static constexpr int worker_spin_rounds = 4;
    static constexpr int caller_spin_rounds = 4;
    static constexpr std::size_t least_compared_vertices = 4;
    static constexpr std::chrono::nanoseconds least_shared_run{1};

    static void pause_worker()
    {
        simulation::current().step();
        simulation::current().yield();
    }
    static void pause_idle(int) { pause_worker(); }
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_SIMULATED_THREADS_HPP
