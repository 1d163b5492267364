// SPDX-License-Identifier: BSL-1.0
#include <strider/core/digraph.hpp>
#include <strider/lifecycle/destroy_split.hpp>

#include <gtest/gtest.h>

#include <memory>
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

struct owned_service {
    std::unique_ptr<std::string> name;
    int old_objects = 0;
};

struct owning_policy {
    [[nodiscard]] auto creates(owned_service const& s) const -> bool { return s.old_objects > 0; }
    [[nodiscard]] auto remains(owned_service const&) const -> bool { return true; }
    [[nodiscard]] auto destroyers(owned_service const& s) const -> std::vector<owned_service>
    {
        std::vector<owned_service> all;
        for (int i = 0; i < s.old_objects; ++i) all.push_back({std::make_unique<std::string>(*s.name + " old"), 0});
        return all;
    }
    [[nodiscard]] auto key(owned_service const& s) const -> std::string { return *s.name; }
    [[nodiscard]] auto ordered(owned_service const&, owned_service const&) const -> ordering
    {
        return ordering::required;
    }
    [[nodiscard]] auto stored_dependencies(owned_service const&) const -> std::vector<std::string> { return {}; }
};

TEST(DestroySplit, MovesTheDestroyersOutOfAContainer)
{
    digraph<owned_service> g;
    g.add_vertex({std::make_unique<std::string>("db"), 2});

    auto const split = destroy_split{owning_policy{}}(std::move(g));

    ASSERT_TRUE(split);
    ASSERT_EQ(split->vertex_count(), 3U);
    EXPECT_EQ(*(*split)[draft_vertex_id(2)].name, "db old");
}

}  // namespace
