// SPDX-License-Identifier: BSL-1.0
// Counts the allocations of walks: this file replaces the global operators for the whole executable, or uses hooks of
// the allocator of a sanitizer, whose operators cannot be replaced.
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walker.hpp>

#include <support/places.hpp>
#include <walk/failing_allocations.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRIDER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STRIDER_SANITIZED 1
#endif
#endif
#ifdef STRIDER_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

#ifdef STRIDER_SANITIZED
bool const strider::test::allocations_can_fail = false;
#else
bool const strider::test::allocations_can_fail = true;
#endif
std::atomic<long> strider::test::allocations_until_failure{0};

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> bytes{0};
std::atomic<std::size_t> releases{0};

}  // namespace

#ifdef STRIDER_SANITIZED

namespace {

void on_allocation(void const volatile*, std::size_t size)
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
}

void on_release(void const volatile* memory)
{
    if (memory != nullptr) releases.fetch_add(1, std::memory_order_relaxed);
}

[[maybe_unused]] int const hooked = __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);

}  // namespace

#else

namespace {

void released(void* memory) noexcept
{
    if (memory != nullptr) releases.fetch_add(1, std::memory_order_relaxed);
    std::free(memory);
}

auto counted(std::size_t size, std::size_t alignment) -> void*
{
    if (strider::test::allocations_until_failure.load(std::memory_order_relaxed) > 0
        && strider::test::allocations_until_failure.fetch_sub(1, std::memory_order_relaxed) == 1)
        throw std::bad_alloc();
    allocations.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
    void* const memory = alignment <= alignof(std::max_align_t)
        ? std::malloc(size == 0 ? 1 : size)
        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

auto operator new(std::size_t size) -> void*
{
    return counted(size, 1);
}
auto operator new(std::size_t size, std::align_val_t alignment) -> void*
{
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    released(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    released(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    released(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    released(memory);
}

#endif

namespace strider::test {
namespace {

struct sixteen_bytes {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
};
using capture_graph = dag<sixteen_bytes>;
using capture_visitor = std::function<void(vertex_id, sixteen_bytes const&)>;
using capture_walker = walker<asio::thread_pool::executor_type, capture_graph, capture_visitor>;

[[nodiscard]] auto four_edges_a_vertex(std::size_t count) -> capture_graph
{
    digraph<sixteen_bytes> g;
    std::uint64_t random = 1;
    for (std::size_t i = 0; i < count; ++i) {
        auto const v = g.add_vertex({});
        for (std::uint64_t k = 0; k < 4 && i >= 100; ++k) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            g.add_edge(v, depends_on(draft_vertex_id((i / 100 - 1) * 100 + (random >> 33U) % 25 + 25 * k)));
        }
    }
    return freeze(std::move(g)).value();
}

TEST(Allocations, OfARepeatedRunAreAtMostTwoAndNonePerVertex)
{
    for (std::uint32_t const threads : {1U, 4U}) {
        for (auto const share : {visit_granularity::adaptive, visit_granularity::coarse}) {
            for (std::size_t const vertices : {10U, 10'000U}) {
                capture_graph const g = four_edges_a_vertex(vertices);
                asio::thread_pool pool(threads);
                std::atomic<std::size_t> visits{0};
                capture_walker walk(pool.get_executor(), g,
                    [&](vertex_id, sixteen_bytes const&) { visits.fetch_add(1, std::memory_order_relaxed); },
                    {.granularity = share});
                constexpr std::size_t runs = 10;
                for (std::size_t i = 0; i < runs; ++i) walk.run();

                std::size_t const before = allocations;
                for (std::size_t i = 0; i < runs; ++i) walk.run();
                std::size_t const made = allocations - before;

                EXPECT_LE(made, 2 * runs) << threads << " threads, " << vertices << " vertices";
                EXPECT_EQ(visits, 2 * runs * vertices);
            }
        }
    }
}

// STRIDER_WALK_RUNS=500 makes it a million runs.
TEST(Allocations, OfManyTinyRunsAreAllFreed)
{
    capture_graph const g = four_edges_a_vertex(10);
    char const* const factor = std::getenv("STRIDER_WALK_RUNS");
    std::size_t const runs = 2000 * (factor == nullptr ? 1 : std::strtoul(factor, nullptr, 10));
    std::atomic<std::size_t> visits{0};

    auto const kept = [] { return static_cast<std::ptrdiff_t>(allocations) - static_cast<std::ptrdiff_t>(releases); };
    std::ptrdiff_t const before = kept();
    {
        asio::thread_pool pool(4);
        capture_walker walk(pool.get_executor(), g,
            [&](vertex_id, sixteen_bytes const&) { visits.fetch_add(1, std::memory_order_relaxed); },
            {.granularity = visit_granularity::coarse});
        for (std::size_t i = 0; i < runs; ++i) walk.run(caller_helps);
    }
    std::ptrdiff_t const after = kept();

    EXPECT_EQ(visits, 10 * runs);
    // ThreadSanitizer reports blocks of aligned_alloc, which Asio uses too, only when they are freed. Threads keep some
    // memory for later threads, and a sanitizer reports that, too: less than a hundredth of the memory that would
    // remain if each run lost one block.
    EXPECT_LT(after, before + static_cast<std::ptrdiff_t>(runs / 100));
}

TEST(Allocations, OfGraphAndWalkerTakeAtMostEightyBytesPerVertex)
{
    constexpr std::size_t vertices = 20'000;
    std::size_t graph_bytes = 0;
    {
        capture_graph const g = four_edges_a_vertex(vertices);
        std::size_t const before = bytes;
        capture_graph const copy = g;  // the memory of the graph, without the memory that was needed to build it
        graph_bytes = bytes - before;
        EXPECT_EQ(copy.edge_count(), g.edge_count());
    }
    capture_graph const g = four_edges_a_vertex(vertices);
    asio::thread_pool pool(2);

    std::size_t const before = bytes;
    capture_walker walk(pool.get_executor(), g, [](vertex_id, sixteen_bytes const&) {});
    walk.run();
    std::size_t const walker_bytes = bytes - before;

    RecordProperty("bytes_per_vertex", std::to_string((graph_bytes + walker_bytes) / vertices));
    EXPECT_LE((graph_bytes + walker_bytes) / vertices, 80U) << graph_bytes << " + " << walker_bytes;
}

// Counts allocations of plain visits with a separate handler.
template <class Options, class Place = decltype(directly)>
[[nodiscard]] auto allocations_of_a_walk(std::size_t vertices, Options const& options, Place place = directly)
    -> std::size_t
{
    capture_graph const g = four_edges_a_vertex(vertices);
    asio::thread_pool pool(2);
    std::size_t done = 0;
    std::size_t const before = allocations;
    async_walk(
        place(pool.get_executor()), g, [](vertex_id, sixteen_bytes const&) {}, options,
        [&](error_code, walk_report const& report) { done = report.done(); });
    pool.join();
    EXPECT_EQ(done, vertices);
    return allocations - before;
}

TEST(Allocations, OfPlainVisitsAreNonePerVertex)
{
    EXPECT_LT(allocations_of_a_walk(10'000, walk_options<>()), allocations_of_a_walk(100, walk_options<>()) + 100);
    EXPECT_LT(
        allocations_of_a_walk(10'000, walk_options<fifo>()), allocations_of_a_walk(100, walk_options<fifo>()) + 100);
    EXPECT_LT(allocations_of_a_walk(10'000, walk_options<fifo>(), on_strand),
        allocations_of_a_walk(100, walk_options<fifo>(), on_strand) + 100);
}

// Counts allocations in a chain, so that one strand visits all vertices.
[[nodiscard]] auto allocations_of_handle_visits(std::size_t vertices) -> std::size_t
{
    digraph<sixteen_bytes> draft;
    for (std::size_t i = 0; i < vertices; ++i)
        if (auto const v = draft.add_vertex({}); i != 0) draft.add_edge(v, depends_on(draft_vertex_id(i - 1)));
    capture_graph const g = freeze(std::move(draft)).value();
    asio::thread_pool pool(1);
    std::size_t const before = allocations;
    walk_report const report = walk(pool, g, [](vertex_id, sixteen_bytes const&, visit_handle handle) { handle(); });
    EXPECT_EQ(report.done(), vertices);
    return allocations - before;
}

TEST(Allocations, OfHandleVisitsAreNonePerVertex)
{
    std::size_t const of_ten = allocations_of_handle_visits(10);
    std::size_t const of_thousand = allocations_of_handle_visits(1000);

    EXPECT_LT(of_thousand, of_ten + 50);  // the ready queue has more levels, and there are handlers of further turns
}

TEST(Allocations, OfClassLimitsArePerClassAndNotPerVertex)
{
    resource_pools limits([](vertex_id v) { return resource_pool{v.index() % 4, 3}; });
    limits.reset(10'000);
    std::size_t const before = allocations;

    for (std::size_t i = 0; i < 10'000; ++i) limits.push(vertex_id(i));

    EXPECT_LT(allocations - before, 100U);
}

}  // namespace
}  // namespace strider::test
