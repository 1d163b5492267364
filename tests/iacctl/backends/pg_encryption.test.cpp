// SPDX-License-Identifier: BSL-1.0
// Encrypted records in PostgreSQL tables.
#include "pg_native.hpp"

#include "base/encoding.hpp"
#include "state/backends/pg_workspace.hpp"
#include "state/encryption/key_provider.hpp"
#include "state/record/check.hpp"
#include "state/record/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::open_mode;
using state::test::codes_of;
using state::test::error_text;
using state::test::some_object;
using state::test::some_operation;
using testing::Contains;
using testing::ElementsAre;

constexpr char const* secret = "the-secret-of-this-test";

class PgEncryption : public PgNative {
protected:
    // Keys that are not derived, because the derivation takes long.
    [[nodiscard]] auto key(char digit) const -> encryption::method
    {
        auto const file = keys.path() / (std::string("key-") + digit);
        state::test::write_text(file, std::string(64, digit) + "\n");
        return {std::string("method.aes_gcm.") + digit,
            encryption::make_key_file(std::string("key_provider.file.") + digit, file), {}};
    }
    void write_with(std::vector<encryption::method> all)
    {
        sealed_with = std::make_shared<encryption::target const>("state", std::move(all));
    }
    // One command that writes the secret into every kind of record.
    auto apply(std::string const& name) const -> infra::snapshot
    {
        auto const in = backend();
        auto const to = in.open("default", open_mode::read_write);
        infra::snapshot s = read(*to);
        auto const begun = to->begin_generation("apply");
        EXPECT_TRUE(begun) << error_text(begun);
        infra::object o = some_object(secret + name);
        o.private_data = infra::document(std::string("{\"private\":\"") + secret + "\"}");
        auto p = some_operation("create-" + name, infra::operation_kind::create, instance(name));
        p.request = infra::document(std::string("{\"input\":\"") + secret + "\"}");
        auto left = some_operation("left-" + name, infra::operation_kind::update, instance(name));
        left.request = p.request;
        infra::output_value const out{
            infra::document("\"" + std::string(secret) + "\""), infra::document("\"string\""), true};
        for (auto const& e : {infra::journal_entry::begin(p), infra::journal_entry::end(p, o, false),
                 infra::journal_entry::output("out", out), infra::journal_entry::begin(left)}) {
            EXPECT_TRUE(replay(s, e));
            EXPECT_EQ(error_text(to->append_now(std::vector{e}, s)), "");
            s.lineage = to->lineage();
        }
        EXPECT_TRUE(to->end_generation("complete"));
        return s;
    }
    // The names of the tables in which a row contains the secret, as a text or as bytes.
    [[nodiscard]] auto tables_with_secret() const -> std::vector<std::string>
    {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        auto const tables = to.query("SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1",
            postgres::parameters().add(settings.schema_name));
        EXPECT_GE(tables.size(), 8);
        std::vector<std::string> found;
        for (int i = 0; i < tables.size(); ++i) {
            std::string const name(tables.text(i, 0));
            std::string const rows = sql("SELECT coalesce(string_agg(t::text, ' '), '') FROM " + name + " t");
            if (rows.find(secret) != std::string::npos || rows.find(hex(secret)) != std::string::npos)
                found.push_back(name);
        }
        return found;
    }
    // Makes the checksums of resources match the rows, as an attacker without the key can do.
    void forge_checksums() const
    {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        to.execute("SET search_path = \"" + settings.schema_name + "\"");
        auto const rows = to.query("SELECT workspace, address, deposed, attributes, document FROM resource");
        state::field_hasher hasher;
        for (int i = 0; i < rows.size(); ++i) {
            auto const hash = state::resource_hash(
                hasher, rows.text(i, 1), rows.text(i, 2), 0, false, rows.text(i, 3), rows.text(i, 4));
            postgres::parameters with;
            with.add_bytes(bytes_of(hash)).add(rows.integer(i, 0)).add(std::string(rows.text(i, 1)));
            to.query("UPDATE resource SET sha256 = $1 WHERE workspace = $2 AND address = $3 AND deposed = $4",
                with.add(std::string(rows.text(i, 2))));
        }
    }

    state::test::temporary_directory keys;
    encryption::method const none{};
};

TEST_F(PgEncryption, StoresNoSecretInAnyRowAndPreservesState)
{
    write_with({key('1')});
    apply("a");
    auto const s = apply("b");

    EXPECT_EQ(now(), s);
    EXPECT_THAT(tables_with_secret(), ElementsAre());
    auto const entries = backend().open("default", open_mode::read_only)->entries_after(0);
    ASSERT_TRUE(entries) << error_text(entries);
    ASSERT_EQ(entries->size(), 8U);
    infra::snapshot replayed;
    for (auto const& e : *entries) EXPECT_TRUE(replay(replayed, e.entry));
    replayed.lineage = s.lineage;
    EXPECT_EQ(replayed, s);
}

TEST_F(PgEncryption, PreservesStateOverRandomHistories)
{
    auto const seed = testing::UnitTest::GetInstance()->random_seed();
    write_with({key('1')});
    state::test::random_history random(static_cast<std::uint64_t>(seed), state::test::random_history::texts::unicode);
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    ASSERT_TRUE(store->read_now());
    for (int i = 0; i < 40; ++i) {
        auto const batch = random.batch(5);
        ASSERT_EQ(error_text(store->append_now(batch, random.model())), "");
        random.model().lineage = store->lineage();
        if (i % 8 != 0) continue;
        ASSERT_EQ(now(), random.model()) << "seed " << seed << ", step " << i;
    }
}

TEST_F(PgEncryption, IsNotReadWithoutItsKey)
{
    write_with({key('1')});
    apply("a");

    sealed_with = nullptr;
    EXPECT_THAT(codes_of(try_read()), ElementsAre("encryption_not_configured"));
    write_with({key('2')});
    EXPECT_THAT(codes_of(try_read()), ElementsAre("decryption_failed"));
    state::test::write_text(keys.path() / "key-1", std::string(64, '3'));
    write_with({{"method.aes_gcm.1", encryption::make_key_file("key_provider.file.1", keys.path() / "key-1"), {}}});
    EXPECT_THAT(codes_of(try_read()), ElementsAre("decryption_failed"));
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    EXPECT_THAT(codes_of(store->begin_generation("apply")), ElementsAre("decryption_failed"));
}

TEST_F(PgEncryption, IsEncryptedByTheNextWriterIfUnencryptedStateIsAccepted)
{
    auto const plain = apply("a");
    auto const before = backend().open("default", open_mode::read_only);
    ASSERT_TRUE(before->read_now());
    EXPECT_THAT(tables_with_secret(), Contains("resource"));
    write_with({key('1')});
    EXPECT_THAT(codes_of(try_read()), ElementsAre("data_not_encrypted"));

    write_with({key('1'), none});
    EXPECT_EQ(now(), plain) << "reading changes nothing";
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    ASSERT_TRUE(store->end_generation("complete"));

    EXPECT_THAT(tables_with_secret(), ElementsAre());
    write_with({key('1')});
    EXPECT_EQ(now(), plain);
    auto const after = backend().open("default", open_mode::read_only);
    ASSERT_TRUE(after->read_now());
    EXPECT_EQ(*after->versions(), *before->versions()) << "plans that were saved before are not stale";
    auto const entries = after->entries_after(0);
    ASSERT_TRUE(entries) << error_text(entries);
    EXPECT_EQ(entries->size(), 4U);
}

TEST_F(PgEncryption, ChangesItsKeyAndDecryptsIfTheMethodIsUnencrypted)
{
    write_with({key('1')});
    apply("a");
    write_with({key('2'), key('1')});
    auto const s = apply("b");

    write_with({key('1')});
    EXPECT_FALSE(try_read());
    write_with({key('2')});
    EXPECT_EQ(now(), s);
    write_with({none, key('2')});
    auto const plain = apply("c");

    sealed_with = nullptr;
    EXPECT_EQ(now(), plain);
    EXPECT_THAT(tables_with_secret(), Contains("entry"));
}

TEST_F(PgEncryption, DoesNotChangeTheKeyWhileAnotherCommandUsesTheWorkspace)
{
    apply("a");
    auto const other = backend();
    auto const held = other.lock("default", request({"terraform_data.b"}));
    ASSERT_TRUE(held) << error_text(held);
    auto const theirs = other.open("default", open_mode::read_write);
    auto const s = read(*theirs);

    write_with({key('1'), none});
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    auto const refused = store->begin_generation("apply");

    EXPECT_THAT(codes_of(refused), ElementsAre("key_change_locked"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 3);
    EXPECT_EQ(create(*theirs, s, "b").resources.size(), 2U);
}

TEST_F(PgEncryption, RejectsTheWritesOfACommandThatHasAnotherKey)
{
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    auto s = create(*store, read(*store), "a");
    sql("UPDATE workspace SET encryption = '{}'");

    auto const e = infra::journal_entry::record(instance("b"), {}, some_object("b"));
    ASSERT_TRUE(replay(s, e));
    EXPECT_FALSE(store->append_now(std::vector{e}, s));

    EXPECT_EQ(store->condition().error().why().front().code, "state_overtaken");
    EXPECT_EQ(sql("SELECT count(*) FROM resource"), "1");
}

TEST_F(PgEncryption, EncryptsTheFirstStateIfSeveralProcessesStartConcurrently)
{
    write_with({key('1')});
    auto const one = backend();
    auto const two = backend();
    auto const first = one.open("default", open_mode::read_write);
    auto const second = two.open("default", open_mode::read_write);
    ASSERT_TRUE(first->begin_generation("apply"));
    ASSERT_TRUE(second->begin_generation("apply"));

    (void)create(*first, read(*first), "a");
    (void)create(*second, read(*second), "b");

    EXPECT_THAT(names(), ElementsAre("terraform_data.a", "terraform_data.b"));
    EXPECT_TRUE(backend().make("blue"));
    EXPECT_EQ(sql("SELECT count(*) FROM workspace WHERE encryption <> ''"), "2");
}

TEST_F(PgEncryption, RejectsRecordsThatWereMoved)
{
    write_with({key('1')});
    apply("a");
    apply("b");
    ASSERT_TRUE(try_read());
    auto const swap = [&](std::string const& column) {
        sql("UPDATE resource r SET " + column + " = o." + column + " FROM resource o WHERE o.address <> r.address");
    };
    swap("attributes");
    forge_checksums();
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_damaged", "state_damaged"));
    swap("attributes");
    forge_checksums();
    ASSERT_TRUE(try_read());

    sql("UPDATE resource SET version = version + 1 WHERE address = 'terraform_data.a'");
    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_damaged"));
    sql("UPDATE resource SET version = version - 1 WHERE address = 'terraform_data.a'");
    ASSERT_TRUE(try_read());

    sql("UPDATE entry SET sequence = DEFAULT WHERE sequence = 1");
    EXPECT_THAT(codes_of(backend().open("default", open_mode::read_only)->entries_after(0)),
        ElementsAre("state_history_damaged"));
}

TEST_F(PgEncryption, DetectsAnEarlierVersionOfARowByTheSumOfRowsOrByItsHistory)
{
    write_with({key('1')});
    apply("a");
    sql("CREATE TABLE earlier AS SELECT * FROM resource");
    create_alone("a");
    auto const verified = [&] { return backend().open("default", open_mode::read_only)->verify().value().passed(); };
    EXPECT_TRUE(verified());

    sql("UPDATE resource r SET attributes = e.attributes, document = e.document, sha256 = e.sha256, version = e.version"
        " FROM earlier e WHERE e.address = r.address");

    EXPECT_THAT(codes_of(try_read()), ElementsAre("state_records_missing"));
    sql("UPDATE workspace w SET content = (" + state::postgres_content("\"" + settings.schema_name + "\"", "w.id")
        + ") - (SELECT coalesce(sum(s.content), 0) FROM session s)");
    ASSERT_TRUE(try_read()) << "somebody has corrected the sum, too";
    EXPECT_FALSE(verified());
}

TEST_F(PgEncryption, UpgradesTablesOfTheFirstFormat)
{
    auto const s = apply("a");
    sql("ALTER TABLE workspace DROP COLUMN encryption, DROP COLUMN seal, DROP COLUMN pruned, DROP COLUMN content");
    sql("ALTER TABLE session DROP COLUMN content");
    sql("DROP TABLE base");
    sql("UPDATE workspace SET format = 1");

    EXPECT_EQ(now(), s);
    EXPECT_EQ(sql("SELECT format FROM workspace"), std::to_string(state::postgres_format_version));
    write_with({key('1'), none});
    apply("b");
    EXPECT_THAT(tables_with_secret(), ElementsAre());
}

}  // namespace
}  // namespace iacctl::backends::test
