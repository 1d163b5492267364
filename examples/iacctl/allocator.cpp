// SPDX-License-Identifier: BSL-1.0
// The allocator of the program: large pages for its first memory, and an `operator new` that throws. The allocator's own
// one is written in C, cannot throw, and aborts when memory is exhausted.
#include "commands/abnormal_termination.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20U;

// Runs before other code of the program allocates. The memory after the first allocation comes in two large pages if the
// system supports them, which saves a quarter of the page faults of a plan of 1000 resources. Further large pages would
// be used in part only.
[[gnu::constructor(101)]] void use_large_pages()
{
    void* const first = std::malloc(1);
    auto const next = (reinterpret_cast<std::uintptr_t>(first) | (large_page - 1)) + 1;
    ::madvise(reinterpret_cast<void*>(next), 2 * large_page, MADV_HUGEPAGE);
    std::free(first);
}

[[noreturn]] void fail()
{
    // Objects of libraries are constructed before `main`.
    iacctl::commands::prepare_for_bad_alloc();
    throw std::bad_alloc();
}

auto allocate(std::size_t size) -> void*
{
    if (void* const made = std::malloc(size)) return made;
    fail();
}

auto allocate(std::size_t size, std::align_val_t alignment) -> void*
{
    void* made = nullptr;
    if (::posix_memalign(&made, static_cast<std::size_t>(alignment), size) == 0) return made;
    fail();
}

}  // namespace

void* operator new(std::size_t size)
{
    return allocate(size);
}
void* operator new[](std::size_t size)
{
    return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment)
{
    return allocate(size, alignment);
}
void operator delete(void* made) noexcept
{
    std::free(made);
}
void operator delete[](void* made) noexcept
{
    std::free(made);
}
void operator delete(void* made, std::size_t) noexcept
{
    std::free(made);
}
void operator delete[](void* made, std::size_t) noexcept
{
    std::free(made);
}
void operator delete(void* made, std::align_val_t) noexcept
{
    std::free(made);
}
void operator delete[](void* made, std::align_val_t) noexcept
{
    std::free(made);
}
void operator delete(void* made, std::size_t, std::align_val_t) noexcept
{
    std::free(made);
}
void operator delete[](void* made, std::size_t, std::align_val_t) noexcept
{
    std::free(made);
}
