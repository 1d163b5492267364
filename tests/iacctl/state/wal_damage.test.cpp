// SPDX-License-Identifier: BSL-1.0
// Damages the files that a crash leaves. No saved change may be lost without an error, and no undamaged state may be
// refused.
#include "support.hpp"

#include "state/record/commit_mark.hpp"
#include "state/record/restore.hpp"
#include "state/record/wal_check.hpp"
#include "state/record/workspace_files.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace iacctl::state::test {

namespace {

constexpr std::size_t sector = 512;

auto log_of(fs::path const& workspace) -> fs::path
{
    return workspace_files(workspace).log();
}

auto mark_of(fs::path const& workspace) -> fs::path
{
    return workspace_files(workspace).mark();
}

// The state after an append, and the files at that time on a machine that continues to run.
struct moment {
    infra::snapshot state;
    std::string log;
    std::string mark;
};

// A killed writer: the database before it, and all moments of the log, which was never checkpointed into the database.
struct killed_writer {
    explicit killed_writer(int resources)
    {
        if (!workspace_files(place.workspace()).make()) ADD_FAILURE() << "no workspace";
        database = read_text(place.database());
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        note({});
        infra::snapshot s;
        for (int i = 0; i < resources; ++i) {
            infra::object o = some_object("r" + std::to_string(i));
            if (i % 2 == 1) o.attributes = infra::document('"' + std::string(9000, 'x') + '"');
            std::vector<entry> const batch{
                entry::record(infra::address("terraform_data", "r" + std::to_string(i)), {}, std::move(o))};
            EXPECT_TRUE(replay(s, batch.front()));
            EXPECT_TRUE(store->append_now(batch, s));
            s.lineage = store->lineage();
            note(s);
        }
    }
    // Writes a workspace with these files, as the next command finds it.
    void leave(std::string const& log, std::string const& mark) const
    {
        fs::remove_all(found.workspace());
        fs::create_directories(found.workspace() / "backups");
        write_text(found.database(), database);
        write_text(log_of(found.workspace()), log);
        write_text(mark_of(found.workspace()), mark);
    }
    [[nodiscard]] auto last() const -> moment const& { return moments.back(); }

    temporary_directory place;
    temporary_directory found;
    std::string database;
    std::vector<moment> moments;

private:
    void note(infra::snapshot s)
    {
        moments.push_back({std::move(s), read_text(log_of(place.workspace())), read_text(mark_of(place.workspace()))});
    }
};

}  // namespace

TEST(WalDamage, OfASingleBitIsReportedAfterTheWriterWasKilled)
{
    killed_writer const writer(6);
    std::mt19937_64 random(51);
    for (int i = 0; i < 200; ++i) {
        std::string log = writer.last().log;
        std::size_t const at = std::uniform_int_distribution<std::size_t>(0, log.size() - 1)(random);
        log[at] = static_cast<char>(log[at] ^ static_cast<char>(1U << (random() % 8)));
        writer.leave(log, writer.last().mark);

        auto const state = read_only(writer.found.workspace());
        auto const again = read_only(writer.found.workspace());

        ASSERT_EQ(kind_of_result(state), state_error::damaged) << "at " << at << error_text(state);
        ASSERT_EQ(kind_of_result(again), state_error::damaged) << "the first reader took the evidence away";
        EXPECT_EQ(exit_code_of(state.error()), 4);
    }
}

TEST(WalDamage, IsReportedIfTheLogIsTruncatedOrMissing)
{
    killed_writer const writer(6);
    std::string const& log = writer.last().log;
    for (std::size_t size = 0; size < log.size(); size += 1000) {
        writer.leave(log.substr(0, size), writer.last().mark);
        ASSERT_EQ(kind_of_result(read_only(writer.found.workspace())), state_error::damaged) << "cut off at " << size;
    }
    writer.leave(log, writer.last().mark);
    fs::remove(log_of(writer.found.workspace()));

    auto const state = read_only(writer.found.workspace());
    auto const writing = sqlite_store::open(writer.found.workspace(), open_mode::read_write);

    EXPECT_EQ(kind_of_result(state), state_error::damaged);
    EXPECT_EQ(kind_of_result(writing), state_error::damaged);
    EXPECT_EQ(codes_of(state), std::vector<std::string>{"state_log_missing"});
    EXPECT_NE(error_text(state).find(log_of(writer.found.workspace()).string()), std::string::npos);
    EXPECT_NE(error_text(state).find("iacctl state restore " + writer.found.database().string()), std::string::npos);
}

TEST(WalDamage, IsReportedByLaterTransactionsIfAPowerLossLostTheMark)
{
    killed_writer const writer(8);
    std::mt19937_64 random(52);
    std::size_t const judged = writer.moments[writer.moments.size() - 4].log.size();
    for (int i = 0; i < 200; ++i) {
        std::string log = writer.last().log;
        std::size_t const at = std::uniform_int_distribution<std::size_t>(0, judged - 1)(random);
        if (i % 2 == 0) log[at] = static_cast<char>(log[at] ^ static_cast<char>(1U << (random() % 8)));
        else log.replace(at / sector * sector, sector, std::string(sector, '\0'));
        writer.leave(log, writer.moments.front().mark);

        auto const state = read_only(writer.found.workspace());

        if (log == writer.last().log) continue;  // the bytes were zeros before
        ASSERT_EQ(kind_of_result(state), state_error::damaged) << i << ": at " << at;
    }
}

TEST(WalDamage, IsNotReportedAfterAPowerLoss)
{
    killed_writer const writer(8);
    std::mt19937_64 random(53);
    for (int i = 0; i < 100; ++i) {
        // A crash while an append is written: any of its unsynchronized sectors are written, and the mark is that of
        // any earlier append.
        std::size_t const before = 1 + random() % (writer.moments.size() - 2);
        moment const& durable = writer.moments[before];
        moment const& wanted = writer.moments[before + 1];
        std::string log = durable.log;
        std::size_t const size = durable.log.size() + random() % (wanted.log.size() - durable.log.size() + 1);
        log.resize(size);
        for (std::size_t at = 0; at < size; at += sector)
            if (random() % 3 != 0) log.replace(at, sector, wanted.log, at, std::min(sector, size - at));
        std::size_t const marked = before - std::min<std::size_t>(before, random() % 3);
        writer.leave(log, writer.moments[marked].mark);

        auto const state = read_only(writer.found.workspace());

        ASSERT_TRUE(state) << i << ": " << error_text(state);
        ASSERT_TRUE(*state == durable.state || *state == wanted.state) << i;
    }
}

TEST(WalDamage, IsNotReportedByReadersBesideAWriter)
{
    temporary_directory const place;
    ASSERT_TRUE(workspace_files(place.workspace()).make());
    pid_t const child = ::fork();
    if (child == 0) {
        random_history history(54);
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        for (;;) {
            if (!store->begin_generation("apply")) ::_exit(1);
            for (int i = 0; i < 30; ++i)
                if (!store->append_now(history.batch(3), history.model())) ::_exit(2);
            if (!store->end_generation("complete")) ::_exit(3);
        }
    }
    std::string problem;
    int read = 0;
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (; std::chrono::steady_clock::now() < end && problem.empty(); ++read)
        problem = error_text(read_only(place.workspace()));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);

    EXPECT_EQ(problem, "") << "read " << read << " times";
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer gave up with " << WEXITSTATUS(status);
    EXPECT_EQ(error_text(read_only(place.workspace())), "");
}

TEST(WalDamage, IsNotSearchedWithoutALog)
{
    temporary_directory const place;
    write_text(place.path() / "empty", "");
    write_text(place.path() / "text", std::string(20000, 'x'));

    EXPECT_FALSE(find_wal_damage(place.path() / "none"));
    EXPECT_FALSE(find_wal_damage(place.path() / "empty"));
    EXPECT_FALSE(find_wal_damage(place.path() / "text"));
}

TEST(WalDamage, IsTheFirstProblemThatAVerificationReports)
{
    killed_writer const writer(3);
    std::string log = writer.last().log;
    log[1000] ^= 1;
    writer.leave(log, writer.last().mark);

    auto const found = sqlite_store(writer.found.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    ASSERT_FALSE(found->passed());
    EXPECT_EQ(found->problems.front().code, "state_log_damaged");
}

TEST(WalDamage, IsNotReportedByAVerificationOfWhatAKilledWriterLeft)
{
    killed_writer const writer(3);
    writer.leave(writer.last().log, writer.last().mark);

    auto const found = sqlite_store(writer.found.workspace(), open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_TRUE(found->passed());
    EXPECT_EQ(found->content, writer.last().state);
    EXPECT_EQ(read_text(writer.found.database()), writer.database) << "a verification changes no file";
    EXPECT_EQ(read_text(log_of(writer.found.workspace())), writer.last().log);
}

TEST(CommitMark, ContainsTheLastCommit)
{
    temporary_directory const place;
    fs::path const file = place.path() / "mark";
    auto const none = commit_mark::read(file);
    ASSERT_FALSE(commit_mark::make(file, {1, 2}));
    commit_mark mark;
    ASSERT_FALSE(mark.open(file));
    ASSERT_FALSE(mark.write({3, 4}));

    auto const now = commit_mark::read(file);

    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    ASSERT_TRUE(now && *now);
    EXPECT_EQ(**now, (commit_point{3, 4}));
}

TEST(CommitMark, IsRejectedIfItWasChanged)
{
    killed_writer const writer(1);
    for (std::string const text : {"", "0", "00000000000000000000 00000000000000000001 00\n"}) {
        writer.leave(writer.last().log, text);
        EXPECT_EQ(kind_of_result(read_only(writer.found.workspace())), state_error::damaged) << text;
    }
}

TEST(CommitMark, IsReportedMissingIfItWasDeleted)
{
    killed_writer const writer(1);
    writer.leave(writer.last().log, {});
    fs::remove(mark_of(writer.found.workspace()));

    auto const state = read_only(writer.found.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged);
    EXPECT_NE(error_text(state).find(mark_of(writer.found.workspace()).string()), std::string::npos);
}

TEST(Restore, UsesTheRemainingContentOfTheDatabaseAndKeepsTheFiles)
{
    killed_writer const writer(6);
    std::string log = writer.last().log;
    log[writer.moments[3].log.size() + 1000] ^= 1;
    writer.leave(log, writer.last().mark);

    auto const done = restore(workspace_files(writer.found.workspace()), writer.found.database());

    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(done->resources, 3U);
    EXPECT_EQ(done->serial, writer.moments[3].state.serial);
    EXPECT_EQ(*read_only(writer.found.workspace()), writer.moments[3].state);
    EXPECT_EQ(read_text(done->replaced / "state.db-wal"), log);
    auto store = sqlite_store::open(writer.found.workspace(), open_mode::read_write);
    infra::snapshot const s = create_one(*store, *store->read_now(), "more");
    EXPECT_EQ(*read_only(writer.found.workspace()), s);
}

TEST(Restore, UsesTheDatabaseAloneIfItHasTheTransactionsOfADamagedLog)
{
    killed_writer writer(6);
    writer.leave(writer.last().log, writer.last().mark);
    execute(writer.found.database(), "PRAGMA wal_checkpoint(TRUNCATE)");
    writer.database = read_text(writer.found.database());
    std::string log = writer.last().log;
    log[writer.moments[3].log.size() + 1000] ^= 1;
    writer.leave(log, writer.last().mark);
    ASSERT_FALSE(read_only(writer.found.workspace()));

    auto const done = restore(workspace_files(writer.found.workspace()), writer.found.database());

    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(done->resources, 6U);
    EXPECT_EQ(*read_only(writer.found.workspace()), writer.last().state);
}

TEST(Restore, UsesTheNewestBackupByDefault)
{
    temporary_directory const place;
    infra::snapshot before;
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        before = create_one(*store, {}, "a");
        ASSERT_TRUE(store->begin_generation("apply"));
        create_one(*store, before, "b");
        ASSERT_TRUE(store->end_generation("ok"));
    }
    write_text(place.database(), "");

    auto const done = restore(workspace_files(place.workspace()), {});

    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(*read_only(place.workspace()), before);
}

TEST(Restore, ContinuesAfterAnInterruption)
{
    killed_writer const writer(3);
    temporary_directory const elsewhere;
    fs::path const copy = elsewhere.path() / "copy.db";
    {
        writer.leave(writer.last().log, writer.last().mark);
        auto store = sqlite_store::open(writer.found.workspace(), open_mode::read_write);
        ASSERT_TRUE(store->begin_generation("apply"));
        ASSERT_TRUE(store->end_generation("complete"));
        fs::rename(fs::directory_iterator(writer.found.workspace() / "backups")->path(), copy);
        create_one(*store, *store->read_now(), "lost");
    }
    // Two interrupted restores: the first ended before it wrote the mark, the second before it copied the database.
    fs::remove(log_of(writer.found.workspace()));
    fs::copy_file(copy, writer.found.database(), fs::copy_options::overwrite_existing);
    auto const half = read_only(writer.found.workspace());
    fs::remove(writer.found.database());
    auto const less = read_only(writer.found.workspace());

    auto const done = restore(workspace_files(writer.found.workspace()), copy);

    EXPECT_EQ(kind_of_result(half), state_error::damaged);
    EXPECT_EQ(kind_of_result(less), state_error::damaged);
    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(*read_only(writer.found.workspace()), writer.last().state);
}

TEST(Restore, ChangesNothingIfTheBackupIsNotAState)
{
    killed_writer const writer(2);
    writer.leave(writer.last().log, writer.last().mark);
    fs::path const other = writer.found.path() / "other.db";
    write_text(other, std::string(9000, 'x'));

    auto const no_database = restore(workspace_files(writer.found.workspace()), other);
    auto const no_file = restore(workspace_files(writer.found.workspace()), writer.found.path());
    auto const no_backup = restore(workspace_files(writer.found.workspace()), {});

    EXPECT_EQ(kind_of_result(no_database), state_error::damaged) << error_text(no_database);
    EXPECT_EQ(kind_of_result(no_file), state_error::unreadable);
    EXPECT_EQ(kind_of_result(no_backup), state_error::unreadable);
    EXPECT_EQ(*read_only(writer.found.workspace()), writer.last().state);
    EXPECT_FALSE(std::any_of(fs::directory_iterator(writer.found.workspace()), fs::directory_iterator(),
        [](auto const& file) { return file.path().filename().string().starts_with(".draft"); }));
}

}  // namespace iacctl::state::test
