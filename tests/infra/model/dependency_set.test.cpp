// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/model/dependency_set.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace strider::infra {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DependencySet, ContainsTheNamesOfItsParts)
{
    dependency_set const a({"t.a"});
    dependency_set const b({"t.b"}, {a});
    dependency_set const c({"t.c", "t.a"}, {b, a});

    EXPECT_THAT(c.names(), ElementsAre("t.a", "t.b", "t.c"));
    EXPECT_THAT(c.own_names(), ElementsAre("t.a", "t.c"));
    EXPECT_THAT(dependency_set().names(), IsEmpty());
}

TEST(DependencySet, SortsItsNamesAndKeepsEachOnce)
{
    EXPECT_THAT(dependency_set({"t.b", "t.a", "t.b"}).names(), ElementsAre("t.a", "t.b"));
}

TEST(DependencySet, IsItsOnlyPart)
{
    dependency_set const a({"t.a"});

    EXPECT_EQ(dependency_set({}, {a, dependency_set()}).id(), a.id());
    EXPECT_TRUE(dependency_set({}, {dependency_set()}).empty());
}

TEST(DependencySet, HasAnIdThatIsDerivedFromItsContent)
{
    auto const made = [](std::string const& last) {
        return dependency_set({"t.c"}, {dependency_set({"t.b"}, {dependency_set({last})}), dependency_set({"t.x"})});
    };

    EXPECT_EQ(made("t.a").id(), made("t.a").id());
    EXPECT_NE(made("t.a").id(), made("t.aa").id());
    EXPECT_NE(dependency_set({"ab", "c"}).id(), dependency_set({"a", "bc"}).id());
}

// State stores sets by their ids.
TEST(DependencySet, HasTheIdThatEarlierVersionsHaveStored)
{
    using id = dependency_set::id_type;
    dependency_set const a({"t.a"});

    EXPECT_EQ(a.id(), (id{0xf1f0ed7f6cfaf485U, 0x68435450bf9dc8b1U}));
    EXPECT_EQ(dependency_set({"t.a", "module.m.t.long_name"}).id(), (id{0x90749c05d57ff94cU, 0x1098ac434a25714dU}));
    EXPECT_EQ(dependency_set({"t.c"}, {a, dependency_set({"t.b"}, {a})}).id(),
        (id{0xe72c69bbd56c54a3U, 0xf6c2f9258240f294U}));
}

TEST(DependencySet, EqualsASetOfTheSameNamesInAnotherForm)
{
    dependency_set const nested({"t.b"}, {dependency_set({"t.a"})});

    EXPECT_EQ(nested, dependency_set({"t.a", "t.b"}));
    EXPECT_FALSE(nested == dependency_set({"t.a"}));
}

TEST(DependencySet, MergesFlatSetsIntoOne)
{
    dependency_set const both = dependency_set({"t.a", "t.b"}).merged(dependency_set({"t.b", "t.c"}));

    EXPECT_THAT(both.own_names(), ElementsAre("t.a", "t.b", "t.c"));
    EXPECT_THAT(both.parts(), IsEmpty());
}

TEST(DependencySet, MergesASubsetIntoItself)
{
    dependency_set const a({"t.a"});
    dependency_set const b({"t.b"}, {a});
    dependency_set const c({"t.c"}, {b});

    EXPECT_EQ(c.merged(b).id(), c.id());
    EXPECT_EQ(b.merged(c).id(), c.id());
    EXPECT_EQ(c.merged({}).id(), c.id());
    EXPECT_EQ(c.merged(a).merged(a).id(), c.merged(a).id());
    EXPECT_THAT(b.merged(dependency_set({"t.x"}, {a})).names(), ElementsAre("t.a", "t.b", "t.x"));
}

TEST(DependencySet, VisitsPartsBeforeTheirWhole)
{
    dependency_set const a({"t.a"});
    dependency_set const b({"t.b"}, {a});
    dependency_set const c({"t.c"}, {a, b});
    std::vector<std::string> seen;

    c.for_each_set([&](dependency_set const& s) { return std::ranges::count(seen, s.own_names().front()) == 0; },
        [&](dependency_set const& s) { seen.push_back(s.own_names().front()); });

    EXPECT_THAT(seen, ElementsAre("t.a", "t.b", "t.c"));
}

// A set for each of n objects in a chain: quadratic memory would be 20 GB, and a recursion would need n frames.
TEST(DependencySet, TakesLinearMemoryForALongChainAndFreesItWithoutRecursion)
{
    dependency_set last;
    for (int i = 0; i < 100'000; ++i) last = dependency_set({"t.n" + std::to_string(i)}, {last});

    EXPECT_EQ(last.names().size(), 100'000U);
    last = {};
    EXPECT_TRUE(last.empty());
}

TEST(DependencySet, IsSharedByThreads)
{
    dependency_set shared({"t.a"}, {dependency_set({"t.b"}, {dependency_set({"t.c"})})});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([copy = shared]() mutable {
            for (int n = 0; n < 200; ++n) copy = dependency_set({"t.d" + std::to_string(n)}, {copy, {"t.e"}});
            EXPECT_EQ(copy.names().size(), 204U);
        });
    shared = {};
    for (std::thread& t : threads) t.join();
}

}  // namespace

}  // namespace strider::infra
