// SPDX-License-Identifier: BSL-1.0
// The directories beside this file have a database of each format, and the state that the version that wrote it
// printed.
#include "state/document/state_v4.hpp"
#include "state/record/restore.hpp"
#include "state/record/schema.hpp"
#include "state/record/sqlite_database.hpp"
#include "state/record/sqlite_store.hpp"
#include "state/record/workspace_files.hpp"

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace iacctl::state;
using namespace iacctl::state::test;
namespace infra = strider::infra;

class Format : public testing::TestWithParam<std::int64_t> {
protected:
    Format()
    {
        fs::create_directories(place_.workspace() / "backups");
        fs::create_directories(place_.workspace() / "spool");
        write_text(place_.workspace() / "lock", "");
        for (char const* name : {"state.db", "state.db-mark"})
            if (fs::exists(sample() / name)) fs::copy(sample() / name, place_.workspace() / name);
    }

    [[nodiscard]] auto sample() const -> fs::path
    {
        return fs::path(__FILE__).parent_path() / "formats" / std::to_string(GetParam());
    }
    // The state that the version that wrote the database has printed.
    [[nodiscard]] auto printed() const -> std::string { return read_text(sample() / "state.json"); }
    [[nodiscard]] auto now() const -> std::string
    {
        auto const s = read_only(place_.workspace());
        EXPECT_TRUE(s) << error_text(s);
        return s ? to_v4(*s, "1.11.4") : std::string();
    }
    [[nodiscard]] static auto format_of(fs::path const& file) -> std::int64_t
    {
        sqlite_database db(file, open_mode::read_only);
        return db.pragma("user_version");
    }
    // A command that changes nothing.
    void write() const
    {
        auto store = sqlite_store::open(place_.workspace(), open_mode::read_write);
        ASSERT_TRUE(store) << error_text(store);
        auto const begun = store->begin_generation("apply");
        ASSERT_TRUE(begun) << error_text(begun);
        ASSERT_TRUE(store->end_generation("complete"));
    }

    temporary_directory place_;
};

TEST_P(Format, IsReadWithoutAnUpgrade)
{
    EXPECT_EQ(format_of(place_.database()), GetParam());

    EXPECT_EQ(now(), printed());

    EXPECT_EQ(format_of(place_.database()), GetParam());
}

TEST_P(Format, IsUpgradedByTheFirstCommandThatWritesAfterABackup)
{
    write();

    workspace_files const files(place_.workspace());
    EXPECT_EQ(format_of(place_.database()), format_version);
    EXPECT_EQ(now(), printed());
    EXPECT_EQ(format_of(files.newest_backup()), GetParam());
    auto const checked = sqlite_store(place_.workspace(), open_mode::read_only).verify();
    ASSERT_TRUE(checked) << error_text(checked);
    EXPECT_TRUE(checked->passed());
}

TEST_P(Format, IsRestoredWithTheBackup)
{
    write();
    workspace_files const files(place_.workspace());

    auto const done = restore(files, files.newest_backup());

    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(format_of(place_.database()), GetParam());
    EXPECT_EQ(now(), printed());
}

TEST_P(Format, IsRejectedIfItIsNewer)
{
    {
        sqlite_database db(place_.database(), open_mode::read_write);
        db.execute("PRAGMA user_version = 17");
    }
    auto const before = read_text(place_.database());

    auto const reading = read_only(place_.workspace());
    auto writer = sqlite_store(place_.workspace(), open_mode::read_write);
    auto const writing = writer.begin_generation("apply");

    EXPECT_THAT(codes_of(reading), testing::ElementsAre("state_newer_format"));
    EXPECT_NE(error_text(reading).find("format 17"), std::string::npos);
    EXPECT_THAT(codes_of(writing), testing::ElementsAre("state_newer_format"));
    EXPECT_EQ(read_text(place_.database()), before);
}

INSTANTIATE_TEST_SUITE_P(Since0_1_0, Format, testing::Range<std::int64_t>(1, format_version + 1),
    [](auto const& item) { return std::to_string(item.param); });

}  // namespace
