// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_COUNTING_ALLOCATOR_HPP
#define STRIDER_TESTS_SUPPORT_COUNTING_ALLOCATOR_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace strider::test {

/// The blocks of a `counting_allocator` and of all its copies, for all types together.
struct allocation_counts {
    std::atomic<std::ptrdiff_t> alive{0};
    std::atomic<std::size_t> made{0};
};

/// An allocator for handlers that counts its blocks.
template <class T>
struct counting_allocator {
    using value_type = T;

    explicit counting_allocator(std::shared_ptr<allocation_counts> c) : counts(std::move(c)) {}
    template <class U>
    counting_allocator(counting_allocator<U> const& other)  // NOLINT(google-explicit-constructor): rebinding
        : counts(other.counts)
    {}
    [[nodiscard]] auto allocate(std::size_t n) -> T*
    {
        ++counts->alive;
        ++counts->made;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n)
    {
        --counts->alive;
        std::allocator<T>().deallocate(p, n);
    }
    template <class U>
    auto operator==(counting_allocator<U> const& other) const -> bool
    {
        return counts == other.counts;
    }

    std::shared_ptr<allocation_counts> counts;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_COUNTING_ALLOCATOR_HPP
