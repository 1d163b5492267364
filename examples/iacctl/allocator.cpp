// SPDX-License-Identifier: BSL-1.0
// The allocator of the program: its options, and an `operator new` that throws. The allocator's own one is written in
// C, cannot throw, and aborts when memory is exhausted.
#include "commands/sudden_end.hpp"

#include <mimalloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Runs before any allocation. The memory of threads comes in large pages if the system supports them: a plan of 1000
// resources has a third fewer page faults and takes a tenth less time.
[[gnu::constructor(101)]] void use_large_pages()
{
    mi_option_enable(mi_option_large_os_pages);
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
