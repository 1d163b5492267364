// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/journal/journal_entry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace {

using namespace strider;
using namespace strider::infra;

auto an_object(std::string text) -> object
{
    object o;
    o.attributes = document(std::move(text));
    o.provider = "p";
    return o;
}

auto an_operation(operation_kind kind, std::string deposed_key = {}) -> pending_operation
{
    pending_operation o;
    o.operation = "run/" + std::string(to_string(kind)) + deposed_key;
    o.kind = kind;
    o.target = address("t", "a");
    o.deposed_key = std::move(deposed_key);
    o.provider = "p";
    o.request = document("wanted");
    return o;
}

// State with the object "old" as the current one of t.a.
auto with_old() -> snapshot
{
    snapshot s;
    s.lineage = "here";
    s.resources[address("t", "a")].current = an_object("old");
    return s;
}

auto current(snapshot const& s) -> std::string
{
    auto const* const record = s.find(address("t", "a"));
    return record != nullptr && record->current ? record->current->attributes.text() : "none";
}
auto deposed(snapshot const& s, std::string const& key) -> std::string
{
    auto const* const record = s.find(address("t", "a"));
    return record != nullptr && record->deposed.contains(key) ? record->deposed.at(key).attributes.text() : "none";
}

constexpr auto key = "0123abcd";

TEST(JournalEntry, HasFailedOnlyIfItEndsACallThatFailed)
{
    auto const created = an_operation(operation_kind::create);

    EXPECT_TRUE(journal_entry::end(created, std::nullopt, true).failed());
    EXPECT_FALSE(journal_entry::end(created, an_object("new"), false).failed());
    EXPECT_FALSE(journal_entry::begin(created).failed());
    EXPECT_FALSE(journal_entry::record(address("t", "a"), {}, an_object("found")).failed());
}

TEST(Replay, OfABeginRemembersTheOperation)
{
    auto s = with_old();

    ASSERT_TRUE(replay(s, journal_entry::begin(an_operation(operation_kind::update))).has_value());

    EXPECT_EQ(current(s), "old");
    EXPECT_EQ(s.pending.at("run/update").request.text(), "wanted");
}

TEST(Replay, OfABeginDeposesTheReplacedObject)
{
    auto s = with_old();

    ASSERT_TRUE(replay(s, journal_entry::begin(an_operation(operation_kind::create, key))).has_value());

    EXPECT_EQ(current(s), "none");
    EXPECT_EQ(deposed(s, key), "old");
    EXPECT_EQ(s.serial, 1U);
}

TEST(Replay, OfABeginOfADestroyDeposesNothing)
{
    auto s = with_old();

    ASSERT_TRUE(replay(s, journal_entry::begin(an_operation(operation_kind::destroy, key))).has_value());

    EXPECT_EQ(current(s), "old");
}

TEST(Replay, OfAnEndStoresTheObjectOfTheProvider)
{
    auto s = with_old();
    auto const operation = an_operation(operation_kind::create, key);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, an_object("new"), false)).has_value());

    EXPECT_EQ(current(s), "new");
    EXPECT_EQ(deposed(s, key), "old");
    EXPECT_TRUE(s.pending.empty());
}

TEST(Replay, OfAFailedCreateWithoutAnObjectRestoresTheDeposedOne)
{
    auto s = with_old();
    auto const before = s;
    auto const operation = an_operation(operation_kind::create, key);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());

    EXPECT_EQ(s.resources, before.resources);
    EXPECT_TRUE(s.pending.empty());
}

TEST(Replay, OfACreateWithoutAnObjectDropsTheRecordedObject)
{
    auto s = with_old();
    auto const before = s;
    auto const operation = an_operation(operation_kind::create, key);
    auto made = an_object("new");
    made.unfinished = true;
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());
    ASSERT_TRUE(replay(s, journal_entry::record(address("t", "a"), {}, made)).has_value());
    ASSERT_EQ(current(s), "new");

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());

    EXPECT_EQ(s.resources, before.resources);
}

TEST(Replay, OfACreateWithoutAnObjectKeepsAnObjectOfAnotherOperation)
{
    snapshot s;
    auto const operation = an_operation(operation_kind::create);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());
    ASSERT_TRUE(replay(s, journal_entry::record(address("t", "a"), {}, an_object("other"))).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());

    EXPECT_EQ(current(s), "other");
}

TEST(Replay, OfAFailedCreateWithAPartialObjectKeepsBoth)
{
    auto s = with_old();
    auto const operation = an_operation(operation_kind::create, key);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());
    auto partial = an_object("partial");
    partial.tainted = true;

    ASSERT_TRUE(replay(s, journal_entry::end(operation, partial, true)).has_value());

    EXPECT_EQ(current(s), "partial");
    EXPECT_TRUE(s.find(address("t", "a"))->current->tainted);
    EXPECT_EQ(deposed(s, key), "old");
}

TEST(Replay, OfAFailedFirstCreateLeavesNoRecord)
{
    snapshot s;
    auto const operation = an_operation(operation_kind::create);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());

    EXPECT_TRUE(s.resources.empty());
}

TEST(Replay, OfAFailedUpdateKeepsThePriorObject)
{
    auto s = with_old();
    auto const operation = an_operation(operation_kind::update);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());

    EXPECT_EQ(current(s), "old");
}

TEST(Replay, OfADestroyRemovesTheObjectAndAnEmptyRecord)
{
    auto s = with_old();
    auto const operation = an_operation(operation_kind::destroy);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, false)).has_value());

    EXPECT_TRUE(s.resources.empty());
}

TEST(Replay, OfADestroyOfADeposedObjectKeepsTheCurrentOne)
{
    auto s = with_old();
    s.resources.at(address("t", "a")).deposed.emplace(key, an_object("older"));
    auto const operation = an_operation(operation_kind::destroy, key);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, false)).has_value());

    EXPECT_EQ(current(s), "old");
    EXPECT_EQ(deposed(s, key), "none");
}

TEST(Replay, OfAFailedDestroyKeepsTheObjectOrItsRest)
{
    auto s = with_old();
    auto const operation = an_operation(operation_kind::destroy);
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());
    ASSERT_TRUE(replay(s, journal_entry::end(operation, std::nullopt, true)).has_value());
    EXPECT_EQ(current(s), "old");
    ASSERT_TRUE(replay(s, journal_entry::begin(operation)).has_value());

    ASSERT_TRUE(replay(s, journal_entry::end(operation, an_object("half"), true)).has_value());

    EXPECT_EQ(current(s), "half");
}

TEST(Replay, OfARecordPutsAnObjectInItsPlace)
{
    snapshot s;

    ASSERT_TRUE(replay(s, journal_entry::record(address("t", "a"), {}, an_object("found"))).has_value());
    ASSERT_TRUE(replay(s, journal_entry::record(address("t", "a"), key, an_object("old"))).has_value());

    EXPECT_EQ(current(s), "found");
    EXPECT_EQ(deposed(s, key), "old");
    EXPECT_EQ(s.serial, 2U);
}

TEST(Replay, OfARemovalDropsAnObjectAndAnEmptyRecord)
{
    auto s = with_old();
    s.resources.at(address("t", "a")).deposed.emplace(key, an_object("older"));

    ASSERT_TRUE(replay(s, journal_entry::remove(address("t", "a"), {})).has_value());
    EXPECT_EQ(current(s), "none");
    EXPECT_EQ(deposed(s, key), "older");
    ASSERT_TRUE(replay(s, journal_entry::remove(address("t", "a"), key)).has_value());

    EXPECT_TRUE(s.resources.empty());
}

TEST(Replay, OfOutputsSetsAndRemovesThem)
{
    snapshot s;

    ASSERT_TRUE(replay(s, journal_entry::output("o", {document("1"), document("text"), true})).has_value());
    EXPECT_EQ(s.outputs.at("o").value.text(), "1");
    EXPECT_TRUE(s.outputs.at("o").sensitive);
    ASSERT_TRUE(replay(s, journal_entry::output_removed("o")).has_value());

    EXPECT_TRUE(s.outputs.empty());
    EXPECT_EQ(s.serial, 2U);
}

TEST(Replay, RejectsTheEndOfAnOperationThatWasNotBegun)
{
    auto s = with_old();
    auto const before = s;

    auto const refused = replay(s, journal_entry::end(an_operation(operation_kind::destroy), std::nullopt, false));

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), graph_errc::unknown_vertex);
    EXPECT_EQ(s, before);
}

TEST(Replay, RejectsTheRemovalOfAMissingObject)
{
    snapshot s;

    EXPECT_FALSE(replay(s, journal_entry::remove(address("t", "a"), {})).has_value());
    EXPECT_EQ(s, snapshot());
}

TEST(JournalEntry, OfAnEndOmitsTheRequest)
{
    auto begun = an_operation(operation_kind::create);
    begun.sensitive = document("a part of it");

    auto const end = journal_entry::end(begun, std::nullopt, true);

    EXPECT_TRUE(end.operation().request.empty());
    EXPECT_TRUE(end.operation().sensitive.empty());
    EXPECT_TRUE(end.failed());
}

}  // namespace
