// SPDX-License-Identifier: BSL-1.0
// An `operator new` that throws: the one of the allocator is written in C, cannot throw, and aborts when memory is exhausted.
#include "cli/commands/abnormal_termination.hpp"

#include <mimalloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// The first memory of a thread is committed as a whole, not page by page. Runs before other code of the program allocates.
[[gnu::constructor(101)]] void commit_at_once()
{
    mi_option_set(mi_option_eager_commit_delay, 0);
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

auto operator new(std::size_t size) -> void*
{
    return allocate(size);
}
auto operator new[](std::size_t size) -> void*
{
    return allocate(size);
}
auto operator new(std::size_t size, std::align_val_t alignment) -> void*
{
    return allocate(size, alignment);
}
auto operator new[](std::size_t size, std::align_val_t alignment) -> void*
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
