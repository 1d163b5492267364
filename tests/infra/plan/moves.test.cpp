// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/plan/moves.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider::infra;
using testing::ElementsAre;
using testing::Pair;

auto at(std::string const& text) -> address
{
    return *parse_address(text);
}

auto module_at(std::string const& name, instance_key instance = {}) -> address
{
    return {{{name, std::move(instance)}}, resource_mode::managed, {}, {}, {}};
}

auto from_to(address from, address to, std::vector<std::string> within = {}) -> move_statement
{
    return {std::move(within), std::move(from), std::move(to), {}, "main.tf:1,1"};
}

auto state_of(std::initializer_list<char const*> instances) -> snapshot
{
    snapshot s;
    for (char const* text : instances) {
        object o;
        o.provider = text;  // distinguishes the objects
        s.resources[at(text)].current = o;
    }
    return s;
}

// "where: what it was", by address
auto places(snapshot const& s) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& [a, record] : s.resources) all.push_back(to_string(a) + ": " + record.current->provider);
    return all;
}

auto after(snapshot s, std::vector<move_statement> const& all) -> std::vector<std::string>
{
    auto const moved = apply_moves(std::move(s), all);
    return moved ? places(moved->state) : std::vector<std::string>{moved.error().why().front().code};
}

TEST(Moves, OfAWholeResourceKeepTheKeysOfItsInstances)
{
    auto const s = from_to(at("toy.a"), at("toy.b"));

    EXPECT_EQ(moved_to(s, at("toy.a")), at("toy.b"));
    EXPECT_EQ(moved_to(s, at("toy.a[3]")), at("toy.b[3]"));
    EXPECT_EQ(moved_to(s, at("toy.a[\"k\"]")), at("toy.b[\"k\"]"));
    EXPECT_EQ(moved_to(s, at("toy.c")), std::nullopt);
    EXPECT_EQ(moved_to(s, at("module.m.toy.a")), std::nullopt);
}

TEST(Moves, OfAnInstanceAffectOnlyThatInstance)
{
    auto const s = from_to(at("toy.a[0]"), at("toy.b"));

    EXPECT_EQ(moved_to(s, at("toy.a[0]")), at("toy.b"));
    EXPECT_EQ(moved_to(s, at("toy.a[1]")), std::nullopt);
    EXPECT_EQ(moved_to(s, at("toy.a")), std::nullopt);
}

TEST(Moves, OfAModuleIncludeNestedModules)
{
    auto const s = from_to(module_at("m"), module_at("n"));

    EXPECT_EQ(moved_to(s, at("module.m.toy.a")), at("module.n.toy.a"));
    EXPECT_EQ(moved_to(s, at("module.m[1].module.x.toy.a[0]")), at("module.n[1].module.x.toy.a[0]"));
    EXPECT_EQ(moved_to(s, at("module.x.module.m.toy.a")), std::nullopt);
}

TEST(Moves, OfAModuleInstanceDoNotAffectOtherInstances)
{
    auto const s = from_to(module_at("m"), module_at("m", instance_key(std::string("k"))));

    EXPECT_EQ(moved_to(s, at("module.m.toy.a")), at("module.m[\"k\"].toy.a"));
    EXPECT_EQ(moved_to(s, at("module.m[0].toy.a")), std::nullopt);
}

TEST(Moves, DeclaredInAModuleApplyToAllItsInstances)
{
    auto const s = from_to(at("toy.a"), at("toy.b"), {"m"});

    EXPECT_EQ(moved_to(s, at("module.m[0].toy.a")), at("module.m[0].toy.b"));
    EXPECT_EQ(moved_to(s, at("module.m[1].toy.a[2]")), at("module.m[1].toy.b[2]"));
    EXPECT_EQ(moved_to(s, at("toy.a")), std::nullopt);
}

TEST(Moves, AreChainedInAnyOrderOfDeclaration)
{
    auto const first = from_to(at("toy.a"), at("toy.b"));
    auto const second = from_to(at("toy.b"), at("toy.c"));

    EXPECT_THAT(after(state_of({"toy.a"}), {first, second}), ElementsAre("toy.c: toy.a"));
    EXPECT_THAT(after(state_of({"toy.a"}), {second, first}), ElementsAre("toy.c: toy.a"));
}

TEST(Moves, ReportTheFirstAddressOfAChain)
{
    auto const moved =
        apply_moves(state_of({"toy.a"}), {from_to(at("toy.b"), at("toy.c")), from_to(at("toy.a"), at("toy.b"))});

    ASSERT_TRUE(moved);
    EXPECT_THAT(moved->previous, ElementsAre(Pair(at("toy.c"), at("toy.a"))));
}

TEST(Moves, OfAModulePrecedeThoseInsideTheNewModule)
{
    auto const outer = from_to(module_at("m"), module_at("n"));
    auto const inner = from_to(at("toy.a"), at("toy.b"), {"n"});

    EXPECT_THAT(after(state_of({"module.m.toy.a"}), {inner, outer}), ElementsAre("module.n.toy.b: module.m.toy.a"));
}

TEST(Moves, OfAWholeModulePrecedeThoseOfOneOfItsNewInstances)
{
    instance_key const first(std::int64_t{0});
    auto const outer = from_to(module_at("m"), module_at("n"));
    auto const of_content = from_to(at("module.n[0].toy.a"), at("toy.b"));
    auto const of_instance = from_to(module_at("n", first), module_at("p"));

    for (auto const& [inner, wanted] : {std::pair(of_content, "toy.b: module.m[0].toy.a"),
             std::pair(of_instance, "module.p.toy.a: module.m[0].toy.a")}) {
        EXPECT_THAT(after(state_of({"module.m[0].toy.a"}), {inner, outer}), ElementsAre(wanted));
        EXPECT_THAT(after(state_of({"module.m[0].toy.a"}), {outer, inner}), ElementsAre(wanted));
    }
}

TEST(Moves, OfDifferentNestedModulesAreIndependent)
{
    auto const nested = [](char const* name) {
        return address({{"m", {}}, {name, {}}}, resource_mode::managed, {}, {}, {});
    };
    std::vector<move_statement> const all{from_to(nested("x"), nested("y")), from_to(nested("z"), nested("w"))};

    EXPECT_THAT(after(state_of({"module.m.module.x.toy.a", "module.m.module.z.toy.a"}), all),
        ElementsAre(
            "module.m.module.w.toy.a: module.m.module.z.toy.a", "module.m.module.y.toy.a: module.m.module.x.toy.a"));
}

TEST(Moves, AreFollowedByTheDependenciesOfAllObjects)
{
    auto s = state_of({"toy.a", "toy.b"});
    auto& b = s.resources[at("toy.b")];
    b.current->dependencies = {"toy.a", "toy.x"};
    b.deposed["00000001"].dependencies = {"toy.a"};
    auto moved = apply_moves(std::move(s), std::vector{from_to(at("toy.a"), at("toy.c"))});
    ASSERT_TRUE(moved);

    follow_moves(*moved);

    auto const* const now = moved->state.find(at("toy.b"));
    EXPECT_THAT(now->current->dependencies.names(), ElementsAre("toy.c", "toy.x"));
    EXPECT_THAT(now->deposed.at("00000001").dependencies.names(), ElementsAre("toy.c"));
    ASSERT_EQ(moved->followed.size(), 2U);
    EXPECT_EQ(moved->followed.front().deposed_key(), "");
    EXPECT_EQ(moved->followed.back().deposed_key(), "00000001");
}

TEST(Moves, DoNotOverwriteExistingObjects)
{
    auto const moved = apply_moves(state_of({"toy.a", "toy.b"}), {from_to(at("toy.a"), at("toy.b"))});

    ASSERT_TRUE(moved);
    EXPECT_THAT(places(moved->state), ElementsAre("toy.a: toy.a", "toy.b: toy.b"));
    EXPECT_THAT(moved->blocked, ElementsAre(Pair(at("toy.a"), at("toy.b"))));
    EXPECT_TRUE(moved->previous.empty());
}

TEST(Moves, OfAWholeResourceLeaveOutInstancesWhoseNewAddressIsInUse)
{
    auto const moved =
        apply_moves(state_of({"toy.a[0]", "toy.a[1]", "toy.b[0]"}), std::vector{from_to(at("toy.a"), at("toy.b"))});

    ASSERT_TRUE(moved);
    EXPECT_THAT(places(moved->state), ElementsAre("toy.a[0]: toy.a[0]", "toy.b[0]: toy.b[0]", "toy.b[1]: toy.a[1]"));
    EXPECT_THAT(moved->blocked, ElementsAre(Pair(at("toy.a[0]"), at("toy.b[0]"))));
}

TEST(Moves, OfAModuleLeaveOutInstancesWhoseNewAddressIsInUse)
{
    auto const move = from_to(module_at("m"), module_at("n"));
    auto const state = state_of({"module.m.toy.a", "module.m.toy.b", "module.n.toy.b"});

    auto const moved = apply_moves(state, std::vector{move});

    ASSERT_TRUE(moved);
    EXPECT_THAT(places(moved->state),
        ElementsAre(
            "module.m.toy.b: module.m.toy.b", "module.n.toy.a: module.m.toy.a", "module.n.toy.b: module.n.toy.b"));
    EXPECT_THAT(moved->blocked, ElementsAre(Pair(at("module.m.toy.b"), at("module.n.toy.b"))));
}

TEST(Moves, NameInstancesWhoseKeysTheyOmit)
{
    auto const of_module = from_to(at("module.m.toy.a"), at("toy.a"));
    auto const of_instance = from_to(at("toy.a[\"k\"]"), at("toy.b"));

    EXPECT_TRUE(names_without_keys(of_module, at("module.m[\"k\"].toy.a[1]")));
    EXPECT_FALSE(names_without_keys(of_module, at("module.m.toy.b")));
    EXPECT_FALSE(names_without_keys(of_module, at("toy.a")));
    EXPECT_FALSE(names_without_keys(of_module, at("module.other.toy.a")));
    EXPECT_FALSE(names_without_keys(of_instance, at("toy.a[\"other\"]")));

    auto const in_module = from_to(at("module.x.toy.a"), at("toy.a"), {"m"});
    EXPECT_TRUE(names_without_keys(in_module, at("module.m[0].module.x[\"k\"].toy.a")));
    EXPECT_FALSE(names_without_keys(in_module, at("module.n[0].module.x[\"k\"].toy.a")));
}

TEST(Moves, InACycleAreRejected)
{
    EXPECT_THAT(after(state_of({"toy.a"}), {from_to(at("toy.a"), at("toy.b")), from_to(at("toy.b"), at("toy.a"))}),
        ElementsAre(codes::move_cycle));
}

TEST(Moves, OutsideOfACycleAreNotNamedInItsError)
{
    auto const moved = apply_moves(state_of({"toy.a"}),
        std::vector{
            from_to(at("toy.c"), at("toy.d")), from_to(at("toy.a"), at("toy.b")), from_to(at("toy.b"), at("toy.a"))});

    ASSERT_FALSE(moved);
    auto const named = moved.error().why().front().arguments;
    EXPECT_EQ(named.size(), 2U * 3U);
    EXPECT_THAT(named, testing::Not(testing::Contains("toy.c")));
}

TEST(Moves, ToItselfToTwoAddressesAndFromTwoAddressesHaveDifferentErrors)
{
    auto const found = check_moves({from_to(at("toy.a"), at("toy.a")), from_to(at("toy.b"), at("toy.c")),
        from_to(at("toy.b"), at("toy.d")), from_to(at("toy.e"), at("toy.c"))});

    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].code, codes::move_to_itself);
    EXPECT_EQ(found[1].code, codes::moved_to_two_places);
    EXPECT_THAT(found[1].arguments, ElementsAre("toy.b", "toy.d", "main.tf:1,1", "toy.c"));
    EXPECT_EQ(found[2].code, codes::moved_from_two_places);
    EXPECT_THAT(found[2].arguments, ElementsAre("toy.e", "toy.c", "main.tf:1,1", "toy.b"));
}

TEST(Moves, OfADeclaredObjectAreRejected)
{
    std::vector<move_statement> all{from_to(at("toy.a[1]"), at("toy.b")), from_to(at("toy.c"), at("toy.d"))};
    all.front().source.file = "main.tf";

    EXPECT_TRUE(check_moved_objects(all, {at("toy.a[0]"), at("toy.d")}).empty());
    auto const found = check_moved_objects(all, {at("toy.a[1]")});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, codes::moved_object_still_declared);
    EXPECT_THAT(found[0].arguments, ElementsAre("toy.a[1]", "toy.b", ""));
    EXPECT_EQ(found[0].source, all.front().source);
}

}  // namespace
