// SPDX-License-Identifier: BSL-1.0
// Rows in PostgreSQL that another program has changed, and states that are rebuilt from the remaining rows.
#include "pg_native.hpp"

#include "state/encryption/key_provider.hpp"
#include "state/record/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::open_mode;
using state::salvage_source;
using state::test::codes_of;
using state::test::error_text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PgDamage : public PgNative {
protected:
    void create_all() const
    {
        for (char const* name : {"a", "b", "c"}) create_alone(name);
    }
    void damage(std::string const& statement) const
    {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        to.execute("SET search_path = \"" + settings.schema_name + "\"; " + statement);
    }
    [[nodiscard]] auto choice(salvage_source source) const -> state::salvage_choice
    {
        auto all = backend().salvage_choices("default");
        EXPECT_TRUE(all) << error_text(all);
        return all ? all->at(static_cast<std::size_t>(source)) : state::salvage_choice();
    }
    [[nodiscard]] auto verify() const -> state::verification
    {
        auto done = backend().open("default", open_mode::read_only)->verify();
        EXPECT_TRUE(done) << error_text(done);
        return done ? std::move(*done) : state::verification();
    }
    void encrypt()
    {
        state::test::write_text(machine.path() / "key", std::string(64, '1'));
        sealed_with = std::make_shared<encryption::target const>("state",
            std::vector<encryption::method>{
                {"method.aes_gcm.a", encryption::make_key_file("key_provider.file.a", machine.path() / "key"), {}},
                {}});
    }
};

TEST_F(PgDamage, ARemovedRowIsDetectedByEachCommand)
{
    create_all();
    damage("DELETE FROM resource WHERE address LIKE '%.b'");
    auto const read = try_read();
    EXPECT_THAT(codes_of(read), ElementsAre("state_records_missing"));
    EXPECT_EQ(state::test::exit_code_of(read.error()), 4);
    EXPECT_THAT(error_text(read), HasSubstr("\"iacctl state repair\" shows the losses"));
}

TEST_F(PgDamage, AChangedRowWithAMatchingHashIsDetected)
{
    create_all();
    // The row is replaced with the row of another address, with its correct hash.
    damage("UPDATE resource SET sha256 = sha256, version = version; CREATE TABLE saved AS SELECT * FROM resource;"
           "UPDATE resource r SET (attributes, document, sha256) = (SELECT attributes, document, sha256 FROM saved s"
           " WHERE s.address LIKE '%.a') WHERE r.address LIKE '%.b'");
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_damaged"));
    damage("DELETE FROM resource; INSERT INTO resource SELECT * FROM saved");
    EXPECT_EQ(now().resources.size(), 3U);
    damage("INSERT INTO pending (workspace, operation, address, document, sha256)"
           " SELECT workspace, 'op', address, '{}', sha256 FROM resource LIMIT 1");
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_damaged"));
    damage("DELETE FROM pending");
    create_alone("d");
    damage("DELETE FROM resource WHERE address LIKE '%.d';");
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_records_missing"));
}

TEST_F(PgDamage, TheSumIncludesAllConcurrentWriters)
{
    create_all();
    std::vector<std::jthread> all;
    for (std::string const name : {"p", "q", "r", "s"})
        all.emplace_back([this, name] {
            auto const in = backend();
            for (int i = 0; i < 8; ++i) {
                auto const held = in.lock("default", request({"terraform_data." + name}));
                ASSERT_TRUE(held) << error_text(held);
                auto const store = in.open("default", open_mode::read_write);
                auto s = store->read_now();
                ASSERT_TRUE(s) << error_text(s);
                ASSERT_TRUE(store->begin_generation("apply"));
                auto e = i % 4 == 3
                    ? infra::journal_entry::remove(instance(name), {})
                    : infra::journal_entry::record(instance(name), {}, state::test::some_object(std::to_string(i)));
                ASSERT_TRUE(replay(*s, e));
                ASSERT_EQ(error_text(store->append_now(std::vector{e}, *s)), "");
                ASSERT_TRUE(store->end_generation("complete"));
            }
        });
    all.clear();
    EXPECT_THAT(names(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c"));
    EXPECT_TRUE(verify().passed());
}

TEST_F(PgDamage, TheSumStaysCorrectIfWritersWithoutLocksOverwriteEachOther)
{
    create_all();
    std::vector<std::jthread> all;
    for (int by = 0; by < 4; ++by)
        all.emplace_back([this, by] {
            auto const in = backend();
            auto const store = in.open("default", open_mode::read_write);
            auto s = store->read_now();
            ASSERT_TRUE(s) << error_text(s);
            for (int i = 0; i < 10; ++i) {
                auto const e = infra::journal_entry::record(
                    instance("same"), {}, state::test::some_object(std::to_string(by) + "-" + std::to_string(i)));
                ASSERT_TRUE(replay(*s, e));
                ASSERT_EQ(error_text(store->append_now(std::vector{e}, *s)), "");
                s->lineage = store->lineage();
            }
        });
    all.clear();
    EXPECT_EQ(now().resources.size(), 4U);
}

TEST_F(PgDamage, AConsistentStateIsNotRepaired)
{
    create_all();
    EXPECT_THAT(codes_of(backend().salvage_choices("default")), ElementsAre("state_is_sound"));
    EXPECT_THAT(codes_of(backend().salvage("default", salvage_source::rows)), ElementsAre("state_is_sound"));
}

TEST_F(PgDamage, HistoryRestoresARemovedRow)
{
    for (bool const encrypted : {false, true}) {
        if (encrypted) {
            encrypt();
            create_alone("d");
        } else {
            create_all();
        }
        auto const before = now();
        damage("DELETE FROM resource WHERE address LIKE '%.b'");

        EXPECT_THAT(choice(salvage_source::rows).losses, ElementsAre("terraform_data.b"));
        EXPECT_TRUE(choice(salvage_source::backup).impossible);
        EXPECT_THAT(choice(salvage_source::replay).losses, IsEmpty());
        auto const done = backend().salvage("default", salvage_source::replay);
        ASSERT_TRUE(done) << error_text(done);

        auto after = now();
        EXPECT_EQ(after.serial, before.serial + 1);
        after.serial = before.serial;
        EXPECT_EQ(after, before);
        EXPECT_TRUE(verify().passed());
        EXPECT_EQ(
            backend().open("default", open_mode::read_only)->generations().value().back().command, "state repair");
        std::string const kept = state::test::read_text(done->replaced);
        EXPECT_THAT(kept, HasSubstr("terraform_data.c"));
        EXPECT_EQ(std::filesystem::status(done->replaced).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
}

TEST_F(PgDamage, UndamagedRowsBecomeTheState)
{
    create_all();
    damage("UPDATE resource SET attributes = attributes || ' ' WHERE address LIKE '%.b';"
           "UPDATE entry SET document = document || ' ' WHERE sequence = (SELECT min(sequence) FROM entry)");
    EXPECT_THAT(choice(salvage_source::rows).losses, ElementsAre("terraform_data.b"));
    EXPECT_THAT(choice(salvage_source::replay).losses, Contains(HasSubstr("terraform_data.c")));

    auto const done = backend().salvage("default", salvage_source::rows);
    ASSERT_TRUE(done) << error_text(done);

    EXPECT_THAT(names(), ElementsAre("terraform_data.a", "terraform_data.c"));
    EXPECT_TRUE(verify().passed());
    create_alone("b");
    EXPECT_EQ(now().resources.size(), 3U);
    EXPECT_TRUE(verify().passed());
}

TEST_F(PgDamage, ARepairEndsSessionsAndMakesPlansStale)
{
    create_all();
    auto const other = backend();
    auto const store = other.open("default", open_mode::read_write);
    auto s = read(*store);
    auto const versions = *store->versions();
    s = create(*store, std::move(s), "d");
    damage("DELETE FROM resource WHERE address LIKE '%.b'");
    ASSERT_TRUE(backend().salvage("default", salvage_source::replay));

    auto const e = infra::journal_entry::record(instance("a"), {}, state::test::some_object("late"));
    ASSERT_TRUE(replay(s, e));
    EXPECT_FALSE(store->append_now(std::vector{e}, s));
    EXPECT_EQ(store->condition().error().why().front().code, "session_ended");
    std::vector<std::string> const part{"terraform_data.a"};
    auto const current = backend().open("default", open_mode::read_only)->current_versions(part);
    ASSERT_TRUE(current);
    EXPECT_NE(current->at(part.front()), versions.at(part.front()));
}

TEST_F(PgDamage, TablesOfFormat2AreUpgraded)
{
    create_all();
    auto const other = backend();
    auto const held = other.lock("default", request({}));
    ASSERT_TRUE(held);
    damage("ALTER TABLE workspace DROP COLUMN content; ALTER TABLE session DROP COLUMN content;"
           "UPDATE workspace SET format = 2");
    auto const before = sql("SELECT serial FROM workspace");

    EXPECT_EQ(now().resources.size(), 3U);
    EXPECT_EQ(sql("SELECT format FROM workspace"), std::to_string(state::postgres_format_version));
    EXPECT_EQ(sql("SELECT count(*) FROM session"), "0") << "a program of format 2 does not know the sum";
    create_alone("d");
    EXPECT_TRUE(verify().passed());
    damage("DELETE FROM resource WHERE address LIKE '%.d'");
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_records_missing"));
}

}  // namespace
}  // namespace iacctl::backends::test
