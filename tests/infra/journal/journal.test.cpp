// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/journal/journal.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace strider;
using namespace strider::infra;
using strider::sim::fault;
using testing::ElementsAre;
using testing::IsEmpty;

auto an_entry(std::string const& name) -> journal_entry
{
    object o;
    o.attributes = document(name);
    o.provider = "p";
    return journal_entry::record(address("t", name), {}, o);
}

class Journal : public testing::Test {
protected:
    using store_type = infra::sim::store<strider::sim::virtual_clock>;

    void start(strider::sim::fault_plan faults = {})
    {
        store.emplace(kept, std::move(faults), std::chrono::milliseconds(1));
        journal.emplace(world.get_executor(), *store, kept.now());
    }
    // Appends on a coroutine of its own; the answer is available when the world has run.
    void append(std::vector<journal_entry> entries)
    {
        std::size_t const number = answers.size();
        answers.emplace_back();
        asio::co_spawn(world.get_executor(), journal->append_all(std::move(entries)),
            [this, number](std::exception_ptr const& thrown, error_code error) {
                EXPECT_EQ(thrown, nullptr);
                answers[number] = error;
            });
    }

    strider::sim::manual_context world;
    infra::sim::durable_state kept;
    std::optional<store_type> store;
    std::optional<basic_journal<store_type>> journal;
    std::vector<std::optional<error_code>> answers;
};

TEST_F(Journal, CommitsEntriesTogetherThatArriveDuringACommit)
{
    start();

    append({an_entry("a")});
    world.run_ready();
    for (char c = 'b'; c <= 'f'; ++c) append({an_entry(std::string(1, c))});
    world.run();

    EXPECT_EQ(journal->entries(), 6U);
    EXPECT_EQ(journal->commits(), 2U);
    ASSERT_EQ(kept.batches().size(), 2U);
    EXPECT_EQ(kept.batches()[1].size(), 5U);
    for (auto const& answer : answers) EXPECT_EQ(answer, error_code());
}

TEST_F(Journal, CompletesAppendsOnlyAfterTheCommitIsDurable)
{
    start();

    append({an_entry("a")});
    world.run_ready();

    EXPECT_FALSE(answers[0].has_value());
    EXPECT_THAT(kept.batches(), IsEmpty());
    world.run();
    EXPECT_TRUE(answers[0].has_value());
    EXPECT_EQ(kept.batches().size(), 1U);
}

TEST_F(Journal, KeepsEntriesOfOneAppendTogetherAndInOrder)
{
    start();

    append({an_entry("b"), an_entry("a")});
    world.run();

    ASSERT_EQ(kept.batches().size(), 1U);
    EXPECT_EQ(to_string(kept.batches()[0][0].target()), "t.b");
    EXPECT_EQ(journal->live(), [&] {
        snapshot s = kept.now();
        s.lineage.clear();
        return s;
    }());
}

TEST_F(Journal, CompletesAnEmptyAppendImmediately)
{
    start();

    append({});
    world.run();

    EXPECT_EQ(answers[0], error_code());
    EXPECT_EQ(journal->commits(), 0U);
}

TEST_F(Journal, ReportsEntriesInOrderAfterTheyAreDurable)
{
    start();
    std::vector<std::string> reported;
    auto const tell = [&](std::string what) {
        return [&, what](error_code const& error) {
            reported.push_back(what + (error ? " failed" : " of " + std::to_string(kept.batches().size())));
        };
    };

    journal->take(an_entry("a"), tell("a"));
    asio::co_spawn(world.get_executor(), journal->append(an_entry("b")),
        [&, b = tell("b")](std::exception_ptr const&, error_code error) { b(error); });
    journal->take(an_entry("c"), tell("c"));
    EXPECT_THAT(reported, IsEmpty());
    world.run();

    EXPECT_THAT(reported, ElementsAre("a of 1", "c of 1", "b of 1"));
}

TEST_F(Journal, CompletesAnEmptyAppendAfterAllEarlierEntries)
{
    start();

    journal->take(an_entry("a"));
    append({});
    world.run_ready();

    EXPECT_FALSE(answers[0].has_value());
    world.run();
    EXPECT_EQ(answers[0], error_code());
    EXPECT_EQ(kept.batches().size(), 1U);
}

TEST_F(Journal, FailsPermanentlyAfterACommitThatFails)
{
    start(strider::sim::fault_plan().on("commit", fault::fails, 2));

    append({an_entry("a")});
    world.run();
    append({an_entry("b")});
    world.run();
    append({an_entry("c")});
    world.run();

    EXPECT_EQ(answers[0], error_code());
    EXPECT_EQ(answers[1], boost::system::errc::no_space_on_device);
    EXPECT_EQ(answers[2], boost::system::errc::no_space_on_device);
    EXPECT_EQ(journal->error(), boost::system::errc::no_space_on_device);
    EXPECT_EQ(kept.batches().size(), 1U);
    EXPECT_EQ(journal->live().resources.size(), 3U);
}

TEST_F(Journal, DropsOperationsWhoseBeginningIsNotDurable)
{
    pending_operation begun;
    begun.operation = "begun";
    begun.target = address("t", "a");
    pending_operation replacing = begun;
    replacing.operation = "replacing";
    replacing.target = address("t", "b");
    replacing.deposed_key = "00000001";
    start(strider::sim::fault_plan().on("commit", fault::fails, 2));

    append({an_entry("b"), journal_entry::begin(begun)});
    world.run();
    append({journal_entry::begin(replacing)});
    world.run();

    EXPECT_TRUE(answers[1]->failed());
    EXPECT_TRUE(journal->live().pending.contains("begun"));
    EXPECT_FALSE(journal->live().pending.contains("replacing"));
    resource_record const* const record = journal->live().find(address("t", "b"));
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(record->current);
    EXPECT_TRUE(record->deposed.empty());
}

TEST_F(Journal, FailsAfterAStoreThatThrows)
{
    start(strider::sim::fault_plan().on("commit", fault::throws, 1));

    append({an_entry("a")});
    world.run();

    EXPECT_EQ(answers[0], boost::system::errc::io_error);
}

TEST_F(Journal, FailsAfterAnEntryThatCannotBeReplayed)
{
    start();

    append({journal_entry::remove(address("t", "nobody"), {})});
    world.run();

    EXPECT_EQ(answers[0], boost::system::errc::state_not_recoverable);
    EXPECT_THAT(kept.batches(), IsEmpty());
}

TEST_F(Journal, SurvivesTheDestructionOfItsContext)
{
    auto other = std::make_unique<strider::sim::manual_context>();
    store.emplace(kept, strider::sim::fault_plan(), std::chrono::milliseconds(1));
    auto lost = std::make_unique<basic_journal<store_type>>(other->get_executor(), *store, kept.now());
    asio::co_spawn(other->get_executor(), lost->append(an_entry("a")), asio::detached);
    other->run_ready();

    lost.reset();
    other.reset();

    EXPECT_THAT(kept.batches(), IsEmpty());
}

}  // namespace
