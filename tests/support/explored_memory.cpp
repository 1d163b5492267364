// SPDX-License-Identifier: BSL-1.0
#include <support/explored_memory.hpp>

#include <support/exploration.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace strider::test::explored_memory {
namespace {

// libstdc++ uses atomic reference counts only if the process has had a second thread.
bool const has_threads = [] {
    std::thread([] {}).join();
    return true;
}();

constexpr std::size_t area_size = std::size_t{8} << 20U;
constexpr std::size_t granule = 8;
constexpr std::size_t header = 16;  // in front of each block: its size

struct access_record {
    std::uint16_t at = 0;  // the number of the next event of the thread; 0: no access
    std::uint8_t thread = 0;
    std::uint8_t bytes = 0;  // of the granule
    bool is_write = false;
};

// The recorded facts about 8 bytes.
struct shadow {
    std::uint32_t run = 0;  // the execution to which it belongs
    std::uint16_t reference = 0;  // of the clocks of an atomic variable
    bool is_freed = false;
    std::array<access_record, 7> records{};
    std::uint8_t next = 0;  // to be replaced
};

alignas(64) std::byte area[area_size];
std::array<shadow, area_size / granule> shadows;
std::size_t used = 0;
bool is_area_used = false;
bool has_instrumentation = false;
std::uint32_t runs = 0;
std::vector<event_clocks> references;

[[nodiscard]] auto offset_of(void const* p) noexcept -> std::size_t
{
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(area));
}

[[nodiscard]] auto shadow_at(std::size_t number) -> shadow&
{
    shadow& cell = shadows[number];
    if (cell.run != runs) {
        cell = {};
        cell.run = runs;
    }
    return cell;
}

[[noreturn]] void fail(char const* law, std::size_t other, void const* where)
{
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "%s: threads %d and %d, code at %p", law, static_cast<int>(current.number),
        static_cast<int>(other), where);
    exploration::fail(text.data());
}

void note(std::size_t number, std::uint8_t bytes, bool is_write, void const* where)
{
    shadow& cell = shadow_at(number);
    event_clocks const& before = *current.clocks;
    if (cell.is_freed) fail("freed memory is used", current.number, where);
    access_record const mine{before[current.number], static_cast<std::uint8_t>(current.number), bytes, is_write};
    access_record* place = nullptr;
    for (access_record& each : cell.records) {
        if (each.at == 0) {
            if (place == nullptr) place = &each;
            continue;
        }
        bool const is_before = each.at <= before[each.thread];
        bool const overlaps = (each.bytes & bytes) != 0;
        if (!is_before && overlaps && (each.is_write || is_write)) fail("a data race", each.thread, where);
        // An access that is ordered before a write of the same bytes is not needed for later comparisons, nor is a read before a read of
        // the same thread.
        bool const is_covered =
            (each.bytes & ~bytes) == 0 && is_before && (is_write || (each.thread == current.number && !each.is_write));
        if (is_covered) {
            if (place != nullptr && place->at != 0) each = {};
            else place = &each;
        }
    }
    if (place == nullptr) place = &cell.records[cell.next++ % cell.records.size()];
    *place = mine;
}

void access(void const* p, std::size_t size, bool is_write, void const* where)
{
    has_instrumentation = true;
    if (!is_inside || !is_area_used || size == 0) return;
    std::size_t const begin = offset_of(p);
    if (begin >= used) return;
    std::size_t const end = std::min(begin + size, used);
    for (std::size_t at = begin; at < end;) {
        std::size_t const stop = std::min(end, (at / granule + 1) * granule);
        auto const mask = static_cast<std::uint8_t>(((1U << (stop - at)) - 1U) << at % granule);
        note(at / granule, mask, is_write, where);
        at = stop;
    }
}

void free_block(std::byte* p, void const* where)
{
    std::size_t size = 0;
    std::memcpy(&size, p - header, sizeof size);
    if (!is_inside) return;
    access(p, size, true, where);
    std::size_t const begin = offset_of(p);
    for (std::size_t at = begin / granule; at < (begin + size + granule - 1) / granule; ++at)
        shadow_at(at).is_freed = true;
}

auto allocate(std::size_t size, std::size_t alignment) -> void*
{
    if (!is_inside || !is_area_used) {
        size_t const rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
        void* const p =
            alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
        if (p == nullptr) throw std::bad_alloc();
        return p;
    }
    alignment = std::max(alignment, header);
    std::size_t const begin = (used + header + alignment - 1) / alignment * alignment;
    std::size_t const end = (begin + std::max<std::size_t>(size, 1) + granule - 1) / granule * granule;
    if (end > area_size) exploration::fail("the program uses too much memory");
    std::memcpy(area + begin - header, &size, sizeof size);
    used = end;
    return area + begin;
}

void release(void* p, void const* where) noexcept
{
    if (p == nullptr) return;
    if (offset_of(p) < area_size) free_block(static_cast<std::byte*>(p), where);
    else std::free(p);
}

// The clocks of an atomic variable that is not part of the graph, or null.
[[nodiscard]] auto reference_at(void const volatile* p) -> event_clocks*
{
    if (!is_inside || !is_area_used) return nullptr;
    std::size_t const at = offset_of(const_cast<void const*>(p));
    if (at >= used) return nullptr;
    shadow& cell = shadow_at(at / granule);
    if (cell.is_freed) fail("freed memory is used", current.number, nullptr);
    if (cell.reference == 0) {
        outside const mark;
        references.emplace_back();
        cell.reference = static_cast<std::uint16_t>(references.size());
    }
    return &references[cell.reference - std::size_t{1}];
}
void synchronize(void const volatile* p, bool acquires, bool releases)
{
    event_clocks* const known = reference_at(p);
    if (known == nullptr) return;
    if (acquires) join(*current.clocks, *known);
    if (releases) join(*known, *current.clocks);
}

}  // namespace

void begin(bool uses_area)
{
    is_area_used = uses_area;
    used = 0;
    references.clear();
    if (++runs == 0) {
        for (shadow& each : shadows) each = {};
        runs = 1;
    }
}

auto is_instrumented() noexcept -> bool
{
    return has_instrumentation && has_threads;
}

}  // namespace strider::test::explored_memory

namespace memory = strider::test::explored_memory;

auto operator new(std::size_t size) -> void*
{
    return memory::allocate(size, alignof(std::max_align_t));
}
auto operator new[](std::size_t size) -> void*
{
    return memory::allocate(size, alignof(std::max_align_t));
}
auto operator new(std::size_t size, std::align_val_t at) -> void*
{
    return memory::allocate(size, static_cast<std::size_t>(at));
}
auto operator new[](std::size_t size, std::align_val_t at) -> void*
{
    return memory::allocate(size, static_cast<std::size_t>(at));
}
void operator delete(void* p) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete[](void* p) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete(void* p, std::size_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete[](void* p, std::size_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete(void* p, std::align_val_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete[](void* p, std::align_val_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept
{
    memory::release(p, __builtin_return_address(0));
}

// The functions that the instrumentation calls.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define STRIDER_ACCESS(SIZE)                                                                                           \
    void __tsan_read##SIZE(void* p)                                                                                    \
    {                                                                                                                  \
        memory::access(p, SIZE, false, __builtin_return_address(0));                                                   \
    }                                                                                                                  \
    void __tsan_write##SIZE(void* p)                                                                                   \
    {                                                                                                                  \
        memory::access(p, SIZE, true, __builtin_return_address(0));                                                    \
    }                                                                                                                  \
    void __tsan_unaligned_read##SIZE(void* p)                                                                          \
    {                                                                                                                  \
        memory::access(p, SIZE, false, __builtin_return_address(0));                                                   \
    }                                                                                                                  \
    void __tsan_unaligned_write##SIZE(void* p)                                                                         \
    {                                                                                                                  \
        memory::access(p, SIZE, true, __builtin_return_address(0));                                                    \
    }                                                                                                                  \
    void __tsan_volatile_read##SIZE(void* p)                                                                           \
    {                                                                                                                  \
        memory::access(p, SIZE, false, __builtin_return_address(0));                                                   \
    }                                                                                                                  \
    void __tsan_volatile_write##SIZE(void* p)                                                                          \
    {                                                                                                                  \
        memory::access(p, SIZE, true, __builtin_return_address(0));                                                    \
    }                                                                                                                  \
    void __tsan_read_write##SIZE(void* p)                                                                              \
    {                                                                                                                  \
        memory::access(p, SIZE, true, __builtin_return_address(0));                                                    \
    }                                                                                                                  \
    void __tsan_unaligned_read_write##SIZE(void* p)                                                                    \
    {                                                                                                                  \
        memory::access(p, SIZE, true, __builtin_return_address(0));                                                    \
    }
STRIDER_ACCESS(1)
STRIDER_ACCESS(2)
STRIDER_ACCESS(4)
STRIDER_ACCESS(8)
STRIDER_ACCESS(16)
#undef STRIDER_ACCESS

void __tsan_read_range(void* p, std::size_t size)
{
    memory::access(p, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void* p, std::size_t size)
{
    memory::access(p, size, true, __builtin_return_address(0));
}
void __tsan_vptr_update(void** p, void*)
{
    memory::access(p, sizeof *p, true, __builtin_return_address(0));
}
void __tsan_vptr_read(void** p)
{
    memory::access(p, sizeof *p, false, __builtin_return_address(0));
}

auto __tsan_memcpy(void* to, void const* from, std::size_t size) -> void*
{
    memory::access(from, size, false, __builtin_return_address(0));
    memory::access(to, size, true, __builtin_return_address(0));
    return std::memcpy(to, from, size);
}
auto __tsan_memmove(void* to, void const* from, std::size_t size) -> void*
{
    memory::access(from, size, false, __builtin_return_address(0));
    memory::access(to, size, true, __builtin_return_address(0));
    return std::memmove(to, from, size);
}
auto __tsan_memset(void* to, int value, std::size_t size) -> void*
{
    memory::access(to, size, true, __builtin_return_address(0));
    return std::memset(to, value, size);
}

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

#define STRIDER_ATOMIC(BITS)                                                                                           \
    auto __tsan_atomic##BITS##_load(std::uint##BITS##_t const volatile* p, int)->std::uint##BITS##_t                   \
    {                                                                                                                  \
        memory::synchronize(p, true, false);                                                                           \
        return *p;                                                                                                     \
    }                                                                                                                  \
    void __tsan_atomic##BITS##_store(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)                  \
    {                                                                                                                  \
        memory::synchronize(p, false, true);                                                                           \
        *p = value;                                                                                                    \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_exchange(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)               \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        *p = value;                                                                                                    \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_fetch_add(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)              \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        *p = static_cast<std::uint##BITS##_t>(before + value);                                                         \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_fetch_sub(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)              \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        *p = static_cast<std::uint##BITS##_t>(before - value);                                                         \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_fetch_or(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)               \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        *p = static_cast<std::uint##BITS##_t>(before | value);                                                         \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_fetch_and(std::uint##BITS##_t volatile* p, std::uint##BITS##_t value, int)              \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        *p = static_cast<std::uint##BITS##_t>(before & value);                                                         \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_compare_exchange_val(                                                                   \
        std::uint##BITS##_t volatile* p, std::uint##BITS##_t expected, std::uint##BITS##_t value, int, int)            \
        ->std::uint##BITS##_t                                                                                          \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        if (before == expected) *p = value;                                                                            \
        return before;                                                                                                 \
    }                                                                                                                  \
    auto __tsan_atomic##BITS##_compare_exchange_strong(                                                                \
        std::uint##BITS##_t volatile* p, std::uint##BITS##_t* expected, std::uint##BITS##_t value, int, int)           \
        ->bool                                                                                                         \
    {                                                                                                                  \
        memory::synchronize(p, true, true);                                                                            \
        std::uint##BITS##_t const before = *p;                                                                         \
        if (before == *expected) {                                                                                     \
            *p = value;                                                                                                \
            return true;                                                                                               \
        }                                                                                                              \
        *expected = before;                                                                                            \
        return false;                                                                                                  \
    }
STRIDER_ATOMIC(8)
STRIDER_ATOMIC(16)
STRIDER_ATOMIC(32)
STRIDER_ATOMIC(64)
#undef STRIDER_ATOMIC

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
