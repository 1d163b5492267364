// SPDX-License-Identifier: BSL-1.0
// Conversions of whole databases: to the current format, and to another key.
#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// Inside a transaction. \throws overtaken_error if the database has another row than `meta`
void upgrade_tables(sqlite_database& db, meta_row& meta, field_hasher& hasher)
{
    meta_row next = meta;
    next.format = format_version;
    digest const before = meta.hash(hasher);
    digest const hash = next.hash(hasher);
    if (meta.format < first_format_with_encryption) db.execute(add_encryption_sql);
    statement put = db.prepare("UPDATE meta SET format = ?, sha256 = ? WHERE one = 1 AND sha256 = ?");
    if (put.bind(next.format).bind(hash).bind(before).run() != 1) throw overtaken_error();
    if (meta.format < 2) {
        db.execute(set_aside_objects_of_format_1_sql);
        db.execute(sqlite_object_tables());
        db.execute(take_over_objects_of_format_1_sql);
    }
    db.execute("PRAGMA user_version = " + std::to_string(format_version));
    meta = std::move(next);
}

// Decrypts records with one cipher and encrypts them with another.
class converter {
public:
    converter(database& db, field_hasher& hasher, record_cipher const& from, record_cipher const& to, content_sum sum)
        : db_(&db),
          hasher_(&hasher),
          from_(&from),
          to_(&to),
          sum_(sum)
    {}

    // Inside a transaction. \throws database_error if a record cannot be decrypted
    auto run() -> content_sum
    {
        resources();
        named("output", "name", record_place::output, output_hash);
        named("pending", "operation", record_place::pending, pending_hash);
        entries();
        return sum_;
    }

private:
    struct row {
        std::int64_t number;
        std::string name;
        std::string deposed;
        std::int64_t numbers[3];
        std::string text[2];
        digest hash;
    };
    static constexpr std::size_t at_once = 256;

    template <class Place>
    auto converted(std::string const& stored, Place const& place) -> std::string
    {
        auto text = from_->open(stored, place);
        if (!text) throw sqlite_error(11, "a record cannot be decrypted");  // SQLITE_CORRUPT
        return to_->sealed(std::move(*text), place);
    }
    void resources()
    {
        using part = record_place::part_type;
        statement read = db_->prepare("SELECT number, address, deposed, position, deleted, attributes, document, sha256"
                                      " FROM resource WHERE number > ? ORDER BY 1 LIMIT 256");
        statement put = db_->prepare("UPDATE resource SET attributes = ?, document = ?, sha256 = ? WHERE number = ?");
        for (std::int64_t last = -1;;) {
            std::vector<row> rows;
            read.bind(last);
            while (read.step())
                rows.push_back({read.integer(0), std::string(read.text(1)), std::string(read.text(2)),
                    {read.integer(3), read.integer(4), 0}, {std::string(read.text(5)), std::string(read.text(6))},
                    read.hash(7)});
            for (row& r : rows) {
                bool const deleted = r.numbers[1] != 0;
                auto const at = [&](part which) {
                    return
                        [&, which] { return record_place::resource(which, r.name, r.deposed, r.numbers[0], deleted); };
                };
                r.text[0] = converted(r.text[0], at(part::attributes));
                r.text[1] = converted(r.text[1], at(part::document));
                digest const hash =
                    resource_hash(*hasher_, r.name, r.deposed, r.numbers[0], deleted, r.text[0], r.text[1]);
                put.bind(stored(r.text[0])).bind(stored(r.text[1])).bind(hash).bind(r.number).run();
                replace(r.hash, hash);
            }
            if (rows.size() < at_once) return;
            last = rows.back().number;
        }
    }
    template <class Place, class Hash>
    void named(std::string const& table, std::string const& column, Place const& place_of, Hash const& hash_of)
    {
        statement read = db_->prepare("SELECT " + column + ", document, sha256 FROM " + table);
        std::vector<row> rows;
        while (read.step())
            rows.push_back({0, std::string(read.text(0)), {}, {}, {std::string(read.text(1)), {}}, read.hash(2)});
        statement put = db_->prepare("UPDATE " + table + " SET document = ?, sha256 = ? WHERE " + column + " = ?");
        for (row& r : rows) {
            r.text[0] = converted(r.text[0], [&] { return place_of(r.name); });
            digest const hash = hash_of(*hasher_, r.name, r.text[0]);
            put.bind(stored(r.text[0])).bind(hash).bind(r.name).run();
            replace(r.hash, hash);
        }
    }
    void entries()
    {
        statement read = db_->prepare("SELECT sequence, generation, epoch, time, document FROM entry"
                                      " WHERE sequence > ? ORDER BY 1 LIMIT 256");
        statement put = db_->prepare("UPDATE entry SET document = ?, sha256 = ? WHERE sequence = ?");
        for (std::int64_t last = 0;;) {
            std::vector<row> rows;
            read.bind(last);
            while (read.step())
                rows.push_back({read.integer(0), {}, {}, {read.integer(1), read.integer(2), read.integer(3)},
                    {std::string(read.text(4)), {}}, {}});
            for (row& r : rows) {
                auto const& n = r.numbers;
                r.text[0] = converted(r.text[0], [&] { return record_place::entry(r.number, n[0], n[1], n[2]); });
                digest const hash = entry_hash(*hasher_, r.number, n[0], n[1], n[2], r.text[0]);
                put.bind(stored(r.text[0])).bind(hash).bind(r.number).run();
            }
            if (rows.size() < at_once) return;
            last = rows.back().number;
        }
    }
    [[nodiscard]] auto stored(std::string const& text) const -> stored_text { return {text, to_->seals()}; }
    void replace(digest const& before, digest const& now)
    {
        sum_.subtract(before);
        sum_.add(now);
    }

    database* db_;
    field_hasher* hasher_;
    record_cipher const* from_;
    record_cipher const* to_;
    content_sum sum_;
};

// Inside a transaction. \throws overtaken_error if the database has another row than `meta`
void convert(
    database& db, meta_row& meta, field_hasher& hasher, record_cipher const& from, encryption::ready_method const& to)
{
    record_cipher const cipher = to.cipher ? record_cipher(*to.cipher) : record_cipher();
    meta_row next = meta;
    next.content = converter(db, hasher, from, cipher, meta.content).run();
    next.encryption = to.cipher ? to.metadata : std::string();
    digest const before = meta.hash(hasher);
    digest const sum = next.content.bytes();
    digest const hash = next.hash(hasher);
    next.seal.clear();
    if (to.cipher) next.seal = to.cipher->seal({}, record_place::header(hash).bytes());
    statement put =
        db.prepare("UPDATE meta SET content = ?, sha256 = ?, encryption = ?, seal = ? WHERE one = 1 AND sha256 = ?");
    put.bind(sum).bind(hash).bind(next.encryption).bind(stored_text{next.seal, true}).bind(before);
    if (put.run() != 1) throw overtaken_error();
    meta = std::move(next);
}

auto is_converted(meta_row const& meta, field_hasher& hasher, encryption::ready_method const& to) -> bool
{
    if (!to.cipher || meta.encryption.empty()) return !to.cipher && meta.encryption.empty();
    digest const hash = meta.hash(hasher);
    return meta.encryption == to.metadata && to.cipher->open(meta.seal, record_place::header(hash).bytes());
}

// Replaces a backup with another key by a converted one. A backup that cannot be decrypted is not changed.
void convert_backup(fs::path const& file, workspace_files const& files, encryption::ready_method const& to)
{
    field_hasher hasher;
    fs::path const draft = files.backups() / (".draft-" + random_hex(8));
    std::error_code ignored;
    try {
        {
            sqlite_database source(file, open_mode::read_only);
            source.preserve();
            auto const header = check_header(source, files, hasher);
            if (!header || is_converted(*header, hasher, to)) return;
            source.copy_to(draft);
        }
        {
            sqlite_database copy(draft, open_mode::read_write);
            auto meta = check_header(copy, files, hasher);
            auto key = meta ? find_key(*meta, files, hasher) : expected<record_key>(meta.error());
            if (key) {
                copy.execute("PRAGMA secure_delete = ON");
                transaction writing(copy, database::purpose::writing);
                if (meta->format < format_version) upgrade_tables(copy, *meta, hasher);
                convert(copy, *meta, hasher, key->cipher, to);
                writing.commit();
                copy.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
            }
            if (!key) {
                fs::remove(draft, ignored);
                return;
            }
        }
        auto const written = fs::last_write_time(file);
        throw_on(sync_file(draft));
        fs::last_write_time(draft, written);
        fs::rename(draft, file);
    } catch (database_error const& error) {
        for (char const* suffix : {"", "-wal", "-shm"}) fs::remove(draft.string() + suffix, ignored);
        if (!error.is_damage()) throw;
    }
}

}  // namespace

void sqlite_store::impl::upgrade()
{
    std::int64_t const format = db->pragma("user_version");
    if (format == format_version) return;
    if (meta.sequence > 0) {
        back_up(now_ms());
        backed_up = true;
    }
    // The mark is created first: the format of the database implies that there is one.
    if (format < first_format_with_mark) {
        throw_on(commit_mark::make(files.mark(), meta.point()));
        throw_on(sync_directory(files.directory()));
        files.protect();
    }
    transaction writing(*db, database::purpose::writing);
    meta_row next = meta;
    upgrade_tables(*db, next, hasher);
    writing.commit();
    meta = std::move(next);
}

auto sqlite_store::impl::change_key() -> expected<void>
{
    auto const to = files.encryption().to_seal();
    if (!to) return to.error();
    // Backups are converted first: an interrupted conversion is repeated as long as the database has another key.
    std::vector<fs::path> backups;
    std::error_code error;
    for (fs::directory_iterator it(files.backups(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".db") backups.push_back(it->path());
    for (fs::path const& one : backups) convert_backup(one, files, *to);
    throw_on(sync_directory(files.backups()));
    // Free pages and the log contain old records.
    db->execute("VACUUM; PRAGMA secure_delete = ON;");
    {
        transaction writing(*db, database::purpose::writing);
        meta_row next = meta;
        convert(*db, next, hasher, key.cipher, *to);
        writing.commit();
        meta = std::move(next);
    }
    key = {to->cipher ? record_cipher(*to->cipher) : record_cipher(), meta.encryption, true};
    empty_log();
    return {};
}

}  // namespace iacctl::state
