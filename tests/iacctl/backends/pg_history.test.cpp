// SPDX-License-Identifier: BSL-1.0
// The history of a state in PostgreSQL tables, and its checks.
#include "pg_native.hpp"

#include "state/encryption/key_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::open_mode;
using state::test::codes_of;
using state::test::error_text;
using state::test::some_object;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PgHistory : public PgNative {
protected:
    [[nodiscard]] auto store(state::retention_policy keep = {}) const -> std::unique_ptr<pg_native_store>
    {
        auto const none = std::make_shared<encryption::target const>();
        auto made = std::make_unique<pg_native_store>(std::make_shared<pg_database>(settings), "default",
            open_mode::read_write, sealed_with ? sealed_with : none);
        made->set_retention_policy(keep);
        return made;
    }
    [[nodiscard]] auto read_at(std::int64_t sequence) const -> expected<infra::snapshot>
    {
        return backend().open("default", open_mode::read_only)->read_at(sequence);
    }
    [[nodiscard]] auto last_sequence() const -> std::int64_t
    {
        return std::stoll(sql("SELECT coalesce(max(sequence), 0) FROM entry"));
    }
    [[nodiscard]] auto verify() const -> state::verification
    {
        auto done = backend().open("default", open_mode::read_only)->verify();
        EXPECT_TRUE(done) << error_text(done);
        return done ? std::move(*done) : state::verification();
    }
    [[nodiscard]] static auto problems_of(state::verification const& v) -> std::vector<std::string>
    {
        std::vector<std::string> all;
        for (infra::diagnostic const& d : v.problems) all.push_back(d.code);
        return all;
    }
    // Runs commands with random changes.
    // \return the states after each batch, by the sequence number of its last entry
    auto run(int commands, state::retention_policy keep) -> std::map<std::int64_t, infra::snapshot>
    {
        std::map<std::int64_t, infra::snapshot> after;
        for (int command = 0; command < commands; ++command) {
            auto const to = store(keep);
            EXPECT_TRUE(to->read_now());
            EXPECT_TRUE(to->begin_generation("apply"));
            for (int i = 0; i < 4; ++i) {
                auto const batch = random.batch(4);
                EXPECT_EQ(error_text(to->append_now(batch, random.model())), "");
                random.model().lineage = to->lineage();
                after[last_sequence()] = random.model();
            }
            EXPECT_TRUE(to->end_generation("complete"));
        }
        return after;
    }
    void encrypt()
    {
        state::test::write_text(machine.path() / "key", std::string(64, '1'));
        sealed_with = std::make_shared<encryption::target const>("state",
            std::vector<encryption::method>{
                {"method.aes_gcm.a", encryption::make_key_file("key_provider.file.a", machine.path() / "key"), {}},
                {}});
    }

    std::uint64_t const seed = static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
    state::test::random_history random{seed, state::test::random_history::texts::unicode};
};

TEST_F(PgHistory, ShowsTheStateAfterEachEntry)
{
    for (auto const& [sequence, state] : run(3, {})) {
        auto const then = read_at(sequence);
        ASSERT_TRUE(then) << "seed " << seed << '\n' << error_text(then);
        EXPECT_EQ(*then, state) << "seed " << seed << ", sequence " << sequence;
    }
    EXPECT_EQ(read_at(0).value().resources.size(), 0U);
    EXPECT_THAT(codes_of(read_at(last_sequence() + 1)), ElementsAre("state_has_no_such_sequence"));
    EXPECT_THAT(codes_of(read_at(-1)), ElementsAre("state_has_no_such_sequence"));
}

TEST_F(PgHistory, KeepsTheStatesOfTheLastCommandsWhenOlderOnesArePruned)
{
    auto states = run(3, {2, -1000});
    encrypt();  // encrypts the state before the history, too
    states.merge(run(4, {2, -1000}));

    auto const kept = backend().open("default", open_mode::read_only)->generations().value();
    ASSERT_EQ(kept.size(), 2U);
    std::int64_t const first = kept.front().sequence;
    EXPECT_EQ(sql("SELECT count(*) FROM entry WHERE sequence <= " + std::to_string(first)), "0");
    int found = 0;
    for (auto const& [sequence, state] : states) {
        auto const then = read_at(sequence);
        if (sequence < first) {
            EXPECT_THAT(codes_of(then), ElementsAre("state_history_pruned"));
            continue;
        }
        ASSERT_TRUE(then) << "seed " << seed << '\n' << error_text(then);
        EXPECT_EQ(*then, state) << "seed " << seed << ", sequence " << sequence;
        ++found;
    }
    EXPECT_GE(found, 8);
    EXPECT_EQ(now(), random.model());
    EXPECT_TRUE(verify().passed()) << "seed " << seed;
}

TEST_F(PgHistory, KeepsRecentEntriesAndThoseOfTheLastCommands)
{
    run(3, {1, 3'600'000});
    EXPECT_EQ(sql("SELECT count(*) FROM generation"), "3");
    run(1, {9, -1000});
    EXPECT_EQ(sql("SELECT count(*) FROM generation"), "4");
    EXPECT_EQ(sql("SELECT pruned FROM workspace"), "0");
}

TEST_F(PgHistory, PrunesNothingOfADamagedHistory)
{
    run(2, {});
    sql("UPDATE entry SET sha256 = '\\x00' WHERE sequence = 2");
    std::string const before = sql("SELECT count(*) FROM entry");
    auto const to = store({1, -1000});
    ASSERT_TRUE(to->begin_generation("apply"));

    EXPECT_TRUE(to->end_generation("complete"));

    EXPECT_EQ(sql("SELECT count(*) FROM entry"), before);
    EXPECT_THAT(problems_of(verify()), ElementsAre("state_history_damaged"));
}

TEST_F(PgHistory, RemovesSetsOfDependenciesThatNothingRefersTo)
{
    {
        auto const to = store({1, -1000});
        auto s = read(*to);
        ASSERT_TRUE(to->begin_generation("apply"));
        infra::dependency_set const part(std::vector<std::string>{"type.p"}, {});
        for (int i = 0; i < 80; ++i) {
            infra::object o = some_object("top");
            o.dependencies = infra::dependency_set({"type.d" + std::to_string(i)}, {part});
            auto const e = infra::journal_entry::record(instance("top"), {}, o);
            ASSERT_TRUE(replay(s, e));
            ASSERT_TRUE(to->append_now(std::vector{e}, s));
            s.lineage = to->lineage();
        }
        ASSERT_TRUE(to->end_generation("complete"));
    }
    EXPECT_EQ(sql("SELECT count(*) FROM dependency_set"), "80");
    auto next = store({1, -1000});
    ASSERT_TRUE(next->begin_generation("apply"));
    {
        auto const other = backend();
        auto const held = other.lock("default", request({}));
        ASSERT_TRUE(held) << error_text(held);
        ASSERT_TRUE(next->end_generation("complete"));
        EXPECT_EQ(sql("SELECT count(*) FROM dependency_set"), "80") << "another command may know them";
    }
    next.reset();
    auto const last = store({1, -1000});
    ASSERT_TRUE(last->begin_generation("apply"));
    ASSERT_TRUE(last->end_generation("complete"));

    EXPECT_EQ(sql("SELECT count(*) FROM dependency_set"), "1");
    EXPECT_TRUE(verify().passed());
}

TEST_F(PgHistory, VerifiesAllEntries)
{
    EXPECT_THAT(verify().checks, IsEmpty()) << "there is no state";
    run(3, {2, -1000});

    auto const done = verify();

    std::vector<std::string> names;
    for (auto const& check : done.checks) {
        names.emplace_back(check.name);
        EXPECT_EQ(check.result, state::state_check::result_type::passed) << check.name;
    }
    EXPECT_THAT(names, ElementsAre("rows", "checksum", "structure", "history", "records"));
    EXPECT_TRUE(done.passed());
    EXPECT_EQ(done.content, random.model());
    EXPECT_EQ(done.sequence, last_sequence());
    EXPECT_EQ(done.format, 3);
    EXPECT_GT(done.bytes, 0U);
}

TEST_F(PgHistory, DetectsEachKindOfDamage)
{
    create_alone("a");
    create_alone("b");
    {
        auto const to = store({1, -1000});
        ASSERT_TRUE(to->begin_generation("apply"));
        ASSERT_TRUE(to->end_generation("complete"));
    }
    create_alone("c");
    ASSERT_TRUE(verify().passed());
    auto const damage = [&](std::string const& statement) {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        to.execute("SET search_path = \"" + settings.schema_name + "\"; " + statement);
        return problems_of(verify());
    };
    EXPECT_THAT(damage("CREATE TABLE saved AS SELECT * FROM resource; DELETE FROM resource WHERE address LIKE '%.b'"),
        ElementsAre("state_records_missing"));
    EXPECT_THAT(damage("INSERT INTO resource SELECT * FROM saved WHERE address LIKE '%.b'"), IsEmpty());
    EXPECT_THAT(damage("UPDATE resource SET attributes = attributes || ' ' WHERE address LIKE '%.b'"),
        ElementsAre("state_damaged"));
    EXPECT_THAT(damage("UPDATE resource SET attributes = rtrim(attributes)"), IsEmpty());
    EXPECT_THAT(
        damage("UPDATE base SET document = document || ' ' WHERE address LIKE '%.a'"), ElementsAre("state_damaged"));
    EXPECT_THAT(damage("UPDATE base SET document = rtrim(document)"), IsEmpty());
    EXPECT_THAT(
        damage("UPDATE base SET address = 'terraform_data.x' WHERE address LIKE '%.a'"), ElementsAre("state_damaged"));
    EXPECT_THAT(damage("DELETE FROM base WHERE address = 'terraform_data.x'"), ElementsAre("state_records_missing"));
}

}  // namespace
}  // namespace iacctl::backends::test
