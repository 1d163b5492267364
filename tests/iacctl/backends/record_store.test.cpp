// SPDX-License-Identifier: BSL-1.0
// One suite for both databases of the record store: the port that an adapter implements, and the journal on it.
#include "postgres_server.hpp"

#include "state/backends/pg_database.hpp"
#include "state/backends/pg_native_store.hpp"
#include "state/backends/pg_records.hpp"
#include "state/encryption/key_provider.hpp"
#include "state/encryption/target.hpp"
#include "state/postgres/connection.hpp"
#include "state/record/database.hpp"
#include "state/record/record_store.hpp"
#include "state/record/sqlite_database.hpp"
#include "state/record/sqlite_store.hpp"
#include "state/record/workspace_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::database;
using state::open_mode;
using state::transaction;
using state::test::codes_of;
using state::test::error_text;
using state::test::some_object;
using state::test::some_operation;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using entry = infra::journal_entry;

/// A state in SQLite.
class in_sqlite {
public:
    [[nodiscard]] static auto is_installed() -> bool { return true; }
    /// A store as that of another process.
    [[nodiscard]] auto store(open_mode mode, std::shared_ptr<encryption::target const> const& sealed_with) const
        -> std::unique_ptr<state::record_store>
    {
        return std::make_unique<state::sqlite_store>(state::workspace_files(place_.workspace(), sealed_with), mode);
    }
    /// Uses the records of an existing state.
    template <class Work>
    void with_records(Work const& work) const
    {
        state::sqlite_database db(place_.database(), open_mode::read_write);
        work(db);
    }

private:
    state::test::temporary_directory place_;
};

/// A state in PostgreSQL.
class in_postgres {
public:
    [[nodiscard]] static auto is_installed() -> bool { return postgres_server::instance() != nullptr; }
    in_postgres()
    {
        settings_.conn_str = postgres_server::instance()->url();
        // Other suites have schemas of the names of their tests.
        settings_.schema_name = std::string("records.") + testing::UnitTest::GetInstance()->current_test_info()->name();
    }
    [[nodiscard]] auto store(open_mode mode, std::shared_ptr<encryption::target const> const& sealed_with) const
        -> std::unique_ptr<state::record_store>
    {
        return std::make_unique<pg_native_store>(
            std::make_shared<pg_database>(settings_), "default", mode, sealed_with, machine_.path());
    }
    template <class Work>
    void with_records(Work const& work) const
    {
        pg_database tables(settings_);
        std::int64_t const number = tables.find("default").value();
        postgres::connection to{postgres::connection_settings(settings_.conn_str)};
        pg_records db = tables.records(to, number);
        work(db);
    }

private:
    state::test::temporary_directory machine_;
    pg_settings settings_;
};

template <class Place>
class RecordStore : public testing::Test {
protected:
    void SetUp() override
    {
        if (!Place::is_installed()) GTEST_SKIP() << "(needs postgresql)";
        place.emplace();
    }

    [[nodiscard]] auto store(open_mode mode = open_mode::read_write) const { return place->store(mode, sealed_with); }
    [[nodiscard]] auto now() const -> infra::snapshot
    {
        auto const read = store(open_mode::read_only)->read_now();
        EXPECT_TRUE(read) << error_text(read);
        return read ? *read : infra::snapshot();
    }
    // Encrypts with new keys, the first of which is used to write; 0: without encryption.
    void encrypt(std::string const& digits)
    {
        std::vector<encryption::method> all;
        for (char const digit : digits) {
            if (digit == '0') {
                all.emplace_back();
                continue;
            }
            auto const file = keys.path() / (std::string("key-") + digit);
            state::test::write_text(file, std::string(64, digit) + "\n");
            all.push_back({std::string("method.aes_gcm.") + digit,
                encryption::make_key_file(std::string("key_provider.file.") + digit, file), {}});
        }
        sealed_with = std::make_shared<encryption::target const>("state", std::move(all));
    }
    static void append(state::record_store& to, infra::snapshot& s, std::vector<entry> const& batch)
    {
        for (entry const& e : batch) ASSERT_TRUE(replay(s, e));
        ASSERT_EQ(error_text(to.append_now(batch, s)), "");
        s.lineage = to.lineage();
    }
    // A command that appends random batches. \return the state after each, by the sequence of its last entry
    auto command(state::record_store& to, state::test::random_history& history, int batches)
        -> std::map<std::int64_t, infra::snapshot>
    {
        std::map<std::int64_t, infra::snapshot> after;
        auto const read = to.read_now();
        EXPECT_TRUE(read) << error_text(read);
        history.model().serial = read->serial;
        auto const begun = to.begin_generation("apply");
        EXPECT_TRUE(begun) << error_text(begun);
        for (int i = 0; i < batches; ++i) {
            auto const batch = history.batch(4);
            EXPECT_EQ(error_text(to.append_now(batch, history.model())), "");
            history.model().lineage = to.lineage();
            auto const entries = to.entries_after(0);
            EXPECT_TRUE(entries) << error_text(entries);
            after.emplace(entries->back().sequence, history.model());
        }
        EXPECT_TRUE(to.end_generation("complete"));
        return after;
    }
    [[nodiscard]] static auto state_at(state::record_store& from, std::int64_t sequence) -> infra::snapshot
    {
        auto const read = from.read_at(sequence);
        EXPECT_TRUE(read) << error_text(read);
        return read ? *read : infra::snapshot();
    }
    [[nodiscard]] auto problems() const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        auto const done = store(open_mode::read_only)->verify();
        EXPECT_TRUE(done) << error_text(done);
        if (done)
            for (infra::diagnostic const& d : done->problems) all.push_back(d.code + " " + d.address);
        return all;
    }

    std::optional<Place> place;
    std::shared_ptr<encryption::target const> sealed_with = std::make_shared<encryption::target const>();
    state::test::temporary_directory keys;
};

using places = testing::Types<in_sqlite, in_postgres>;
class names_of_places {
public:
    template <class Place>
    static auto GetName(int) -> std::string
    {
        return std::is_same_v<Place, in_sqlite> ? "Sqlite" : "Postgres";
    }
};
TYPED_TEST_SUITE(RecordStore, places, names_of_places);

// The port.

TYPED_TEST(RecordStore, PortBindsAndReturnsValuesOfEachType)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::output("o", {infra::document("1"), infra::document("\"number\""), false})});
    this->place->with_records([](database& db) {
        state::digest hash{};
        hash[0] = 0xFF;
        hash[31] = 1;
        transaction writing(db, database::purpose::writing);
        auto change = db.prepare("UPDATE " + db.table("output") + " SET document = $1, sha256 = $2 WHERE "
            + db.properties().own_rows + " AND name = $3");

        int const changed = change.bind("it's \"quoted\"").bind(hash).bind("o").run();
        auto row =
            db.prepare("SELECT document, sha256, 9007199254740993, NULL" + db.rows_of("output") + " AND name = $1");
        ASSERT_TRUE(row.bind("o").step());

        EXPECT_EQ(changed, 1);
        EXPECT_EQ(row.columns(), 4);
        EXPECT_EQ(row.text(0), "it's \"quoted\"");
        EXPECT_EQ(row.hash(1), hash);
        EXPECT_EQ(row.integer(2), 9007199254740993);
        EXPECT_TRUE(row.is_null(3));
        EXPECT_FALSE(row.is_null(0));
        EXPECT_FALSE(row.step());
    });
}

TYPED_TEST(RecordStore, PortRunsStatementAgainWithOtherValues)
{
    auto const to = this->store();
    infra::snapshot s;
    for (char const* name : {"a", "b"})
        TestFixture::append(
            *to, s, {entry::output(name, {infra::document("1"), infra::document("\"number\""), false})});
    this->place->with_records([](database& db) {
        auto names = db.prepare("SELECT name" + db.rows_of("output") + " AND name >= $1 ORDER BY name");
        std::vector<std::vector<std::string>> found;

        for (char const* from : {"a", "b", "c"}) {
            found.emplace_back();
            names.bind(from);
            while (names.step()) found.back().emplace_back(names.text(0));
        }
        ASSERT_TRUE(names.bind("a").step());
        names.reset();

        EXPECT_THAT(found, ElementsAre(ElementsAre("a", "b"), ElementsAre("b"), IsEmpty()));
        ASSERT_TRUE(names.bind("b").step());
        EXPECT_EQ(names.text(0), "b");
    });
}

TYPED_TEST(RecordStore, PortTakesBackTransactionThatWasNotCommitted)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::output("o", {infra::document("1"), infra::document("\"number\""), false})});
    this->place->with_records([](database& db) {
        auto const drop = [&](bool commits) {
            transaction writing(db, database::purpose::writing);
            db.execute("DELETE" + db.rows_of("output"));
            if (commits) writing.commit();
        };
        auto const count = [&] {
            auto rows = db.prepare("SELECT count(*)" + db.rows_of("output"));
            return rows.step() ? rows.integer(0) : -1;
        };

        drop(false);
        auto const kept = count();
        drop(true);

        EXPECT_EQ(kept, 1);
        EXPECT_EQ(count(), 0);
    });
}

TYPED_TEST(RecordStore, PortReportsErrorAndStaysUsable)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::output("o", {infra::document("1"), infra::document("\"number\""), false})});
    this->place->with_records([](database& db) {
        auto const fail = [&] {
            transaction writing(db, database::purpose::writing);
            db.execute("INSERT INTO " + db.table("no_such_table") + " VALUES (1)");
        };

        EXPECT_THROW(fail(), database_error);

        auto rows = db.prepare("SELECT name" + db.rows_of("output"));
        ASSERT_TRUE(rows.step());
        EXPECT_EQ(rows.text(0), "o");
    });
}

// The journal.

TYPED_TEST(RecordStore, IsEmptyBeforeTheFirstAppend)
{
    auto const from = this->store(open_mode::read_only);

    auto const read = from->read_now();
    auto const entries = from->entries_after(0);
    auto const generations = from->generations();

    ASSERT_TRUE(read && entries && generations);
    EXPECT_EQ(*read, infra::snapshot());
    EXPECT_THAT(*entries, IsEmpty());
    EXPECT_THAT(*generations, IsEmpty());
    EXPECT_EQ(TestFixture::state_at(*from, 0), infra::snapshot());
    EXPECT_THAT(codes_of(from->read_at(1)), ElementsAre("state_has_no_such_sequence"));
}

TYPED_TEST(RecordStore, AppendIsDurableWhenItReturns)
{
    state::test::random_history history(1, state::test::random_history::texts::unicode);
    auto const to = this->store();
    ASSERT_TRUE(to->begin_generation("apply"));

    for (int i = 0; i < 40; ++i) {
        auto const batch = history.batch(3);
        ASSERT_EQ(error_text(to->append_now(batch, history.model())), "");
        history.model().lineage = to->lineage();

        EXPECT_EQ(this->now(), history.model()) << "after batch " << i;
    }

    EXPECT_THAT(this->problems(), IsEmpty());
}

TYPED_TEST(RecordStore, OperationIsPendingFromItsBeginToItsEnd)
{
    auto const to = this->store();
    auto const p = some_operation("create-a", infra::operation_kind::create, instance("a"));
    infra::snapshot s;

    TestFixture::append(*to, s, {entry::begin(p)});
    auto const begun = this->now();
    TestFixture::append(*to, s, {entry::end(p, some_object("a"), false)});
    auto const ended = this->now();

    EXPECT_THAT(begun.pending, ElementsAre(testing::Pair("create-a", p)));
    EXPECT_THAT(begun.resources, IsEmpty());
    EXPECT_THAT(ended.pending, IsEmpty());
    EXPECT_EQ(ended.resources.size(), 1U);
    EXPECT_GT(ended.serial, begun.serial);
}

TYPED_TEST(RecordStore, DestroyedObjectIsGoneAtOnceAndAfterTheCommand)
{
    auto const to = this->store();
    infra::snapshot s;
    ASSERT_TRUE(to->begin_generation("apply"));
    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object("a"))});
    TestFixture::append(*to, s, {entry::record(instance("b"), {}, some_object("b", {"terraform_data.a"}))});

    TestFixture::append(*to, s, {entry::remove(instance("a"), {})});
    auto const during = this->now();
    ASSERT_TRUE(to->end_generation("complete"));

    EXPECT_EQ(during, s);
    EXPECT_EQ(this->now(), s);
    EXPECT_THAT(this->problems(), IsEmpty());
}

TYPED_TEST(RecordStore, HistoryMakesEachStateAgain)
{
    state::test::random_history history(2, state::test::random_history::texts::unicode);
    std::map<std::int64_t, infra::snapshot> after;
    for (int i = 0; i < 3; ++i) after.merge(this->command(*this->store(), history, 6));
    auto const from = this->store(open_mode::read_only);

    for (auto const& [sequence, s] : after) EXPECT_EQ(TestFixture::state_at(*from, sequence), s) << "at " << sequence;
    EXPECT_THAT(codes_of(from->read_at(after.rbegin()->first + 1)), ElementsAre("state_has_no_such_sequence"));
}

TYPED_TEST(RecordStore, GenerationsNameCommandsAndTheirResults)
{
    state::test::random_history history(3, state::test::random_history::texts::unicode);
    auto const after = this->command(*this->store(), history, 2);
    ASSERT_TRUE(this->store()->begin_generation("destroy"));

    auto const all = this->store(open_mode::read_only)->generations();

    ASSERT_TRUE(all) << error_text(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->at(0).command, "apply");
    EXPECT_EQ(all->at(0).result, "complete");
    EXPECT_TRUE(all->at(0).ended);
    EXPECT_EQ(all->at(0).serial, static_cast<std::int64_t>(history.model().serial));
    EXPECT_EQ(all->at(1).command, "destroy");
    EXPECT_FALSE(all->at(1).ended);
    EXPECT_EQ(all->at(1).sequence, after.rbegin()->first);
}

TYPED_TEST(RecordStore, OldHistoryIsRemovedAndTheRestStaysReadable)
{
    state::test::random_history history(4, state::test::random_history::texts::unicode);
    std::map<std::int64_t, infra::snapshot> after;
    for (int i = 0; i < 6; ++i) {
        auto const to = this->store();
        to->set_retention_policy({2, -1});
        after.merge(this->command(*to, history, 3));
    }
    auto const from = this->store(open_mode::read_only);

    auto const entries = from->entries_after(0);

    ASSERT_TRUE(entries) << error_text(entries);
    ASSERT_FALSE(entries->empty());
    EXPECT_GT(entries->front().sequence, after.begin()->first);
    EXPECT_THAT(codes_of(from->read_at(after.begin()->first)), ElementsAre("state_history_pruned"));
    for (auto at = after.lower_bound(entries->front().sequence); at != after.end(); ++at)
        EXPECT_EQ(TestFixture::state_at(*from, at->first), at->second) << "at " << at->first;
    EXPECT_THAT(this->problems(), IsEmpty());
}

TYPED_TEST(RecordStore, RefusesOtherLineageAndLowerSerial)
{
    auto const first = this->store();
    infra::snapshot s;
    TestFixture::append(*first, s, {entry::record(instance("a"), {}, some_object("a"))});
    auto const batch = std::vector{entry::record(instance("b"), {}, some_object("b"))};
    auto const refusal = [&](infra::snapshot const& after) {
        auto const to = this->store();
        EXPECT_TRUE(to->read_now());
        EXPECT_FALSE(to->append_now(batch, after));
        return to->condition().error().why().front().code;
    };
    infra::snapshot foreign = s;
    foreign.lineage = "another";
    ++foreign.serial;
    infra::snapshot older = s;
    older.serial = 0;

    EXPECT_EQ(refusal(foreign), "state_other_lineage");
    EXPECT_EQ(refusal(older), "state_serial_falls");
    EXPECT_EQ(this->now(), s);
}

TYPED_TEST(RecordStore, NothingIsWrittenAfterAFailedAppend)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object("a"))});
    infra::snapshot foreign = s;
    foreign.lineage = "another";
    ++foreign.serial;
    ASSERT_FALSE(to->append_now(std::vector{entry::remove(instance("a"), {})}, foreign));

    auto const again = to->append_now(std::vector{entry::remove(instance("a"), {})}, s);

    EXPECT_EQ(state::test::kind_of_result(again), state::state_error::not_saved);
    EXPECT_THAT(codes_of(to->begin_generation("apply")), ElementsAre("state_earlier_attempt_failed"));
    EXPECT_EQ(this->now(), s);
}

TYPED_TEST(RecordStore, PushedStateMayDifferOnlyInItsSerial)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object("a"))});
    s.serial += 5;

    TestFixture::append(*to, s, {});

    EXPECT_EQ(this->now(), s);
}

TYPED_TEST(RecordStore, EncryptedRecordsContainNoValues)
{
    constexpr char const* secret = "the-secret-of-this-test";
    this->encrypt("1");
    auto const to = this->store();
    infra::snapshot s;
    auto p = some_operation("update-a", infra::operation_kind::update, instance("a"));
    p.request = infra::document(std::string("{\"input\":\"") + secret + "\"}");

    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object(secret)), entry::begin(p)});
    TestFixture::append(*to, s,
        {entry::output(
            "o", {infra::document("\"" + std::string(secret) + "\""), infra::document("\"string\""), true})});

    EXPECT_EQ(this->now(), s);
    EXPECT_THAT(this->problems(), IsEmpty());
    this->place->with_records([&](database& db) {
        for (char const* table : {"resource", "output", "pending", "entry"}) {
            auto rows = db.prepare("SELECT document" + db.rows_of(table));
            int found = 0;
            for (; rows.step(); ++found) EXPECT_THAT(std::string(rows.text(0)), Not(testing::HasSubstr(secret)));
            EXPECT_GT(found, 0) << table;
        }
    });
}

TYPED_TEST(RecordStore, ChangeOfKeyKeepsStateAndHistory)
{
    this->encrypt("1");
    state::test::random_history history(5, state::test::random_history::texts::unicode);
    auto const after = this->command(*this->store(), history, 5);
    this->encrypt("21");
    auto const more = this->command(*this->store(), history, 1);
    this->encrypt("2");

    auto const from = this->store(open_mode::read_only);

    EXPECT_EQ(this->now(), more.rbegin()->second);
    EXPECT_THAT(this->problems(), IsEmpty());
    for (auto const& [sequence, s] : after) EXPECT_EQ(TestFixture::state_at(*from, sequence), s) << "at " << sequence;
}

TYPED_TEST(RecordStore, ChangeOfKeyRefusesADamagedEntryAndChangesNothing)
{
    infra::snapshot s;
    TestFixture::append(*this->store(), s, {entry::record(instance("a"), {}, some_object("a"))});
    this->place->with_records([](database& db) {
        db.execute("UPDATE " + db.table("entry") + " SET document = replace(document, 'a', 'x') WHERE "
            + db.properties().own_rows);
    });
    this->encrypt("10");

    auto const refused = this->store()->begin_generation("apply");

    EXPECT_THAT(codes_of(refused), ElementsAre("state_damaged"));
    this->encrypt("0");
    EXPECT_EQ(this->now(), s);
    EXPECT_THAT(this->problems(), Contains(testing::StartsWith("state_history_damaged")));
}

TYPED_TEST(RecordStore, StateIsNotReadWithoutItsKey)
{
    this->encrypt("1");
    infra::snapshot s;
    TestFixture::append(*this->store(), s, {entry::record(instance("a"), {}, some_object("a"))});
    this->encrypt("2");

    auto const read = this->store(open_mode::read_only)->read_now();
    auto const entries = this->store(open_mode::read_only)->entries_after(0);

    EXPECT_FALSE(read);
    EXPECT_FALSE(entries);
}

TYPED_TEST(RecordStore, CommandsOfTheHistoryAreListedWithoutTheKey)
{
    this->encrypt("1");
    auto const to = this->store();
    ASSERT_TRUE(to->begin_generation("apply"));
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object("a"))});
    ASSERT_TRUE(to->end_generation("complete"));
    this->encrypt("2");

    auto const without = this->store(open_mode::read_only);
    auto const listed = without->generations();
    auto const read = without->read_now();
    auto const again = without->generations();

    ASSERT_TRUE(listed && again) << error_text(listed);
    ASSERT_EQ(listed->size(), 1U);
    EXPECT_EQ(listed->front().command, "apply");
    EXPECT_EQ(listed->front().result, "complete");
    EXPECT_EQ(again->size(), 1U);
    EXPECT_FALSE(read);
}

TYPED_TEST(RecordStore, ChangedRecordOfEachKindIsReportedByName)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s,
        {entry::record(instance("a"), {}, some_object("a")),
            entry::output("o", {infra::document("1"), infra::document("\"number\""), false}),
            entry::begin(some_operation("update-a", infra::operation_kind::update, instance("a")))});
    this->place->with_records([](database& db) {
        for (char const* table : {"resource", "output", "pending", "entry"})
            db.execute("UPDATE " + db.table(table) + " SET document = '{}' WHERE " + db.properties().own_rows);
    });

    auto const read = this->store(open_mode::read_only)->read_now();
    auto const found = this->problems();

    EXPECT_THAT(codes_of(read), ElementsAre("state_damaged", "state_damaged", "state_damaged"));
    for (char const* name : {"terraform_data.a", "o", "update-a"})
        EXPECT_THAT(found, Contains(std::string("state_damaged ") + name));
    EXPECT_THAT(found, Contains(testing::StartsWith("state_history_damaged")));
    EXPECT_THAT(codes_of(this->store(open_mode::read_only)->entries_after(0)), ElementsAre("state_history_damaged"));
}

TYPED_TEST(RecordStore, RepairRestoresAMissingRecordFromTheHistory)
{
    infra::snapshot s;
    for (char const* name : {"a", "b"}) {
        auto const to = this->store();
        s = to->read_now().value();
        ASSERT_TRUE(to->begin_generation("apply"));
        TestFixture::append(*to, s, {entry::record(instance(name), {}, some_object(name))});
        ASSERT_TRUE(to->end_generation("complete"));
    }
    this->place->with_records(
        [](database& db) { db.execute("DELETE" + db.rows_of("resource") + " AND address = 'terraform_data.b'"); });

    auto const choices = this->store(open_mode::read_only)->salvage_choices();
    auto const done = this->store()->salvage(state::salvage_source::replay);

    ASSERT_TRUE(choices && done) << error_text(choices) << error_text(done);
    EXPECT_THAT(choices->at(0).losses, ElementsAre("terraform_data.b")) << "the history knows its name";
    EXPECT_THAT(choices->at(2).losses, testing::IsEmpty());
    auto after = this->now();
    EXPECT_GT(after.serial, s.serial);
    after.serial = s.serial;
    EXPECT_EQ(after, s);
    EXPECT_THAT(codes_of(this->store()->salvage_choices()), ElementsAre("state_is_sound"));
}

TYPED_TEST(RecordStore, MissingRecordIsReported)
{
    auto const to = this->store();
    infra::snapshot s;
    TestFixture::append(*to, s, {entry::record(instance("a"), {}, some_object("a"))});
    TestFixture::append(*to, s, {entry::record(instance("b"), {}, some_object("b"))});
    this->place->with_records(
        [](database& db) { db.execute("DELETE" + db.rows_of("resource") + " AND address = 'terraform_data.b'"); });

    auto const read = this->store(open_mode::read_only)->read_now();

    EXPECT_THAT(codes_of(read), ElementsAre("state_records_missing"));
    EXPECT_THAT(this->problems(), Contains(testing::StartsWith("state_records_missing")));
}

}  // namespace
}  // namespace iacctl::backends::test
