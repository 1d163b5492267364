// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_WALK_FAILING_ALLOCATIONS_HPP
#define STRIDER_TESTS_WALK_FAILING_ALLOCATIONS_HPP

#include <atomic>

namespace strider::test {

/// True if the allocations of this executable can be made to fail, which is not possible with the allocator of a
/// sanitizer.
extern bool const allocations_can_fail;

/// The number of allocations of all threads up to the next one that throws `std::bad_alloc`; 0: none does.
extern std::atomic<long> allocations_until_failure;

}  // namespace strider::test

#endif  // STRIDER_TESTS_WALK_FAILING_ALLOCATIONS_HPP
