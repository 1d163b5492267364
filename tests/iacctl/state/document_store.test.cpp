// SPDX-License-Identifier: BSL-1.0
#include "state/record/document_store.hpp"

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace iacctl::state::test {
namespace {

using testing::ElementsAre;
using verdict = document_store::verdict;

auto document(int serial, std::string const& lineage = "L", std::string const& content = "") -> std::string
{
    return R"({"version":4,"serial":)" + std::to_string(serial) + R"(,"lineage":")" + lineage + R"(","x":")" + content
        + "\"}";
}

class DocumentStore : public testing::Test {
protected:
    auto open(retention_policy keep = {}) -> document_store
    {
        auto opened = document_store::open(directory.path() / "served", keep);
        EXPECT_TRUE(opened) << error_text(opened);
        return std::move(*opened);
    }
    static auto put(document_store& in, std::string const& text, std::string const& lock = {},
        std::string const& workspace = "w") -> verdict
    {
        auto const done = in.put(workspace, text, document_header::read(text).value(), lock, "ann");
        EXPECT_TRUE(done) << error_text(done);
        return done ? done->of : verdict::locked;
    }
    static auto get(document_store& in, std::string const& workspace = "w") -> std::optional<std::string>
    {
        auto const got = in.get(workspace);
        EXPECT_TRUE(got) << error_text(got);
        return got ? *got : std::nullopt;
    }

    temporary_directory directory;
};

TEST_F(DocumentStore, KeepsADocumentByteForByteOverARestart)
{
    std::string const text = "{ \"serial\": 3,\n\t\"lineage\":\"a\", \"encrypted_data\" : \"\\u003c\" }\n\n";
    {
        auto store = open();
        EXPECT_EQ(get(store), std::nullopt);
        EXPECT_EQ(put(store, text), verdict::done);
    }
    auto store = open();
    EXPECT_EQ(get(store), text);
    EXPECT_EQ(get(store, "other"), std::nullopt);
}

TEST_F(DocumentStore, RejectsAnOlderSerialAnotherLineageAndAnotherDocumentOfTheSameSerial)
{
    auto store = open();
    EXPECT_EQ(put(store, document(5)), verdict::done);
    EXPECT_EQ(put(store, document(4)), verdict::older_serial);
    EXPECT_EQ(put(store, document(6, "M")), verdict::other_lineage);
    EXPECT_EQ(put(store, document(5, "L", "changed")), verdict::same_serial);
    EXPECT_EQ(get(store), document(5));
    EXPECT_EQ(put(store, document(6)), verdict::done);
    EXPECT_EQ(get(store), document(6));
}

TEST_F(DocumentStore, AcceptsARepeatedWriteOfTheSameDocument)
{
    auto store = open();
    EXPECT_EQ(put(store, document(5)), verdict::done);
    EXPECT_EQ(put(store, document(5)), verdict::done);
    EXPECT_EQ(store.history("w")->size(), 1U);
}

TEST_F(DocumentStore, AcceptsWritesOnlyFromTheHolderOfTheLock)
{
    auto store = open();
    EXPECT_EQ(store.lock("w", "one", "{\"ID\":\"one\"}", "ann")->of, verdict::done);
    EXPECT_EQ(store.lock("w", "one", "{\"ID\":\"one\"}", "ann")->of, verdict::done);
    auto const second = store.lock("w", "two", "{}", "bob");
    EXPECT_EQ(second->of, verdict::locked);
    ASSERT_TRUE(second->holder);
    EXPECT_EQ(second->holder->info, "{\"ID\":\"one\"}");
    EXPECT_EQ(put(store, document(1)), verdict::locked);
    EXPECT_EQ(put(store, document(1), "two"), verdict::locked);
    EXPECT_EQ(put(store, document(1), "one"), verdict::done);
    EXPECT_EQ(store.remove("w", "two", "bob")->of, verdict::locked);
    EXPECT_EQ(store.unlock("w", "two")->of, verdict::locked);
    EXPECT_EQ(store.unlock("w", "one")->of, verdict::done);
    EXPECT_EQ(store.unlock("w", "one")->of, verdict::done);
    // The lock of this store was broken, so it must not write, although no other store has a lock.
    EXPECT_EQ(put(store, document(2), "one"), verdict::lock_lost);
    EXPECT_EQ(put(store, document(2)), verdict::done);
}

TEST_F(DocumentStore, GivesNoLockToARequestThatIsDeliveredAfterItsRelease)
{
    auto store = open();
    EXPECT_EQ(store.lock("w", "one", "{}", "ann")->of, verdict::done);
    EXPECT_EQ(store.unlock("w", "")->of, verdict::done);

    EXPECT_EQ(store.lock("w", "one", "{}", "ann")->of, verdict::lock_lost);
    EXPECT_EQ(put(store, document(1), "one"), verdict::lock_lost);
    EXPECT_EQ(store.lock("w", "two", "{}", "bob")->of, verdict::done);
}

TEST_F(DocumentStore, KeepsLocksOverARestart)
{
    {
        auto store = open();
        EXPECT_EQ(store.lock("w", "one", "{}", "ann")->of, verdict::done);
    }
    auto store = open();
    EXPECT_EQ(store.lock("w", "two", "{}", "bob")->of, verdict::locked);
    EXPECT_EQ(put(store, document(1), "one"), verdict::done);
    EXPECT_EQ(store.unlock("w", "")->of, verdict::done);
    EXPECT_EQ(store.lock("w", "two", "{}", "bob")->of, verdict::done);
}

TEST_F(DocumentStore, RemovesADocumentAndKeepsItsHistory)
{
    auto store = open();
    EXPECT_EQ(put(store, document(7)), verdict::done);
    EXPECT_EQ(store.remove("w", "", "bob")->of, verdict::done);
    EXPECT_EQ(store.remove("w", "", "bob")->of, verdict::done);
    EXPECT_EQ(get(store), std::nullopt);
    EXPECT_EQ(put(store, document(1, "new")), verdict::done);
    auto const all = store.history("w");
    ASSERT_TRUE(all) << error_text(all);
    ASSERT_EQ(all->size(), 3U);
    EXPECT_FALSE(all->at(0).removed);
    EXPECT_TRUE(all->at(1).removed);
    EXPECT_EQ(all->at(1).author, "bob");
    EXPECT_EQ(all->at(2).header.serial, 7);
    EXPECT_EQ(*store.get("w", all->at(2).number), document(7));
    EXPECT_EQ(*store.get("w", all->at(1).number), std::nullopt);
    EXPECT_EQ(*store.get("other", all->at(2).number), std::nullopt);
}

TEST_F(DocumentStore, KeepsTheLastRevisionsAndRecentOnes)
{
    auto const serials = [](document_store& in) {
        std::vector<std::int64_t> all;
        auto const kept = in.history("w");
        EXPECT_TRUE(kept) << error_text(kept);
        if (kept)
            for (auto const& one : *kept) all.push_back(one.header.serial);
        return all;
    };
    {
        auto store = open({2, 1'000'000});
        for (int serial = 1; serial <= 5; ++serial) EXPECT_EQ(put(store, document(serial)), verdict::done);
        EXPECT_EQ(put(store, document(1), "", "other"), verdict::done);
        EXPECT_THAT(serials(store), ElementsAre(5, 4, 3, 2, 1));
    }
    auto store = open({2, -1000});  // all generations are old
    EXPECT_EQ(put(store, document(6)), verdict::done);
    EXPECT_THAT(serials(store), ElementsAre(6, 5));
    EXPECT_EQ(get(store, "other"), document(1));
}

TEST_F(DocumentStore, SummarizesAllWorkspaces)
{
    auto store = open();
    EXPECT_EQ(put(store, document(3), "", "b"), verdict::done);
    EXPECT_EQ(store.lock("a", "id", "{}", "ann")->of, verdict::done);
    auto const all = store.workspaces();
    ASSERT_TRUE(all) << error_text(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->at(0).name, "a");
    EXPECT_FALSE(all->at(0).last);
    EXPECT_EQ(all->at(0).lock->id, "id");
    EXPECT_EQ(all->at(1).last->header.serial, 3);
    EXPECT_EQ(all->at(1).last->size, static_cast<std::int64_t>(document(3).size()));
    EXPECT_FALSE(all->at(1).lock);

    EXPECT_EQ((*store.workspace("b"))->last->header.serial, 3);
    EXPECT_EQ((*store.workspace("a"))->lock->id, "id");
    auto const none = store.workspace("other");
    ASSERT_TRUE(none) << error_text(none);
    EXPECT_FALSE(*none);
}

TEST_F(DocumentStore, IsOpenInOneProcess)
{
    auto const first = open();
    auto const second = document_store::open(directory.path() / "served");
    EXPECT_THAT(codes_of(second), ElementsAre("served_states_in_use"));
    EXPECT_EQ(kind_of_result(second), state_error::locked);
}

TEST_F(DocumentStore, DistinguishesALostDatabaseFromANewOne)
{
    {
        auto store = open();
        EXPECT_EQ(put(store, document(1)), verdict::done);
    }
    fs::remove(directory.path() / "served" / "states.db");
    EXPECT_THAT(codes_of(document_store::open(directory.path() / "served")), ElementsAre("served_states_lost"));
}

TEST_F(DocumentStore, ReportsADocumentThatWasChangedOnDisk)
{
    {
        auto store = open();
        EXPECT_EQ(put(store, document(1, "L", "original")), verdict::done);
    }
    fs::path const file = directory.path() / "served" / "states.db";
    std::string bytes = read_text(file);
    auto const at = bytes.find("original");
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'X';
    write_text(file, bytes);
    auto store = open();
    EXPECT_THAT(codes_of(store.get("w")), ElementsAre("served_states_damaged"));
}

TEST_F(DocumentStore, CreatesFilesThatArePrivateToTheirOwner)
{
    auto store = open();
    EXPECT_EQ(put(store, document(1)), verdict::done);
    EXPECT_EQ(fs::status(directory.path() / "served").permissions(), fs::perms::owner_all);
    for (auto const& entry : fs::directory_iterator(directory.path() / "served"))
        EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
}

TEST(DocumentHeader, IsReadFromStatesAndEncryptedOnes)
{
    EXPECT_EQ(document_header::read(document(12, "a-b"))->serial, 12);
    EXPECT_EQ(document_header::read(R"({"serial":2,"lineage":"z","encrypted_data":"..."})")->lineage, "z");
    for (char const* const text : {"", "[]", "{}", R"({"serial":1})", R"({"serial":-1,"lineage":""})",
             R"({"serial":"1","lineage":""})", R"({"serial":1.5,"lineage":""})", R"({"serial":1,"lineage":2})",
             R"({"serial":99999999999999999999,"lineage":""})", R"({"serial":1,"lineage":"")"})
        EXPECT_FALSE(document_header::read(text)) << text;
}

}  // namespace
}  // namespace iacctl::state::test
