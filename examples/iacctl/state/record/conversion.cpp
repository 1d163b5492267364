// SPDX-License-Identifier: BSL-1.0
// Conversions of whole databases: to the current format, and to another key.
#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "key_change.hpp"
#include "store_impl.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// Without encryption, texts are stored as text.
void write_records(database& db, bool sealed, sealed_table const& table, std::span<sealed_record const> some)
{
    std::string sql = "UPDATE " + std::string(table.name) + " SET ";
    for (std::string_view const column : table.texts) sql.append(column).append(" = ?, ");
    sql += "sha256 = ? WHERE TRUE";
    if (!table.number.empty()) sql.append(" AND ").append(table.number).append(" = ?");
    else
        for (std::string_view const column : table.names) sql.append(" AND ").append(column).append(" = ?");
    statement put = db.prepare(sql);
    for (sealed_record const& r : some) {
        for (std::string const& text : r.texts) put.bind(stored_text{text, sealed});
        put.bind(r.hash);
        if (!table.number.empty()) put.bind(r.number);
        else
            for (std::string const& name : r.names) put.bind(std::string_view(name));
        put.run();
    }
}

// Inside a transaction. \throws overtaken_error if the database has another row than `meta`
auto convert(database& db, state_site const& site, meta_row& meta, field_hasher& hasher, record_cipher const& from,
    encryption::ready_method const& to) -> expected<void>
{
    record_cipher const cipher = to.cipher ? record_cipher(*to.cipher) : record_cipher();
    auto const write = [&](sealed_table const& table, std::span<sealed_record const> some) {
        write_records(db, cipher.seals(), table, some);
    };
    meta_row next = meta;
    if (auto const ok = reseal_records(db, site, from, cipher, next.content, write); !ok) return ok.error();
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
    return {};
}

auto is_converted(meta_row const& meta, field_hasher& hasher, encryption::ready_method const& to) -> bool
{
    if (!to.cipher || meta.encryption.empty()) return !to.cipher && meta.encryption.empty();
    digest const hash = meta.hash(hasher);
    return meta.encryption == to.metadata && to.cipher->open(meta.seal, record_place::header(hash).bytes());
}

// Copies a backup with another key. Returns its header; nothing if it is damaged or needs no conversion.
auto copy_unconverted(fs::path const& file, fs::path const& draft, workspace_files const& files, field_hasher& hasher,
    encryption::ready_method const& to) -> std::optional<meta_row>
{
    sqlite_database source(file, open_mode::read_only);
    source.preserve();
    auto header = check_header(source, files, hasher);
    if (!header || is_converted(*header, hasher, to)) return std::nullopt;
    source.copy_to(draft);
    return std::move(*header);
}

// Converts a copy of a backup with that header. Returns false if it is damaged or cannot be decrypted.
auto convert_copy(fs::path const& draft, meta_row meta, workspace_files const& files, field_hasher& hasher,
    encryption::ready_method const& to) -> bool
{
    auto const key = find_key(meta, files, hasher);
    if (!key) return false;
    sqlite_database copy(draft, open_mode::read_write);
    transaction writing(copy, database::purpose::writing);
    if (meta.format < format_version) upgrade_tables(copy, meta, hasher);
    if (!convert(copy, files.site(), meta, hasher, key->cipher, to)) return false;
    writing.commit();
    // VACUUM writes all pages anew: none has parts of the old records.
    copy.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    return true;
}

// Replaces a backup with another key by a converted one. One that is damaged or cannot be decrypted is not changed.
void convert_backup(fs::path const& file, workspace_files const& files, encryption::ready_method const& to)
{
    field_hasher hasher;
    fs::path const draft = files.backups() / (".draft-" + random_hex(8));
    auto const drop_draft = [&] {
        std::error_code ignored;
        for (char const* suffix : {"", "-wal", "-shm"}) fs::remove(draft.string() + suffix, ignored);
    };
    try {
        auto copied = copy_unconverted(file, draft, files, hasher, to);
        if (!copied) return;
        if (!convert_copy(draft, std::move(*copied), files, hasher, to)) return drop_draft();
        auto const written = fs::last_write_time(file);
        throw_on(sync_file(draft));
        fs::last_write_time(draft, written);
        fs::rename(draft, file);
    } catch (database_error const& error) {
        drop_draft();
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
        if (auto const ok = convert(*db, files.site(), next, hasher, key.cipher, *to); !ok) return ok.error();
        writing.commit();
        meta = std::move(next);
    }
    key = {to->cipher ? record_cipher(*to->cipher) : record_cipher(), meta.encryption, true};
    empty_log();
    return {};
}

}  // namespace iacctl::state
