// SPDX-License-Identifier: BSL-1.0
#include "state/document/state_v4.hpp"
#include "state/encryption/target.hpp"
#include "state/record/check.hpp"
#include "state/record/meta_row.hpp"
#include "state/record/rescue.hpp"
#include "state/record/restore.hpp"
#include "state/record/sqlite_database.hpp"
#include "state/record/sqlite_store.hpp"

#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace iacctl::state;
using namespace iacctl::state::test;
namespace encryption = iacctl::encryption;
namespace infra = strider::infra;

constexpr char const* marker = "the-secret-of-this-test";

// Keys that are not derived, because the derivation takes long.
auto method_with(fs::path const& directory, char digit) -> encryption::method
{
    fs::path const file = directory / (std::string("key-") + digit);
    write_text(file, std::string(64, digit) + "\n");
    return {std::string("method.aes_gcm.") + digit,
        encryption::make_key_file(std::string("key_provider.file.") + digit, file), {}};
}

auto methods(std::vector<encryption::method> all) -> std::shared_ptr<encryption::target const>
{
    return std::make_shared<encryption::target const>("state", std::move(all));
}

class EncryptedStore : public testing::Test {
protected:
    [[nodiscard]] auto store(std::shared_ptr<encryption::target const> const& t,
        open_mode mode = open_mode::read_write) const -> sqlite_store
    {
        return {workspace_files(place_.workspace(), t), mode};
    }
    [[nodiscard]] auto read(std::shared_ptr<encryption::target const> const& t) const
        -> iacctl::expected<infra::snapshot>
    {
        return store(t, open_mode::read_only).read_now();
    }
    // One command that writes a secret into every kind of record.
    auto apply(std::shared_ptr<encryption::target const> const& t, std::string const& name) -> infra::snapshot
    {
        auto to = store(t);
        auto now = to.read_now();
        EXPECT_TRUE(now) << error_text(now);
        infra::snapshot s = now ? *now : infra::snapshot();
        auto const begun = to.begin_generation("apply");
        EXPECT_TRUE(begun) << error_text(begun);
        infra::object o = some_object(std::string(marker) + name);
        o.private_data = infra::document(std::string("{\"private\":\"") + marker + "\"}");
        auto p = some_operation("create-" + name, infra::operation_kind::create, {"terraform_data", name});
        p.request = infra::document(std::string("{\"input\":\"") + marker + "\"}");
        auto left = some_operation("left-" + name, infra::operation_kind::update, {"terraform_data", name});
        left.request = p.request;
        for (entry const& e : {entry::begin(p), entry::end(p, o, false),
                 entry::output(
                     "out", {infra::document("\"" + std::string(marker) + "\""), infra::document("\"string\""), true}),
                 entry::begin(left)}) {
            EXPECT_TRUE(replay(s, e));
            EXPECT_EQ(error_text(to.append_now(std::vector<entry>{e}, s)), "");
            s.lineage = to.lineage();
        }
        EXPECT_TRUE(to.end_generation("complete"));
        return s;
    }
    // The names of files that contain the secret.
    [[nodiscard]] auto files_with_secret() const -> std::vector<std::string>
    {
        std::vector<std::string> found;
        for (auto const& file : fs::recursive_directory_iterator(place_.workspace()))
            if (file.is_regular_file() && read_text(file.path()).find(marker) != std::string::npos)
                found.push_back(file.path().filename().string());
        return found;
    }
    [[nodiscard]] auto backups() const -> std::vector<fs::path>
    {
        std::vector<fs::path> found;
        for (auto const& file : fs::directory_iterator(place_.workspace() / "backups"))
            if (file.path().extension() == ".db") found.push_back(file.path());
        return found;
    }
    void execute(std::string const& sql) const
    {
        sqlite_database db(place_.database(), open_mode::read_write);
        db.execute(sql.c_str());
    }
    // Makes the checksums match the rows, as an attacker without the key can do.
    void forge_checksums() const
    {
        sqlite_database db(place_.database(), open_mode::read_write);
        field_hasher hasher;
        meta_row meta = *meta_row::read(db, hasher);
        content_sum sum;
        statement rows =
            db.prepare("SELECT number, address, deposed, position, deleted, attributes, document FROM resource");
        statement put = db.prepare("UPDATE resource SET sha256 = ? WHERE number = ?");
        std::vector<std::pair<digest, std::int64_t>> hashes;
        while (rows.step())
            hashes.emplace_back(resource_hash(hasher, rows.text(1), rows.text(2), rows.integer(3), rows.integer(4) != 0,
                                    rows.text(5), rows.text(6)),
                rows.integer(0));
        for (auto const& [hash, number] : hashes) {
            put.bind(hash).bind(number).run();
            sum.add(hash);
        }
        for (char const* table : {"output", "pending", "dependency_set"}) {
            statement others = db.prepare(std::string("SELECT sha256 FROM ") + table);
            while (others.step()) sum.add(others.hash(0));
        }
        meta.content = sum;
        digest const bytes = sum.bytes();
        digest const hash = meta.hash(hasher);
        db.prepare("UPDATE meta SET content = ?, sha256 = ?").bind(bytes).bind(hash).run();
    }

    temporary_directory place_;
    temporary_directory keys_;
    encryption::method const none_{};
    encryption::method const one_ = method_with(keys_.path(), '1');
    encryption::method const two_ = method_with(keys_.path(), '2');
};

TEST_F(EncryptedStore, StoresNoSecretInAnyFileAndPreservesState)
{
    auto const with = methods({one_});
    apply(with, "a");
    auto const s = apply(with, "b");

    auto const now = read(with);
    auto const then = store(with, open_mode::read_only).read_at(4);

    ASSERT_TRUE(now) << error_text(now);
    EXPECT_EQ(*now, s);
    ASSERT_TRUE(then) << error_text(then);
    EXPECT_EQ(then->resources.size(), 1U);
    EXPECT_THAT(files_with_secret(), testing::IsEmpty());
    auto const found = store(with, open_mode::read_only).verify();
    ASSERT_TRUE(found) << error_text(found);
    EXPECT_TRUE(found->passed());
}

TEST_F(EncryptedStore, PreservesStateOverRandomHistories)
{
    auto const with = methods({one_});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        temporary_directory const place;
        random_history history(seed);
        for (int i = 0; i < 20; ++i) {
            sqlite_store to(workspace_files(place.workspace(), with), open_mode::read_write);
            auto const before = to.read_now();
            ASSERT_TRUE(before) << error_text(before);
            history.model().lineage = before->lineage;
            EXPECT_EQ(*before, history.model());
            auto const batch = history.batch(8);
            ASSERT_TRUE(to.begin_generation("apply"));
            ASSERT_EQ(error_text(to.append_now(batch, history.model())), "");
            ASSERT_TRUE(to.end_generation("complete"));
        }
    }
}

TEST_F(EncryptedStore, IsNotReadWithoutItsKey)
{
    apply(methods({one_}), "a");

    EXPECT_THAT(codes_of(read(methods({none_}))), testing::ElementsAre("encryption_not_configured"));
    auto const other = read(methods({two_, none_}));
    EXPECT_THAT(codes_of(other), testing::ElementsAre("decryption_failed"));
    EXPECT_NE(error_text(other).find("method.aes_gcm.2"), std::string::npos);
    EXPECT_THAT(
        codes_of(
            sqlite_store(workspace_files(place_.workspace(), methods({two_})), open_mode::read_only).salvage_choices()),
        testing::ElementsAre("decryption_failed"));
    auto writer = store(methods({two_}));
    EXPECT_THAT(codes_of(writer.begin_generation("apply")), testing::ElementsAre("decryption_failed"));
}

TEST_F(EncryptedStore, IsEncryptedByTheNextWriterIfUnencryptedStateIsAccepted)
{
    apply(nullptr, "a");
    auto const before = apply(nullptr, "b");
    ASSERT_FALSE(files_with_secret().empty());

    EXPECT_THAT(codes_of(read(methods({one_}))), testing::ElementsAre("data_not_encrypted"));
    auto const migrating = methods({one_, none_});
    EXPECT_EQ(*read(migrating), before);
    ASSERT_FALSE(files_with_secret().empty());
    auto const after = apply(migrating, "c");

    EXPECT_THAT(files_with_secret(), testing::IsEmpty());
    EXPECT_EQ(*read(methods({one_})), after);
    EXPECT_TRUE(store(methods({one_}), open_mode::read_only).verify()->passed());
    EXPECT_EQ(store(methods({one_}), open_mode::read_only).entries_after(0)->size(), 12U);
}

TEST_F(EncryptedStore, ChangesItsKeyAndThatOfItsBackups)
{
    apply(methods({one_}), "a");
    apply(methods({one_}), "b");
    auto const after = apply(methods({two_, one_}), "c");

    EXPECT_EQ(*read(methods({two_})), after);
    EXPECT_THAT(codes_of(read(methods({one_}))), testing::ElementsAre("decryption_failed"));
    ASSERT_TRUE(restore(workspace_files(place_.workspace(), methods({two_})), {}));
    EXPECT_EQ(read(methods({two_}))->resources.size(), 2U);
}

TEST_F(EncryptedStore, ChangesTheKeyOfHundredsOfRecords)
{
    auto const before = methods({one_});
    infra::snapshot s;
    {
        auto to = store(before);
        std::vector<entry> batch;
        for (std::int64_t i = 0; i < 600; ++i) {
            batch.push_back(entry::record({"terraform_data", "many", infra::instance_key(i)}, {}, some_object("x")));
            ASSERT_TRUE(replay(s, batch.back()));
        }
        ASSERT_EQ(error_text(to.append_now(batch, s)), "");
    }

    auto const after = apply(methods({two_, one_}), "a");

    auto const now = read(methods({two_}));
    ASSERT_TRUE(now) << error_text(now);
    EXPECT_EQ(*now, after);
    EXPECT_EQ(now->resources.size(), 601U);
    EXPECT_TRUE(store(methods({two_}), open_mode::read_only).verify()->passed());
}

TEST_F(EncryptedStore, KeepsTheAgeOfBackupsWhoseKeyItChanges)
{
    apply(methods({one_}), "a");
    apply(methods({one_}), "b");
    ASSERT_EQ(backups().size(), 1U);
    fs::path const backup = backups().front();
    auto const age = std::chrono::hours(50);
    fs::last_write_time(backup, fs::file_time_type::clock::now() - age);

    apply(methods({two_, one_}), "c");

    auto const now = fs::file_time_type::clock::now() - fs::last_write_time(backup);
    EXPECT_GE(now, age) << "it is removed when it is old, whenever its key was changed";
    EXPECT_LT(now, age + std::chrono::hours(1));
}

TEST_F(EncryptedStore, DoesNotChangeABackupThatIsDamaged)
{
    apply(methods({one_}), "a");
    apply(methods({one_}), "b");
    ASSERT_EQ(backups().size(), 1U);
    fs::path const backup = backups().front();
    iacctl::state::test::execute(backup, "UPDATE resource SET attributes = x'00'");
    std::string const before = read_text(backup);

    auto const after = apply(methods({two_, one_}), "c");

    EXPECT_EQ(read_text(backup), before);
    for (auto const& file : fs::directory_iterator(place_.workspace() / "backups"))
        EXPECT_FALSE(file.path().filename().string().starts_with(".")) << "no draft remains: " << file.path();
    EXPECT_EQ(*read(methods({two_})), after);
}

TEST_F(EncryptedStore, DoesNotReplaceARecordThatIsDamagedWhileACommandRuns)
{
    auto const with = methods({one_});
    apply(with, "a");
    auto to = store(with);
    auto s = *to.read_now();
    ASSERT_TRUE(to.begin_generation("apply"));
    execute("UPDATE resource SET attributes = x'00'");
    entry const e = entry::record({"terraform_data", "a"}, {}, some_object("changed"));
    ASSERT_TRUE(replay(s, e));

    auto const refused = to.append_now(std::vector<entry>{e}, s);

    EXPECT_EQ(kind_of_result(refused), state_error::not_saved) << error_text(refused);
    EXPECT_NE(error_text(refused).find("terraform_data.a"), std::string::npos) << error_text(refused);
    EXPECT_EQ(store(with, open_mode::read_only).entries_after(0)->size(), 4U);
}

TEST_F(EncryptedStore, IsDecryptedByTheNextWriterIfTheMethodIsUnencrypted)
{
    apply(methods({one_}), "a");
    auto const after = apply(methods({none_, one_}), "b");

    EXPECT_EQ(*read(nullptr), after);
}

TEST_F(EncryptedStore, RejectsRecordsThatAreSwapped)
{
    auto const with = methods({one_});
    apply(with, "a");
    apply(with, "b");
    execute("UPDATE resource SET attributes = (SELECT attributes FROM resource o WHERE o.number <> resource.number)");
    auto const swapped = read(with);
    forge_checksums();
    auto const forged = read(with);

    EXPECT_EQ(kind_of_result(swapped), state_error::damaged) << error_text(swapped);
    EXPECT_FALSE(forged) << "nobody without the key can make these checksums";
}

TEST_F(EncryptedStore, RejectsEarlierRowsWithMatchingChecksums)
{
    auto const with = methods({one_});
    apply(with, "a");
    fs::copy(place_.database(), keys_.path() / "earlier.db");
    {
        auto to = store(with);
        auto s = *to.read_now();
        ASSERT_TRUE(to.begin_generation("apply"));
        entry const e = entry::record({"terraform_data", "a"}, {}, some_object("changed"));
        ASSERT_TRUE(replay(s, e));
        ASSERT_TRUE(to.append_now(std::vector<entry>{e}, s));
        ASSERT_TRUE(to.end_generation("complete"));
    }
    execute("ATTACH '" + (keys_.path() / "earlier.db").string()
        + "' AS earlier; DELETE FROM resource; INSERT INTO resource SELECT * FROM earlier.resource;");
    forge_checksums();

    EXPECT_THAT(codes_of(read(with)), testing::ElementsAre("decryption_failed"));
}

TEST_F(EncryptedStore, RejectsEntriesThatAreSwappedWithMatchingChecksums)
{
    auto const with = methods({one_});
    apply(with, "a");
    {
        sqlite_database db(place_.database(), open_mode::read_write);
        field_hasher hasher;
        std::vector<std::pair<std::string, digest>> swapped;
        for (std::int64_t const from : {2, 1}) {
            statement theirs = db.prepare("SELECT document FROM entry WHERE sequence = ?");
            ASSERT_TRUE(theirs.bind(from).step());
            std::string document(theirs.text(0));
            statement at = db.prepare("SELECT sequence, generation, epoch, time FROM entry WHERE sequence = ?");
            ASSERT_TRUE(at.bind(3 - from).step());
            digest const hash =
                entry_hash(hasher, at.integer(0), at.integer(1), at.integer(2), at.integer(3), document);
            swapped.emplace_back(std::move(document), hash);
        }
        for (std::size_t i = 0; i < swapped.size(); ++i)
            db.prepare("UPDATE entry SET document = ?, sha256 = ? WHERE sequence = ?")
                .bind(stored_text{swapped[i].first, true})
                .bind(swapped[i].second)
                .bind(static_cast<std::int64_t>(i + 1))
                .run();
    }

    auto const found = store(with, open_mode::read_only).verify();

    ASSERT_TRUE(found) << error_text(found);
    EXPECT_FALSE(found->passed());
    ASSERT_EQ(found->problems.size(), 2U);
    for (infra::diagnostic const& d : found->problems) EXPECT_EQ(d.code, "state_history_damaged");
}

TEST_F(EncryptedStore, CanBeSalvagedAfterDamage)
{
    auto const with = methods({one_});
    apply(with, "a");
    auto const s = apply(with, "b");
    execute("UPDATE resource SET attributes = x'00' WHERE address = 'terraform_data.a'");
    workspace_files const files(place_.workspace(), with);

    auto const done = sqlite_store(files, open_mode::read_write).salvage(salvage_source::replay);

    ASSERT_TRUE(done) << error_text(done);
    auto const now = read(with);
    ASSERT_TRUE(now) << error_text(now);
    EXPECT_EQ(now->resources, s.resources);
    EXPECT_THAT(files_with_secret(), testing::IsEmpty());
}

TEST_F(EncryptedStore, WritesRescueCopiesThatItsKeyDecrypts)
{
    auto const with = methods({one_});
    auto const s = apply(with, "a");
    rescue_places places;
    places.workspace_directory = place_.workspace();
    places.output = -1;
    places.encryption = with.get();

    auto const copy = write_rescue(s, places, "no reason");

    ASSERT_EQ(copy.place, rescue_copy::place_type::file);
    EXPECT_THAT(files_with_secret(), testing::IsEmpty());
    auto const back = from_sealed_v4(read_text(copy.file), *with, "the file");
    ASSERT_TRUE(back) << error_text(back);
    EXPECT_EQ(back->resources.size(), 1U);
    EXPECT_THAT(codes_of(from_sealed_v4(read_text(copy.file), *methods({two_}), "the file")),
        testing::ElementsAre("decryption_failed"));
    EXPECT_THAT(codes_of(from_sealed_v4(read_text(copy.file), *methods({none_}), "the file")),
        testing::ElementsAre("encryption_not_configured"));
}

TEST_F(EncryptedStore, RejectsAnEncryptedStateWithAnotherSerial)
{
    auto const with = methods({one_});
    infra::snapshot s;
    s.serial = 7;
    s.lineage = "0b8c35d2-6e3f-4f4e-9d2c-3a0c4c8a7f11";
    auto sealed = seal_v4(to_v4(s, "1.11.4"), s, *with);
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->find("{\"serial\":7,\"lineage\":\"0b8c35d2"), 0U);
    sealed->replace(sealed->find('7'), 1, "9");

    EXPECT_THAT(codes_of(from_sealed_v4(*sealed, *with, "the file")), testing::ElementsAre("state_file_relabelled"));
}

}  // namespace
