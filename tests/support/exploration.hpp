// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_EXPLORATION_HPP
#define STRIDER_TESTS_SUPPORT_EXPLORATION_HPP

#include <support/execution_graph.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Runs a program of a few threads in every way that the memory model of C++ permits, each once.
///
/// A way is an execution graph (`execution_graph.hpp`). The program is run again for each, its threads as fibres: a load returns
/// the value of the store that the graph says. A new load is tried with each store that it may read, a new store at each place of
/// the modification order, and with each earlier load that could read it; in the last case, what was added after
/// the load is removed, if it was added in the first way of all. So each graph is made once, whatever the number of
/// schedules that lead to it.
///
/// A program is deterministic except for its loads and choices: it must not use addresses, time, or other random numbers.
///
/// \source M. Kokologiannakis, I. Marmanis, V. Gladstein, V. Vafeiadis, "Truly stateless, optimal dynamic partial order reduction", 2022
namespace strider::test {

/// Limits of a search. One that reaches a limit is not complete.
struct search_bounds {
    /// Decisions in an execution that differ from the first one: a load that does not read the latest store, a store that is not the
    /// last one, a load that reads a store executed later, a choice other than the first.
    std::uint32_t deviations = std::numeric_limits<std::uint32_t>::max();
    std::uint64_t executions = std::numeric_limits<std::uint64_t>::max();
    double seconds = std::numeric_limits<double>::infinity();
};

struct search_result {
    std::uint64_t executions = 0;  // that ended
    std::uint64_t blocked =
        0;  // in which a thread waits for a value that it does not yet see; another execution continues it
    std::size_t longest = 0;  // events
    double seconds = 0;
    bool is_complete = false;
    std::string violation;  // the first one, or empty
    std::string trace;  // the execution that has it
};

/// A place in the source that accesses a variable, with the order that it requires.
struct access_site {
    std::string file;
    std::string function;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    int variable = 0;
    std::string operation;
    std::memory_order order = std::memory_order_relaxed;
    std::memory_order otherwise = std::memory_order_relaxed;  // of a compare-exchange that fails
    std::uint64_t uses = 0;
    load_mode mode = load_mode::plain;
    bool is_store = false;

    /// Faults. These orders replace those in the source.
    std::memory_order planted = std::memory_order_relaxed;
    std::memory_order planted_otherwise = std::memory_order_relaxed;
    /// A store, a modification or a notification has no effect; a compare-exchange succeeds whatever the value is; a load returns what
    /// the thread read before; nothing waits.
    bool is_dropped = false;
};

/// \return the name of the enumerator without its prefix
[[nodiscard]] auto name_of(std::memory_order order) -> std::string;

class exploration {
public:
    using program = std::function<void()>;

    /// \param at_end  called after each execution that ended
    [[nodiscard]] static auto run(search_bounds bounds, program const& main, std::function<void()> const& at_end = {})
        -> search_result;

    /// The sites that were executed until now. Their `planted` orders apply from the next search on.
    [[nodiscard]] static auto sites() -> std::vector<access_site>&;

    // The functions below are called by the program.

    /// Starts a thread.
    template <class F>
    static void start(F body)
    {
        auto* const kept = new F(std::move(body));
        start_thread(
            [](void* f) {
                std::unique_ptr<F> const own(static_cast<F*>(f));
                (*own)();
            },
            kept);
    }
    /// \return a number below `options`; all are explored
    [[nodiscard]] static auto choose(std::size_t options) -> std::size_t;
    /// The program violates a law.
    [[noreturn]] static void fail(std::string_view law);
    /// The same, called at the end of an execution.
    static void refute(std::string_view law);
    static void require(bool holds, char const* law)
    {
        if (!holds) fail(law);
    }
    static void fence(std::memory_order order, std::source_location where = std::source_location::current());
    /// Increases for each thread with each call. A loop that calls it may read one value again and again.
    [[nodiscard]] static auto count() -> std::uint64_t;
    [[nodiscard]] static auto is_active() noexcept -> bool;

    struct access {
        std::uint16_t location;
        int variable;
        char const* operation;
        std::source_location const& where;
    };
    [[nodiscard]] static auto make_variable(std::uint64_t value) -> std::uint16_t;
    static auto load(access const& what, load_mode mode, std::memory_order order, std::memory_order otherwise = {},
        std::uint64_t expected = 0) -> std::uint64_t;
    static void store(access const& what, std::uint64_t value, std::memory_order order, bool is_exclusive,
        std::memory_order otherwise = {});
    static void notify(access const& what);

private:
    static void start_thread(void (*body)(void*), void* data);
};

/// Replaces `std::atomic` in an explored program.
/// \tparam Variable  the `detail::shared_variable` that it is, or -1 for one of a test, which no planted change concerns
template <class T, int Variable = -1>
class explored_atomic {
    using order = std::memory_order;
    using where = std::source_location;

public:
    explored_atomic() : explored_atomic(T()) {}
    explored_atomic(T value)
        : at_(exploration::make_variable(to_word(value))) {}  // NOLINT(google-explicit-constructor)
    explored_atomic(explored_atomic const&) = delete;
    auto operator=(explored_atomic const&) -> explored_atomic& = delete;

    [[nodiscard]] auto load(order o = order::seq_cst, where w = where::current()) const -> T
    {
        return to_value(exploration::load({at_, Variable, "load", w}, load_mode::plain, o));
    }
    void store(T value, order o = order::seq_cst, where w = where::current())
    {
        exploration::store({at_, Variable, "store", w}, to_word(value), o, false);
    }
    auto exchange(T value, order o = order::seq_cst, where w = where::current()) -> T
    {
        return modify({at_, Variable, "exchange", w}, o, [value](T) { return value; });
    }
    auto fetch_add(T more, order o = order::seq_cst, where w = where::current()) -> T
    {
        return modify({at_, Variable, "fetch_add", w}, o, [more](T now) { return static_cast<T>(now + more); });
    }
    auto fetch_sub(T less, order o = order::seq_cst, where w = where::current()) -> T
    {
        return modify({at_, Variable, "fetch_sub", w}, o, [less](T now) { return static_cast<T>(now - less); });
    }
    auto fetch_or(T bits, order o = order::seq_cst, where w = where::current()) -> T
    {
        return modify({at_, Variable, "fetch_or", w}, o, [bits](T now) { return static_cast<T>(now | bits); });
    }
    auto fetch_and(T bits, order o = order::seq_cst, where w = where::current()) -> T
    {
        return modify({at_, Variable, "fetch_and", w}, o, [bits](T now) { return static_cast<T>(now & bits); });
    }
    auto compare_exchange_strong(T& expected, T value, order success, order failure, where w = where::current()) -> bool
    {
        exploration::access const what{at_, Variable, "compare_exchange", w};
        T const found = to_value(exploration::load(what, load_mode::compare, success, failure, to_word(expected)));
        if (found != expected) {
            expected = found;
            return false;
        }
        exploration::store(what, to_word(value), success, true, failure);
        return true;
    }
    auto compare_exchange_strong(T& expected, T value, order o = order::seq_cst, where w = where::current()) -> bool
    {
        return compare_exchange_strong(expected, value, o, of_failure(o), w);
    }
    /// Never fails spuriously: the program would only try again.
    auto compare_exchange_weak(T& expected, T value, order success, order failure, where w = where::current()) -> bool
    {
        return compare_exchange_strong(expected, value, success, failure, w);
    }
    auto compare_exchange_weak(T& expected, T value, order o = order::seq_cst, where w = where::current()) -> bool
    {
        return compare_exchange_strong(expected, value, o, of_failure(o), w);
    }
    void wait(T old, order o = order::seq_cst, where w = where::current()) const
    {
        (void)exploration::load({at_, Variable, "wait", w}, load_mode::await_other, o, {}, to_word(old));
    }
    void notify_one(where w = where::current()) { exploration::notify({at_, Variable, "notify", w}); }
    void notify_all(where w = where::current()) { exploration::notify({at_, Variable, "notify", w}); }
    /// Waits until the value is `expected`, and replaces it.
    void await_exchange(T expected, T value, order o, where w = where::current())
    {
        exploration::access const what{at_, Variable, "await_exchange", w};
        (void)exploration::load(what, load_mode::await_modify, o, {}, to_word(expected));
        exploration::store(what, to_word(value), o, true);
    }

private:
    template <class F>
    auto modify(exploration::access const& what, order o, F f) -> T
    {
        T const before = to_value(exploration::load(what, load_mode::modify, o));
        exploration::store(what, to_word(f(before)), o, true);
        return before;
    }
    [[nodiscard]] static auto of_failure(order o) noexcept -> order
    {
        if (o == order::acq_rel) return order::acquire;
        return o == order::release ? order::relaxed : o;
    }
    [[nodiscard]] static auto to_word(T value) noexcept -> std::uint64_t { return static_cast<std::uint64_t>(value); }
    [[nodiscard]] static auto to_value(std::uint64_t word) noexcept -> T { return static_cast<T>(word); }

    std::uint16_t at_;
};

/// Replaces `std::mutex` in an explored program.
class explored_mutex {
public:
    void lock() { is_locked_.await_exchange(false, true, std::memory_order_acquire); }
    void unlock() { is_locked_.store(false, std::memory_order_release); }

private:
    explored_atomic<bool, -1> is_locked_{false};
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_EXPLORATION_HPP
