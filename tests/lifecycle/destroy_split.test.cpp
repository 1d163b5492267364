// SPDX-License-Identifier: BSL-1.0
#include <strider/core/digraph.hpp>
#include <strider/lifecycle/destroy_split.hpp>

#include <gtest/gtest.h>

#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;

struct service {
    std::string name;
    std::vector<std::string> old_objects;
    bool is_old = false;
};
struct service_policy {
    [[nodiscard]] auto creates(service const& s) const -> bool { return !s.is_old; }
    [[nodiscard]] auto remains(service const&) const -> bool { return true; }
    [[nodiscard]] auto destroyers(service const& s) const
    {
        return s.old_objects
            | std::views::transform([&s](std::string const& object) { return service{s.name + object, {}, true}; });
    }
    [[nodiscard]] auto key(service const& s) const -> std::string { return s.name; }
    [[nodiscard]] auto ordered(service const&, service const&) const -> ordering { return ordering::required; }
    [[nodiscard]] auto stored_dependencies(service const&) const -> std::vector<std::string> { return {}; }
};

TEST(DestroySplit, TakesALazyRangeOfDestroyersThatRefersToTheVertex)
{
    digraph<service> g;
    for (int i = 0; i < 4; ++i)
        g.add_vertex({"service number " + std::to_string(i), {" first old object", " second old object", " third"}});

    auto const split = destroy_split{service_policy{}}(std::move(g));

    ASSERT_TRUE(split);
    ASSERT_EQ(split->vertex_count(), 16U);
    EXPECT_EQ((*split)[draft_vertex_id(15)].name, "service number 3 third");
}

}  // namespace
