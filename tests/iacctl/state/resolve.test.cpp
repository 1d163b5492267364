// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "state/resolve.hpp"

namespace iacctl::state::test {

namespace {

infra::address const target("terraform_data", "a");

// A state in which an operation on the resource was begun, with or without a current object.
auto begun(infra::operation_kind kind, bool exists, std::string deposed_key = {}) -> infra::snapshot
{
    infra::snapshot s;
    s.lineage = "x";
    if (exists) s.resources[target].current = some_object("old");
    auto p = some_operation("op", kind, target);
    p.deposed_key = std::move(deposed_key);
    EXPECT_TRUE(replay(s, entry::begin(p)));
    return s;
}

auto after(infra::snapshot s, decision decided) -> infra::snapshot
{
    auto const entries = resolve(s, "terraform_data.a", std::move(decided));
    EXPECT_TRUE(entries) << error_text(entries);
    if (!entries) return s;
    for (entry const& e : *entries) EXPECT_TRUE(replay(s, e));
    EXPECT_TRUE(s.pending.empty());
    EXPECT_TRUE(infra::verify_integrity(s).empty());
    return s;
}

}  // namespace

TEST(Resolve, RecordsAnObjectThatWasCreated)
{
    infra::object made = some_object("new");
    made.provider.clear();

    infra::snapshot const s = after(begun(infra::operation_kind::create, false), decision::created(made));

    ASSERT_NE(s.find(target), nullptr);
    EXPECT_EQ(s.find(target)->current, some_object("new")) << "with the provider of the operation";
}

TEST(Resolve, RecordsNothingForAnObjectThatWasNotCreated)
{
    infra::snapshot const s = after(begun(infra::operation_kind::create, false), decision::not_created());

    EXPECT_EQ(s.find(target), nullptr);
}

TEST(Resolve, MakesTheDeposedObjectCurrentAgainIfItsSuccessorWasNotCreated)
{
    infra::snapshot const s = after(begun(infra::operation_kind::create, true, "00000001"), decision::not_created());

    ASSERT_NE(s.find(target), nullptr);
    EXPECT_EQ(s.find(target)->current, some_object("old"));
    EXPECT_TRUE(s.find(target)->deposed.empty());
}

TEST(Resolve, KeepsTheDeposedObjectIfItsSuccessorWasCreated)
{
    infra::snapshot const s =
        after(begun(infra::operation_kind::create, true, "00000001"), decision::created(some_object("new")));

    EXPECT_EQ(s.find(target)->current, some_object("new"));
    EXPECT_TRUE(s.find(target)->deposed.contains("00000001"));
}

TEST(Resolve, DropsAnObjectThatWasDestroyedAndKeepsOneThatWasNot)
{
    infra::snapshot const gone = after(begun(infra::operation_kind::destroy, true), decision::destroyed());
    infra::snapshot const there = after(begun(infra::operation_kind::destroy, true), decision::not_destroyed());

    EXPECT_EQ(gone.find(target), nullptr);
    EXPECT_EQ(there.find(target)->current, some_object("old"));
}

TEST(Resolve, RecordsAnUpdateOrKeepsThePriorObject)
{
    infra::snapshot const done =
        after(begun(infra::operation_kind::update, true), decision::updated(some_object("new")));
    infra::snapshot const not_done = after(begun(infra::operation_kind::update, true), decision::not_updated());

    EXPECT_EQ(done.find(target)->current, some_object("new"));
    EXPECT_EQ(not_done.find(target)->current, some_object("old"));
}

TEST(Resolve, FindsAnOperationByItsId)
{
    auto const entries = resolve(begun(infra::operation_kind::create, false), "op", decision::not_created());

    EXPECT_TRUE(entries) << error_text(entries);
}

TEST(Resolve, RejectsADecisionAboutAnotherKindOfOperation)
{
    auto const entries =
        resolve(begun(infra::operation_kind::destroy, true), "terraform_data.a", decision::not_created());

    EXPECT_EQ(kind_of_result(entries), state_error::cannot_resolve);
}

TEST(Resolve, ListsPendingOperationsIfNoneMatches)
{
    auto const entries =
        resolve(begun(infra::operation_kind::create, false), "terraform_data.b", decision::not_created());

    ASSERT_EQ(kind_of_result(entries), state_error::cannot_resolve);
    EXPECT_NE(error_text(entries).find("terraform_data.a: create (operation op)"), std::string::npos)
        << error_text(entries);
}

TEST(Resolve, RequiresAnIdIfSeveralOperationsHaveOneAddress)
{
    infra::snapshot s = begun(infra::operation_kind::create, true, "00000001");
    auto p = some_operation("op2", infra::operation_kind::destroy, target);
    p.deposed_key = "00000001";
    ASSERT_TRUE(replay(s, entry::begin(p)));

    auto const by_address = resolve(s, "terraform_data.a", decision::destroyed());
    auto const by_id = resolve(s, "op2", decision::destroyed());

    EXPECT_EQ(kind_of_result(by_address), state_error::cannot_resolve);
    EXPECT_TRUE(by_id) << error_text(by_id);
}

}  // namespace iacctl::state::test
