// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_EXPLORED_MEMORY_HPP
#define STRIDER_TESTS_SUPPORT_EXPLORED_MEMORY_HPP

#include <support/execution_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

/// The memory of an explored program. What the program allocates is taken from one area, of which no part is used twice in an
/// execution, and which is empty again at the begin of the next: an execution that is not completed needs no destructors.
///
/// The program is compiled with the instrumentation of ThreadSanitizer (`-fsanitize=thread`) and linked without its library. The
/// functions that the compiler calls are defined here: each plain access to the area is compared with earlier ones of other
/// threads. It is an error if one of two accesses to the same bytes is a write and neither happens before the other, and if the memory
/// was freed.
///
/// Operations on `std::atomic` itself, such as those of reference counts, synchronize in the order of the execution.
namespace strider::test::explored_memory {

/// The thread that runs.
struct current_thread {
    std::size_t number = 0;
    event_clocks* clocks = nullptr;  // events that happen before; for the thread itself, the next one included
};

/// True while the program runs, false while the exploration does.
inline bool is_inside = false;
inline current_thread current;

class outside {
public:
    outside() noexcept : before_(std::exchange(is_inside, false)) {}
    outside(outside const&) = delete;
    auto operator=(outside const&) -> outside& = delete;
    ~outside() { is_inside = before_; }

private:
    bool before_;
};

/// Prepares the memory for an execution.
/// \param uses_area  false: the program allocates as usual. The first execution initialises what is static.
void begin(bool uses_area);
/// True if a plain access was instrumented since the begin.
[[nodiscard]] auto is_instrumented() noexcept -> bool;

}  // namespace strider::test::explored_memory

#endif  // STRIDER_TESTS_SUPPORT_EXPLORED_MEMORY_HPP
