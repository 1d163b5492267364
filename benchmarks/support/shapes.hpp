// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_BENCHMARKS_SUPPORT_SHAPES_HPP
#define STRIDER_BENCHMARKS_SUPPORT_SHAPES_HPP

#include <strider/core/digraph.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

/// The seven shapes of graphs on which walks are measured. The graphs are the same in each run.
namespace strider::bench {

enum class shape : std::uint8_t { chain, tree, fan_in, grid, layered, wide, infra };
inline constexpr std::array<std::string_view, 7> shape_names{
    "chain", "tree", "fan-in", "grid", "layered", "wide", "infra"};

using draft = digraph<std::uint32_t>;

[[nodiscard]] inline auto vertices(draft& g, std::size_t count) -> std::vector<draft_vertex_id>
{
    std::vector<draft_vertex_id> at(count);
    for (std::size_t i = 0; i < count; ++i) at[i] = g.add_vertex(static_cast<std::uint32_t>(i));
    return at;
}

// Resources in modules of about sixty. Each resource depends on its provider (of a few with unequal popularity), on the
// begin of its module and on up to four other resources, mostly of its module. The close of its provider and the close
// of its module depend on a resource to which no other refers. Ids are shuffled.
[[nodiscard]] inline auto infrastructure(std::size_t count) -> draft
{
    std::mt19937_64 random(3);
    draft g;
    auto at = vertices(g, count);
    std::shuffle(at.begin(), at.end(), random);
    std::size_t const providers = std::clamp<std::size_t>(count / 1000, 3, 32);
    std::size_t const modules = std::max<std::size_t>(1, count / 60);
    std::size_t const first = 1 + providers + modules;
    std::size_t const resources = count - 2 * first;
    auto const provider = [&](std::size_t i) { return at[1 + i]; };
    auto const module = [&](std::size_t i) { return at[1 + providers + i]; };
    auto const resource = [&](std::size_t i) { return at[first + i]; };
    auto const close = [&](std::size_t i) { return at[first + resources + i]; };

    std::vector<double> liking(providers);
    for (std::size_t i = 0; i < providers; ++i) liking[i] = 1.0 / static_cast<double>(i + 1);
    std::discrete_distribution<std::size_t> some_provider(liking.begin(), liking.end());
    std::discrete_distribution<int> references{35, 40, 17, 6, 2};
    std::vector<std::size_t> provider_of(resources);
    std::vector<char> referred_to(resources);
    std::vector<std::size_t> popular;

    for (std::size_t i = 0; i < providers + modules; ++i) {
        g.add_edge(at[1 + i], depends_on(at[0]));
        g.add_edge(close(i), depends_on(at[1 + i]));
        g.add_edge(at[count - 1], depends_on(close(i)));
    }
    for (std::size_t i = 0; i < resources; ++i) {
        std::size_t const own = i * modules / resources;
        std::size_t const begin = (own * resources + modules - 1) / modules;
        provider_of[i] = some_provider(random);
        g.add_edge(resource(i), depends_on(provider(provider_of[i])));
        g.add_edge(resource(i), depends_on(module(own)));
        for (int left = references(random); left > 0 && i > begin; --left) {
            bool const nearby = random() % 10 < 7;
            std::size_t const to = nearby ? begin + random() % (i - begin) : popular[random() % popular.size()];
            g.add_edge(resource(i), depends_on(resource(to)));
            referred_to[to] = 1;
            popular.push_back(to);
        }
        popular.push_back(i);
    }
    for (std::size_t i = 0; i < resources; ++i)
        if (referred_to[i] == 0) {
            g.add_edge(close(provider_of[i]), depends_on(resource(i)));
            g.add_edge(close(providers + i * modules / resources), depends_on(resource(i)));
        }
    return g;
}

[[nodiscard]] inline auto make(shape kind, std::size_t count) -> draft
{
    if (kind == shape::infra) return infrastructure(count);
    auto const side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
    if (kind == shape::grid) count = side * side;
    draft g;
    auto const at = vertices(g, count);
    std::mt19937_64 random(12345);
    for (std::size_t i = 1; i < count; ++i) switch (kind) {
        case shape::chain: g.add_edge(at[i], depends_on(at[i - 1])); break;
        case shape::tree: g.add_edge(at[i], depends_on(at[(i - 1) / 2])); break;
        case shape::fan_in: g.add_edge(at[count - 1 - (i - 1) / 2], depends_on(at[count - 1 - i])); break;
        case shape::grid:
            if (i % side != 0) g.add_edge(at[i], depends_on(at[i - 1]));
            if (i >= side) g.add_edge(at[i], depends_on(at[i - side]));
            break;
        case shape::layered:
            for (int k = 0; k < 4 && i >= 100; ++k)
                g.add_edge(at[i], depends_on(at[(i / 100 - 1) * 100 + random() % 100]));
            break;
        case shape::wide:
            g.add_edge(at[i], depends_on(at[0]));
            if (i + 1 < count) g.add_edge(at[count - 1], depends_on(at[i]));
            break;
        case shape::infra: break;
        }
    return g;
}

}  // namespace strider::bench

#endif  // STRIDER_BENCHMARKS_SUPPORT_SHAPES_HPP
