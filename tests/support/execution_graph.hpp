// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_EXECUTION_GRAPH_HPP
#define STRIDER_TESTS_SUPPORT_EXECUTION_GRAPH_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// One execution of threads that share atomic variables, as the memory model of C++ describes it: events in program order,
/// the store from which each load reads, and the modification order of each variable.
///
/// *Happens-before* consists of program order, the start of threads, and synchronization: of acquiring loads with release stores and
/// release sequences of read-modify-writes (C++20: later stores of the same thread do not belong to them), and of fences.
///
/// *Consistency*: coherence, atomicity of read-modify-writes, and the order of sequentially consistent operations and fences. The
/// last one is the partial order psc of RC11, which C++20 adopted: it must have no cycle. Program order and
/// reads-from together have no cycle either: no load reads a value that depends on the load.
///
/// \source O. Lahav, V. Vafeiadis, J. Kang, C.-K. Hur, D. Dreyer, "Repairing sequential consistency in C/C++11", 2017
namespace strider::test {

inline constexpr std::size_t most_threads = 16;
/// The number of earlier events, for each thread.
using event_clocks = std::array<std::uint16_t, most_threads>;

void join(event_clocks& into, event_clocks const& from) noexcept;

struct event_id {
    std::uint8_t thread = 0xff;
    std::uint16_t index = 0;

    friend auto operator==(event_id, event_id) noexcept -> bool = default;
};
/// A store that stands for the initial value of a variable.
inline constexpr event_id initial{};

enum class event_kind : std::uint8_t { load, store, fence, spawn, choice, notify };

/// The use that a load makes of the value.
enum class load_mode : std::uint8_t {
    plain,
    modify,  // the read of a read-modify-write
    compare,  // of a compare-exchange: of a read-modify-write if the value is the expected one
    await_other,  // waits until the value is not the expected one
    await_modify,  // waits until the value is the expected one, and is then the read of a read-modify-write
};

struct event {
    event_kind kind = event_kind::load;
    load_mode mode = load_mode::plain;
    std::memory_order order = std::memory_order_relaxed;
    std::memory_order otherwise = std::memory_order_relaxed;  // of a compare-exchange that fails
    bool is_exclusive = false;  // half of a read-modify-write
    bool waits = false;  // a load after which its thread does not continue
    std::uint16_t location = 0;
    std::uint16_t site = 0;
    std::uint16_t options = 0;  // of a choice
    event_id from;  // of a load
    std::uint32_t stamp = 0;  // events are numbered as they are added
    std::uint64_t value = 0;  // loaded, stored, chosen, or the thread that was started
    std::uint64_t expected = 0;
    event_clocks before{};  // happens before, itself included
    event_clocks prefix{};  // by program order and reads-from, itself included
    event_clocks released{};  // of a store: what synchronizes with a load that acquires

    /// Determines from the value what the load is.
    void settle() noexcept;
    [[nodiscard]] auto effective_order() const noexcept -> std::memory_order
    {
        return kind == event_kind::load && mode == load_mode::compare && !is_exclusive ? otherwise : order;
    }
    [[nodiscard]] auto is_sequential() const noexcept -> bool
    {
        return effective_order() == std::memory_order_seq_cst && kind != event_kind::choice && kind != event_kind::spawn
            && kind != event_kind::notify;
    }
};

class execution_graph {
public:
    using place = std::size_t;  // in the modification order

    [[nodiscard]] auto size_of(std::size_t thread) const noexcept -> std::size_t { return threads_[thread].size(); }
    [[nodiscard]] auto at(event_id e) const noexcept -> event const& { return threads_[e.thread][e.index]; }
    [[nodiscard]] auto last(std::size_t thread) const noexcept -> event_id
    {
        return {static_cast<std::uint8_t>(thread), static_cast<std::uint16_t>(threads_[thread].size() - 1)};
    }
    [[nodiscard]] auto size() const noexcept -> std::size_t;
    /// The latest store of a variable in modification order.
    [[nodiscard]] auto latest(std::uint16_t location) const noexcept -> event_id;
    /// All events, in an order in which each one follows those on which it depends.
    [[nodiscard]] auto in_order() const -> std::vector<event_id>;

    /// The stores from which a new load of the thread may read, the latest one first. The variables of sequential consistency
    /// are not checked.
    [[nodiscard]] auto candidates(std::size_t thread, event const& load) const -> std::vector<event_id>;
    /// The places of a new store in the modification order, the last one first. `read` is the load of a read-modify-write.
    [[nodiscard]] auto places(std::size_t thread, event const& store) const -> std::vector<place>;

    /// These add an event to a thread. A graph to which they have added an event may be inconsistent.
    void add(std::size_t thread, event e);
    void add_load(std::size_t thread, event load, event_id from, std::uint64_t value);
    void add_store(std::size_t thread, event store, place at);
    /// The next thread begins after the last event of this one. \return its number
    auto add_thread(std::size_t thread, event spawn, std::uint64_t name) -> std::size_t;

    /// Removes the last event of a thread: a load, a store or a choice.
    void remove_last(std::size_t thread);

    /// True if the order of sequentially consistent operations has no cycle through the last event of the thread.
    [[nodiscard]] auto is_sequential_at(std::size_t thread) const -> bool;

    /// The loads that could have read from a store that is about to be added, had it been executed earlier.
    [[nodiscard]] auto revisitable(std::size_t thread, event const& store) const -> std::vector<event_id>;
    /// A graph without what was added after the load, except for that on which the new store depends, and without the load, which
    /// is returned.
    [[nodiscard]] auto cut(event_id load, std::size_t thread) const -> std::pair<execution_graph, event>;
    /// Adds a load that was cut; it keeps its number. \return false if it cannot read from this store
    [[nodiscard]] auto add_again(event_id load, event e, event_id from, std::uint64_t value) -> bool;

    [[nodiscard]] auto happens_before(event_id a, event_clocks const& before) const noexcept -> bool
    {
        return before[a.thread] > a.index;
    }
    /// The position of a store in modification order; 0: of the initial value.
    [[nodiscard]] auto position(std::uint16_t location, event_id store) const noexcept -> std::size_t;

    /// The name by which threads are ordered: that of the thread that started it, and how many it had started before.
    [[nodiscard]] auto name(std::size_t thread) const noexcept -> std::uint64_t { return names_[thread]; }
    void name_first(std::uint64_t name) { names_[0] = name; }

    /// The number of decisions that are not the first one of their kind.
    std::uint32_t deviations = 0;

private:
    struct variable {
        std::vector<event_id> stores;  // in modification order
        std::vector<event_id> loads;
    };

    [[nodiscard]] auto of(std::uint16_t location) -> variable&;
    [[nodiscard]] auto find(std::uint16_t location) const noexcept -> variable const*;
    void begin(std::size_t thread, event& e) const;
    [[nodiscard]] auto least_position(std::uint16_t location, event_clocks const& before) const -> std::size_t;
    [[nodiscard]] auto is_added_as_latest(event_id e, std::uint32_t stamp, event_clocks const& kept) const -> bool;
    void acquire(std::size_t thread, event& load) const;

    [[nodiscard]] auto position_of_access(event_id e) const noexcept -> std::size_t;
    [[nodiscard]] auto ordered_by_psc(event_id x, event_id y) const -> bool;
    [[nodiscard]] auto has_cycle_of_fences() const -> bool;

    std::array<std::vector<event>, most_threads> threads_;
    std::array<event_id, most_threads> started_by_{};
    std::array<std::uint64_t, most_threads> names_{};
    std::vector<variable> variables_;
    std::uint32_t stamps_ = 0;
    bool has_fences_ = false;
    bool has_sequential_fences_ = false;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_EXECUTION_GRAPH_HPP
