// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_EXPLORED_EXPLORED_PROGRAMS_HPP
#define STRIDER_TESTS_EXPLORED_EXPLORED_PROGRAMS_HPP

#include <support/exploration.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace strider::test {

/// A small program with parts that the workers of a walk share. Its laws are its own, and those of every program: no data race, no
/// use of freed memory, no thread that waits for ever.
struct explored_program {
    std::string name;
    std::function<search_result(search_bounds)> explore;
    /// The bounds of the tests; `tools/explore-walks` searches more.
    search_bounds bounds = {};
};

/// The protocols on which workers agree: deque, end of a run, slots, failures.
[[nodiscard]] auto explored_protocols() -> std::vector<explored_program>;
/// Walks by workers.
[[nodiscard]] auto explored_walks() -> std::vector<explored_program>;

/// A weaker order of an operation of one function, or an operation that is left out.
struct planted_change {
    std::vector<std::size_t> sites;  // the places in the source, usually one
    std::string name;
    std::memory_order order = std::memory_order_relaxed;
    std::memory_order otherwise = std::memory_order_relaxed;
    bool is_dropped = false;
};

struct found_fault {
    std::string program;  // empty: no program violates a law
    std::string violation;
};

/// All changes of the places that were executed. `weaker_than`: those that weaken this one further.
[[nodiscard]] auto planted_changes() -> std::vector<planted_change>;
[[nodiscard]] auto weaker_than(planted_change const& change) -> std::vector<planted_change>;
/// Explores the programs with the change, until one violates a law.
/// \param deviations, executions  bounds of walks; protocols are explored within their own
[[nodiscard]] auto find_fault(planted_change const& change, std::uint32_t deviations, std::uint64_t executions)
    -> found_fault;

/// The changes that violate no law, with the reason why each is right. The code has the stronger form.
struct harmless_change {
    std::string name;
    std::string reason;
};
[[nodiscard]] auto harmless_changes() -> std::vector<harmless_change>;

}  // namespace strider::test

#endif  // STRIDER_TESTS_EXPLORED_EXPLORED_PROGRAMS_HPP
