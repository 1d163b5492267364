// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/reachability.hpp>
#include <strider/core/digraph.hpp>
#include <strider/lifecycle/cbd_inversion.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/transform/pipeline.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace strider {

namespace {

// A change of one object. A destroyer has the number of its object and `dies`.
struct change_of {
    std::size_t number = 0;
    bool dies = false;
    bool is_join = false;
    bool late_join = false;
};

struct scenario {
    struct object {
        bool creates = false;
        bool destroys = false;
        bool late = false;
        std::size_t order_class = 0;
        std::optional<std::size_t> set;
    };
    std::vector<object> objects;
    std::vector<std::vector<std::size_t>> names;  // of each set
    std::vector<std::vector<std::size_t>> parts;
    std::vector<std::vector<ordering>> relation;

    [[nodiscard]] auto all_names(std::size_t set) const -> std::set<std::size_t>
    {
        std::set<std::size_t> all(names[set].begin(), names[set].end());
        for (std::size_t const part : parts[set]) all.merge(all_names(part));
        return all;
    }
};

class policy_base {
public:
    explicit policy_base(scenario const& s) : s_(&s) {}
    [[nodiscard]] auto creates(change_of const& c) const -> bool { return !c.dies && of(c).creates; }
    [[nodiscard]] auto remains(change_of const& c) const -> bool { return c.dies || of(c).creates || !of(c).destroys; }
    [[nodiscard]] auto destroyers(change_of const& c) const -> std::vector<change_of>
    {
        if (c.dies || !of(c).destroys) return {};
        return {{c.number, true}};
    }
    [[nodiscard]] auto key(change_of const& c) const -> std::size_t { return c.number; }
    [[nodiscard]] auto ordered(change_of const& a, change_of const& b) const -> ordering
    {
        return s_->relation[of(a).order_class][of(b).order_class];
    }
    [[nodiscard]] auto is_creator(change_of const& c) const -> bool { return c.is_join ? c.late_join : !c.dies; }
    [[nodiscard]] auto is_destroyer(change_of const& c) const -> bool { return c.is_join ? c.late_join : c.dies; }
    [[nodiscard]] auto destroys_after_create(change_of const& c) const -> bool
    {
        return c.is_join ? c.late_join : of(c).late;
    }

protected:
    [[nodiscard]] auto of(change_of const& c) const -> scenario::object const& { return s_->objects[c.number]; }
    scenario const* s_;
};

struct pairs_policy : policy_base {
    using policy_base::policy_base;
    [[nodiscard]] auto stored_dependencies(change_of const& c) const -> std::set<std::size_t>
    {
        return of(c).set ? s_->all_names(*of(c).set) : std::set<std::size_t>();
    }
};

struct joins_policy : policy_base {
    using policy_base::policy_base;
    [[nodiscard]] auto dependency_sets() const -> std::size_t { return s_->names.size(); }
    [[nodiscard]] auto dependency_set(change_of const& c) const -> std::optional<std::size_t> { return of(c).set; }
    [[nodiscard]] auto keys_in(std::size_t set) const -> std::vector<std::size_t> const& { return s_->names[set]; }
    [[nodiscard]] auto parts_of(std::size_t set) const -> std::vector<std::size_t> const& { return s_->parts[set]; }
    [[nodiscard]] auto order_class(change_of const& c) const -> std::size_t { return of(c).order_class; }
    [[nodiscard]] auto join(bool late) const -> change_of { return {0, false, true, late}; }
};

static_assert(groups_dependencies<joins_policy, change_of> && !groups_dependencies<pairs_policy, change_of>);
static_assert(remembers_dependencies<pairs_policy, change_of>);

template <class Policy>
auto split(scenario const& s) -> digraph<change_of>
{
    digraph<change_of> g;
    for (std::size_t i = 0; i < s.objects.size(); ++i) g.add_vertex({i});
    return *(destroy_split{Policy(s)} | cbd_inversion{Policy(s)})(std::move(g));
}

// "3+ < 4-": the creation of 3 comes before the destruction of 4.
auto order_of(digraph<change_of> const& g) -> std::set<std::string>
{
    auto const name = [&](draft_vertex_id v) { return std::to_string(g[v].number) + (g[v].dies ? "-" : "+"); };
    std::set<std::string> all;
    for (auto const v : g.vertices()) {
        if (g[v].is_join) continue;
        basic_vertex_set<draft_vertex_id> const down(views::ancestors(g, v));
        for (auto const d : g.vertices())
            if (!g[d].is_join && down.contains(d)) all.insert(name(d) + " < " + name(v));
    }
    return all;
}

// As in configurations, sets refer to earlier objects and sets only.
auto random_scenario(std::mt19937& chance, std::size_t size, bool with_boundaries) -> scenario
{
    auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(chance); };
    scenario s;
    std::size_t const classes = with_boundaries ? 3 : 1;
    s.relation.assign(classes, std::vector<ordering>(classes, ordering::required));
    for (auto& row : s.relation)
        for (ordering& r : row)
            if (with_boundaries && below(3) == 0) r = ordering::none;
    for (std::size_t i = 0; i < size; ++i) {
        scenario::object o{below(2) == 0, below(2) == 0, below(3) == 0, below(classes), std::nullopt};
        if (i > 0 && below(4) != 0) {
            std::set<std::size_t> names;
            std::set<std::size_t> parts;
            for (std::size_t k = below(3) + 1; k > 0; --k) {
                std::size_t const d = below(i);
                names.insert(d);
                if (s.objects[d].set) parts.insert(*s.objects[d].set);
            }
            o.set = s.names.size();
            s.names.emplace_back(names.begin(), names.end());
            s.parts.emplace_back(parts.begin(), parts.end());
        }
        s.objects.push_back(o);
    }
    return s;
}

// A scenario in which objects depended on later ones too, thus also on each other. Each set contains what its objects depended on.
auto cyclic_scenario(std::mt19937& chance, std::size_t size) -> scenario
{
    scenario s = random_scenario(chance, size, false);
    for (auto& object : s.objects) object.late = false;  // reversed edges may close cycles of their own
    for (auto& names : s.names) names.push_back(std::uniform_int_distribution<std::size_t>(0, size - 1)(chance));
    for (bool is_complete = false; !is_complete;) {
        is_complete = true;
        for (std::size_t set = 0; set < s.names.size(); ++set) {
            auto all = s.all_names(set);
            for (std::size_t const name : s.all_names(set))
                if (s.objects[name].set) all.merge(s.all_names(*s.objects[name].set));
            is_complete = is_complete && all.size() == s.all_names(set).size();
            s.names[set].assign(all.begin(), all.end());
        }
    }
    return s;
}

auto chain(std::size_t size) -> scenario
{
    scenario s;
    s.relation = {{ordering::required}};
    for (std::size_t i = 0; i < size; ++i) {
        std::optional<std::size_t> set;
        if (i > 0) {
            set = s.names.size();
            s.names.push_back({i - 1});
            s.parts.push_back(i > 1 ? std::vector{i - 2} : std::vector<std::size_t>());
        }
        s.objects.push_back({false, true, false, 0, set});
    }
    return s;
}

}  // namespace

TEST(DestroyJoins, OrderTheSamePairsAsSingleEdges)
{
    for (unsigned seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 chance(seed);
        scenario const s = random_scenario(chance, 2 + seed % 14, seed % 2 == 0);

        ASSERT_EQ(order_of(split<joins_policy>(s)), order_of(split<pairs_policy>(s)));
    }
}

TEST(DestroyJoins, OrderTheSamePairsAsSingleEdgesAroundCycles)
{
    for (unsigned seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 chance(seed);
        scenario const s = cyclic_scenario(chance, 2 + seed % 10);

        ASSERT_EQ(order_of(split<joins_policy>(s)), order_of(split<pairs_policy>(s)));
    }
}

TEST(DestroyJoins, AreNotUsedIfTheySaveNoEdges)
{
    auto const g = split<joins_policy>(chain(3));

    EXPECT_EQ(g.vertex_count(), 3U);
    EXPECT_EQ(order_of(g), (std::set<std::string>{"2- < 1-", "2- < 0-", "1- < 0-"}));
}

TEST(DestroyJoins, KeepTheDestructionOfAChainLinear)
{
    auto const g = split<joins_policy>(chain(2000));

    EXPECT_LE(g.vertex_count(), 4000U);
    EXPECT_LE(g.edge_count(), 10000U);
}

TEST(DestroyJoins, DoNotIncludeTentativeEdges)
{
    // One provider creates 0 and 2, another one creates 1; 2 used 1, 1 used 0.
    scenario s = chain(3);
    s.relation = {{ordering::required, ordering::tentative}, {ordering::tentative, ordering::required}};
    s.objects[1].order_class = 1;

    EXPECT_EQ(order_of(split<joins_policy>(s)), order_of(split<pairs_policy>(s)));
    EXPECT_EQ(order_of(split<joins_policy>(s)), (std::set<std::string>{"2- < 1-", "2- < 0-", "1- < 0-"}));
}

TEST(DestroyJoins, FindTentativeEdgesThroughSetsOfSets)
{
    // Only the ends of the chain are destroyed, and another provider created the first one.
    scenario s = chain(5);
    for (std::size_t const middle : {1U, 2U, 3U}) s.objects[middle].destroys = false;
    s.relation = {{ordering::required, ordering::tentative}, {ordering::tentative, ordering::required}};
    s.objects[0].order_class = 1;

    EXPECT_EQ(order_of(split<joins_policy>(s)), (std::set<std::string>{"4- < 0-"}));
}

}  // namespace strider
