// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>

#include <support/property.hpp>

#include <range/v3/algorithm/count.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace strider;
using test::acyclic_edges;

STRIDER_PROPERTY(ReverseGraphLaw, HasEachEdgeInTheOtherDirection, (acyclic_edges const& drawn))
{
    auto const g = freeze(drawn.graph()).value();
    auto const r = reversed(g);

    for (auto const v : r.vertices()) {
        STRIDER_LAW(r[v] == g[r.original(v)]);
        STRIDER_LAW(r.dependency_count(v) == ranges::size(r.dependencies(v)));
        STRIDER_LAW(r.dependent_count(v) == ranges::size(r.dependents(v)));
        STRIDER_LAW(ranges::size(r.dependencies(v)) == ranges::size(g.dependents(r.original(v))));
        for (auto const d : r.dependencies(v)) {
            STRIDER_LAW(d < v);
            STRIDER_LAW(ranges::count(g.dependencies(r.original(d)), r.original(v)) == 1);
            STRIDER_LAW(ranges::count(r.dependents(d), v) == 1);
        }
        for (edge const e : r.dependency_edges(v)) STRIDER_LAW(e.dependent == v && e.dependency < v);
    }
    STRIDER_LAW((r.vertices() | ranges::to<std::vector>()) == (g.vertices() | ranges::to<std::vector>()));
}

}  // namespace
