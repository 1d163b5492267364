// SPDX-License-Identifier: BSL-1.0
#include "state/record/commit_mark.hpp"
#include "state/record/restore.hpp"
#include "state/record/sqlite_store.hpp"

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace iacctl::state;
using namespace iacctl::state::test;
namespace infra = strider::infra;

// Runs one command that creates resources. \return the states after each of its entries
auto apply(fs::path const& workspace, std::vector<std::string> const& names, infra::snapshot& s)
    -> std::vector<infra::snapshot>
{
    auto store = sqlite_store::open(workspace, open_mode::read_write);
    s = *store->read_now();
    EXPECT_TRUE(store->begin_generation("apply"));
    std::vector<infra::snapshot> after;
    for (std::string const& name : names) {
        auto const p = some_operation("create-" + name, infra::operation_kind::create, {"terraform_data", name});
        for (entry const& e : {entry::begin(p), entry::end(p, some_object(name), false)}) {
            EXPECT_TRUE(replay(s, e));
            EXPECT_TRUE(store->append_now(std::vector<entry>{e}, s));
            s.lineage = store->lineage();
            after.push_back(s);
        }
    }
    EXPECT_TRUE(store->end_generation("complete"));
    return after;
}

// True if the content is the same. Serials may differ, because entries do not have them.
auto same_content(infra::snapshot a, infra::snapshot const& b) -> bool
{
    a.serial = b.serial;
    return a == b;
}

auto failed_checks(verification const& v) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (state_check const& c : v.checks)
        if (c.result == state_check::result_type::failed) names.emplace_back(c.name);
    return names;
}

auto choice_of(std::vector<salvage_choice> const& all, salvage_source source) -> salvage_choice const&
{
    return *std::ranges::find(all, source, &salvage_choice::source);
}

TEST(History, ReturnsTheStateAfterEachEntry)
{
    temporary_directory const place;
    infra::snapshot s;
    std::vector<infra::snapshot> after{infra::snapshot()};
    for (auto const& names : {std::vector<std::string>{"a", "b"}, {"c"}, {"d", "e"}})
        for (auto& one : apply(place.workspace(), names, s)) after.push_back(std::move(one));

    for (std::size_t i = 0; i < after.size(); ++i) {
        auto const then = sqlite_store(place.workspace(), open_mode::read_only).read_at(static_cast<std::int64_t>(i));
        ASSERT_TRUE(then) << error_text(then);
        if (i == 0) EXPECT_TRUE(then->resources.empty());
        else EXPECT_TRUE(same_content(*then, after[i])) << i;
    }
    EXPECT_THAT(codes_of(sqlite_store(place.workspace(), open_mode::read_only).read_at(11)),
        testing::ElementsAre("state_has_no_such_sequence"));
}

TEST(History, IsReplayedOverABackupIfItsBeginningIsPruned)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    auto const second = apply(place.workspace(), {"b", "c"}, s);
    apply(place.workspace(), {"d"}, s);
    execute(place.database(), "DELETE FROM entry WHERE sequence <= 2");

    sqlite_store store(place.workspace(), open_mode::read_only);
    auto const then = store.read_at(4);
    auto const before = store.read_at(1);

    ASSERT_TRUE(then) << error_text(then);
    EXPECT_TRUE(same_content(*then, second[1]));
    EXPECT_THAT(codes_of(before), testing::ElementsAre("state_history_pruned"));
}

TEST(History, DoesNotMixAnAbandonedHistoryWithTheCurrentOne)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    apply(place.workspace(), {"b"}, s);  // its backup has a
    apply(place.workspace(), {"c"}, s);  // its backup has a, b
    std::vector<fs::path> backups;
    for (auto const& file : fs::directory_iterator(place.workspace() / "backups")) backups.push_back(file.path());
    std::ranges::sort(backups);
    ASSERT_EQ(backups.size(), 2U);
    ASSERT_TRUE(restore(workspace_files(place.workspace()), backups.front()));
    auto const now = apply(place.workspace(), {"x", "y"}, s);

    auto const then = sqlite_store(place.workspace(), open_mode::read_only).read_at(5);

    ASSERT_TRUE(then) << error_text(then);
    EXPECT_TRUE(same_content(*then, now[2]));
    EXPECT_EQ(then->find({"terraform_data", "b"}), nullptr);
}

TEST(History, ListsCommandsWithTheirResults)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    {
        sqlite_store interrupted(place.workspace(), open_mode::read_write);
        s = *interrupted.read_now();
        ASSERT_TRUE(interrupted.begin_generation("destroy"));
    }

    auto const all = sqlite_store(place.workspace(), open_mode::read_only).generations();

    ASSERT_TRUE(all) << error_text(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->front().command, "apply");
    EXPECT_EQ(all->front().result, "complete");
    EXPECT_THAT(all->front().author, testing::MatchesRegex("[^\n]+@[^\n]+"));
    EXPECT_TRUE(all->front().ended);
    EXPECT_EQ(all->back().command, "destroy");
    EXPECT_FALSE(all->back().ended);
    EXPECT_GE(all->back().started, all->front().started);
    EXPECT_GT(all->front().started, 0);
    EXPECT_EQ(all->back().sequence, 2);
}

TEST(Verification, PassesForAnUndamagedState)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b"}, s);

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_TRUE(found->passed());
    std::vector<std::string> names;
    for (state_check const& c : found->checks) names.emplace_back(c.name);
    EXPECT_THAT(names, testing::IsSupersetOf({"write-ahead log", "pages", "mark", "rows", "history"}));
    auto const rows = std::ranges::find(found->checks, "rows", &state_check::name);
    EXPECT_THAT(rows->detail, testing::MatchesRegex("2 rows, [0-9]+ bytes"));
    EXPECT_EQ(found->rows, 2U);
    EXPECT_EQ(found->sequence, 4);
    EXPECT_EQ(found->content, s);
}

TEST(Verification, CountsTheBytesOfAllRecords)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b"}, s);
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        s = *store->read_now();
        std::vector<entry> const batch{
            entry::output("url", {infra::document("\"here\""), infra::document("\"string\""), false}),
            entry::begin(some_operation("left", infra::operation_kind::update, {"terraform_data", "a"}))};
        for (entry const& e : batch) ASSERT_TRUE(replay(s, e));
        ASSERT_TRUE(store->append_now(batch, s));
    }

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_EQ(found->rows, 4U);
    EXPECT_EQ(static_cast<int>(found->bytes),
        number_of(place.database(),
            "SELECT (SELECT sum(length(address || attributes || document)) FROM resource)"
            " + (SELECT sum(length(name || document)) FROM output)"
            " + (SELECT sum(length(operation || document)) FROM pending)"));
}

TEST(Verification, ReportsAFileThatIsNotADatabase)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    write_text(place.database(), std::string(10000, 'x'));

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_THAT(failed_checks(*found), testing::ElementsAre("database"));
    EXPECT_FALSE(found->problems.empty());
}

TEST(Verification, ReadsTheTablesBesideADamagedOne)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    execute(place.database(), "DROP TABLE output");

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_THAT(failed_checks(*found), testing::ElementsAre("rows"));
    EXPECT_EQ(found->problems.front().code, "state_database_damaged");
    EXPECT_EQ(found->content.resources, s.resources);
}

TEST(Verification, ReportsThatTheLastOfTwoEntriesIsMissing)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    execute(place.database(), "DELETE FROM entry WHERE sequence = 2");

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_THAT(failed_checks(*found), testing::ElementsAre("history"));
    EXPECT_EQ(found->problems.front().code, "state_history_incomplete");
}

TEST(Verification, ReportsDamagedPages)
{
    constexpr std::size_t page = 4096;
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    std::string damaged = read_text(place.database());
    for (std::size_t at = page; at < damaged.size(); at += page) damaged[at] = 'x';
    write_text(place.database(), damaged);

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_THAT(failed_checks(*found), testing::Contains("pages"));
    EXPECT_EQ(found->problems.front().code, "state_database_damaged");
}

TEST(Verification, NamesEveryDamagedRecordAndEntry)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b", "c"}, s);
    execute(place.database(),
        "UPDATE resource SET attributes = '{}' WHERE address <> 'terraform_data.b';"
        "UPDATE entry SET document = '{}' WHERE sequence = 3; DELETE FROM entry WHERE sequence = 5");

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    std::vector<std::string> codes;
    for (auto const& d : found->problems) codes.push_back(d.code + " " + d.address);
    EXPECT_THAT(codes,
        testing::UnorderedElementsAre("state_damaged terraform_data.a", "state_damaged terraform_data.c",
            "state_history_damaged ", "state_history_incomplete "));
    EXPECT_THAT(failed_checks(*found), testing::ElementsAre("rows", "history"));
    EXPECT_EQ(found->content.resources.size(), 1U);
}

TEST(Verification, ReportsAMissingRecordAndAMissingDatabase)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b"}, s);
    execute(place.database(), "DELETE FROM resource WHERE address = 'terraform_data.a'");
    auto const missing = sqlite_store(place.workspace(), open_mode::read_only).verify();
    fs::remove(place.database());
    auto const lost = sqlite_store(place.workspace(), open_mode::read_only).verify();
    temporary_directory const never;
    auto const nothing = sqlite_store(never.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(missing && lost && nothing);
    EXPECT_THAT(failed_checks(*missing), testing::ElementsAre("checksum"));
    EXPECT_EQ(lost->problems.front().code, "state_database_lost");
    EXPECT_TRUE(nothing->passed());
    EXPECT_TRUE(nothing->checks.empty());
}

TEST(Verification, ReportsAMarkThatCannotBeRead)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    fs::path const mark = place.workspace() / "state.db-mark";
    fs::remove(mark);
    fs::create_directory(mark);

    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    ASSERT_THAT(failed_checks(*found), testing::ElementsAre("mark"));
    EXPECT_EQ(found->problems.front().code, "state_unreadable");
}

TEST(Salvage, NamesTheMissingRecordsThatTheWholeHistoryKnows)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b"}, s);
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        s = *store->read_now();
        ASSERT_TRUE(store->begin_generation("apply"));
        infra::output_value url;
        url.value = infra::document("\"here\"");
        entry const e = entry::output("url", url);
        ASSERT_TRUE(replay(s, e));
        ASSERT_TRUE(store->append_now(std::vector<entry>{e}, s));
        ASSERT_TRUE(store->end_generation("complete"));
    }
    execute(place.database(), "DELETE FROM resource WHERE address = 'terraform_data.a'; DELETE FROM output");

    auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();

    ASSERT_TRUE(choices) << error_text(choices);
    EXPECT_THAT(
        choice_of(*choices, salvage_source::rows).losses, testing::ElementsAre("output url", "terraform_data.a"));
}

TEST(Salvage, ShowsTheLossesOfEachSourceAndChangesNothing)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    apply(place.workspace(), {"b", "c"}, s);
    execute(place.database(),
        "UPDATE resource SET attributes = '{}' WHERE address = 'terraform_data.a';"
        "UPDATE entry SET document = '{}' WHERE sequence = 5");
    auto const before = read_text(place.database());

    auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();

    ASSERT_TRUE(choices) << error_text(choices);
    auto const& rows = choice_of(*choices, salvage_source::rows);
    EXPECT_EQ(rows.content.resources.size(), 2U);
    EXPECT_THAT(rows.losses, testing::ElementsAre("terraform_data.a"));
    auto const& backup = choice_of(*choices, salvage_source::backup);
    EXPECT_EQ(backup.content.resources.size(), 1U);
    EXPECT_THAT(backup.losses,
        testing::ElementsAre(
            "the changes of entries 3 to 6", "a change of terraform_data.b", "a change of terraform_data.c"));
    auto const& replayed = choice_of(*choices, salvage_source::replay);
    EXPECT_EQ(replayed.content.resources.size(), 2U);
    EXPECT_THAT(replayed.losses, testing::ElementsAre("the changes of entries 5 to 6", "a change of terraform_data.c"));
    EXPECT_EQ(read_text(place.database()), before);
}

TEST(Salvage, RebuildsStateFromEachSourceAndKeepsTheDamagedFiles)
{
    for (salvage_source const source : {salvage_source::rows, salvage_source::backup, salvage_source::replay}) {
        temporary_directory const place;
        infra::snapshot s;
        apply(place.workspace(), {"a"}, s);
        apply(place.workspace(), {"b", "c"}, s);
        execute(place.database(), "UPDATE resource SET attributes = '{}' WHERE address = 'terraform_data.a'");
        auto const damaged = read_text(place.database());
        auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();
        ASSERT_TRUE(choices) << error_text(choices);

        auto const done = sqlite_store(workspace_files(place.workspace()), open_mode::read_write).salvage(source);

        ASSERT_TRUE(done) << error_text(done);
        auto const now = read_only(place.workspace());
        ASSERT_TRUE(now) << error_text(now);
        EXPECT_TRUE(same_content(*now, choice_of(*choices, source).content)) << to_string(source);
        EXPECT_GT(now->serial, s.serial);
        EXPECT_EQ(now->lineage, s.lineage);
        EXPECT_EQ(read_text(done->replaced / "state.db"), damaged);
        EXPECT_TRUE(sqlite_store(place.workspace(), open_mode::read_only).verify()->passed());
        for (auto const& file : fs::directory_iterator(place.workspace()))
            EXPECT_FALSE(file.path().filename().string().starts_with(".")) << file.path();
        EXPECT_EQ(apply(place.workspace(), {"z"}, s).size(), 2U);
    }
}

TEST(Salvage, KeepsTheLineageAndRaisesTheSerialOfAStateWhoseHeaderIsDamaged)
{
    for (salvage_source const source : {salvage_source::rows, salvage_source::replay}) {
        temporary_directory const place;
        infra::snapshot s;
        apply(place.workspace(), {"a"}, s);
        apply(place.workspace(), {"b", "c"}, s);
        execute(place.database(), "UPDATE meta SET sha256 = x'00'");

        auto const done = sqlite_store(workspace_files(place.workspace()), open_mode::read_write).salvage(source);

        ASSERT_TRUE(done) << error_text(done);
        auto const now = read_only(place.workspace());
        ASSERT_TRUE(now) << error_text(now);
        EXPECT_GT(now->serial, s.serial) << "no other copy of this state may be taken for a newer one";
        EXPECT_EQ(now->lineage, s.lineage) << to_string(source);
        EXPECT_EQ(now->resources, s.resources);
    }
}

TEST(Salvage, StatesThatRecordsAreMissingIfNoHistoryCanNameThem)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a", "b"}, s);
    execute(place.database(), "DELETE FROM resource WHERE address = 'terraform_data.a'");

    auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();

    ASSERT_TRUE(choices) << error_text(choices);
    EXPECT_TRUE(choice_of(*choices, salvage_source::replay).impossible) << "there is no backup to begin with";
    EXPECT_THAT(choice_of(*choices, salvage_source::rows).losses,
        testing::ElementsAre("missing records, whose names are not known"));
}

TEST(Salvage, ReplaysAllEntriesOfADatabaseWhoseRowsAreLost)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    apply(place.workspace(), {"b", "c"}, s);
    execute(place.database(), "DELETE FROM resource");

    auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();

    ASSERT_TRUE(choices) << error_text(choices);
    auto const& replayed = choice_of(*choices, salvage_source::replay);
    EXPECT_TRUE(replayed.losses.empty());
    EXPECT_TRUE(same_content(replayed.content, s));
    EXPECT_TRUE(choice_of(*choices, salvage_source::rows).impossible);
}

TEST(Salvage, CountsTheChangesThatAnOlderDatabaseLacks)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);
    auto const older = read_text(place.database());
    apply(place.workspace(), {"b", "c"}, s);
    write_text(place.database(), older);

    auto const choices = sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices();

    ASSERT_TRUE(choices) << error_text(choices);
    auto const& rows = choice_of(*choices, salvage_source::rows);
    EXPECT_EQ(rows.content.resources.size(), 1U);
    EXPECT_THAT(rows.losses, testing::ElementsAre("the changes of entries 3 to 6"));
}

TEST(Salvage, RejectsAnUndamagedState)
{
    temporary_directory const place;
    infra::snapshot s;
    apply(place.workspace(), {"a"}, s);

    EXPECT_THAT(codes_of(sqlite_store(workspace_files(place.workspace()), open_mode::read_only).salvage_choices()),
        testing::ElementsAre("state_is_sound"));
    EXPECT_THAT(
        codes_of(
            sqlite_store(workspace_files(place.workspace()), open_mode::read_write).salvage(salvage_source::backup)),
        testing::ElementsAre("state_is_sound"));
    EXPECT_EQ(*read_only(place.workspace()), s);
}

}  // namespace
