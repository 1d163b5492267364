// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_WALK_LOAD_HPP
#define STRIDER_TESTS_WALK_LOAD_HPP

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

/// Graphs and visitors for walks under load.
namespace strider::test {

using shape = dag<std::uint32_t>;

/// Layers of ten vertices with four dependencies each, and a last vertex that waits for the last hundred.
[[nodiscard]] inline auto layers(std::size_t count, std::uint64_t seed = 1) -> shape
{
    std::mt19937_64 random(seed);
    digraph<std::uint32_t> g;
    std::vector<draft_vertex_id> at;
    std::size_t const width = count < 100 ? 3 : 10;
    for (std::size_t i = 0; i < count; ++i) {
        at.push_back(g.add_vertex(static_cast<std::uint32_t>(i)));
        if (i < width) continue;
        for (int k = 0; k < 4; ++k) g.add_edge(at[i], depends_on(at[(i / width - 1) * width + random() % width]));
    }
    auto const hub = at.back();
    for (std::size_t i = count - std::min<std::size_t>(count, 101); i + 1 < count; ++i)
        g.add_edge(hub, depends_on(at[i]));
    return freeze(std::move(g)).value();
}

/// Counts visits with plain integers, because the edges order the reads of one visit after the writes of another.
class checker {
public:
    explicit checker(shape const& g) : graph_(g), visits_(g.vertex_count()) {}

    void operator()(vertex_id v)
    {
        std::uint32_t const mine = visits_[v.index()];
        for (auto const d : graph_.dependencies(v))
            if (visits_[d.index()] != mine + 1) wrong_.fetch_add(1, std::memory_order_relaxed);
        visits_[v.index()] = mine + 1;
    }
    [[nodiscard]] auto wrong(std::uint32_t runs) const -> std::size_t
    {
        std::size_t count = wrong_;
        for (std::uint32_t const n : visits_) count += n != runs ? 1U : 0U;
        return count;
    }

private:
    shape const& graph_;
    std::vector<std::uint32_t> visits_;
    std::atomic<std::size_t> wrong_{0};
};

/// The number of runs, multiplied by STRIDER_WALK_RUNS.
[[nodiscard]] inline auto runs(std::uint32_t count) -> std::uint32_t
{
    char const* const factor = std::getenv("STRIDER_WALK_RUNS");
    return count * (factor == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(factor, nullptr, 10)));
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_WALK_LOAD_HPP
