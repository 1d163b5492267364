// SPDX-License-Identifier: BSL-1.0
#include "sqlite_store.hpp"
#include "state/stored_name.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "state/check_merge.hpp"
#include "state/part_locks.hpp"
#include "state/record_text.hpp"
#include "store_impl.hpp"
#include "wal_check.hpp"
#include "workspace_lock.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace iacctl::state {

row_index::row_index(database& db)
{
    statement rows = db.prepare("SELECT number, address, deposed FROM resource");
    while (rows.step()) {
        places_[std::string(rows.text(1))].push_back({std::string(rows.text(2)), rows.integer(0)});
        last_ = std::max(last_, rows.integer(0));
    }
}

sqlite_store::impl::statements::statements(database& db)
    : add_entry(db.prepare("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      find_resource(
          db.prepare("SELECT deleted, attributes, document, sha256, position FROM resource WHERE number = ?")),
      put_resource(db.prepare("INSERT OR REPLACE INTO resource VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
      add_set(db.prepare("INSERT INTO dependency_set (id, document, sha256) VALUES (?, ?, ?)")),
      find_output(db.prepare("SELECT document, sha256 FROM output WHERE name = ?")),
      put_output(db.prepare("INSERT OR REPLACE INTO output VALUES (?, ?, ?)")),
      drop_output(db.prepare("DELETE FROM output WHERE name = ?")),
      find_pending(db.prepare("SELECT document, sha256 FROM pending WHERE operation = ?")),
      put_pending(db.prepare("INSERT OR REPLACE INTO pending VALUES (?, ?, ?)")),
      drop_pending(db.prepare("DELETE FROM pending WHERE operation = ?")),
      find_meta(db.prepare("SELECT sha256 FROM meta WHERE one = 1")),
      put_meta(db.prepare("UPDATE meta SET lineage = ?, serial = ?, epoch = ?, generation = ?, sequence = ?,"
                          " content = ?, sha256 = ?, seal = ? WHERE one = 1 AND sha256 = ?")),
      find_addresses(db.prepare("SELECT address FROM entry WHERE sequence > ?"))
{}

namespace {

[[noreturn]] void throw_damaged_record(std::string const& name)
{
    constexpr int corrupt = 11;  // SQLITE_CORRUPT
    throw sqlite_error(corrupt, "the record of " + name + " is not what was written");
}

}  // namespace

auto sqlite_store::impl::open() -> expected<void>
{
    if (db) return {};
    auto const found = files.look();
    if (!found) return found.error();
    if (*found == workspace_files::condition::lost) return files.lost_database();
    if (*found == workspace_files::condition::never_made) return {};
    // The mark is read before the database: the commit in the mark was durable at that time, whichever process writes
    // in the meantime.
    auto const noted = commit_mark::read(files.mark());
    if (!noted) return noted.error();
    if (auto const broken = find_wal_damage(files.log()))
        return make_failure(messages::state_log_damaged,
            {files.database().string(), files.log().string(), *broken, continuation_advice(files)});
    try {
        sqlite_database opened(files.database(), mode);
        // Only a process that writes the log again may copy it into the database: see `rewrite_log`.
        if (has_log()) opened.preserve();
        auto header = check_header(opened, files, hasher);
        if (header)
            if (auto const marked = check_mark(*header, *noted, files); !marked) header = marked.error();
        if (!header) {
            opened.preserve();
            return header.error();
        }
        meta = std::move(*header);
        serial = static_cast<std::uint64_t>(meta.serial);
        db.emplace(std::move(opened));
        db->watch_log(log_pages);
        return {};
    } catch (database_error const& error) {
        return read_failure(files, error);
    }
}

auto sqlite_store::impl::connect() -> expected<void>
{
    if (auto const ok = open(); !ok) return ok.error();
    if (!db || has_key) return {};
    auto found = find_key(meta, files, hasher);
    if (!found) return found.error();
    key = std::move(*found);
    has_key = true;
    return {};
}

auto sqlite_store::impl::make_ready() -> expected<void>
{
    if (mode == open_mode::read_only) return make_failure(messages::state_is_read_only, {files.database().string()});
    if (!db)
        if (auto const ok = files.make(); !ok) return ok.error();
    if (auto const ok = connect(); !ok) return ok.error();
    if (prepared) return {};
    try {
        // A process that was killed may have created these names without synchronizing them.
        std::filesystem::path above = files.directory();
        for (int level = 0; level < 3; ++level, above = above.parent_path())
            throw_on(sync_directory(above.empty() ? std::filesystem::path(".") : above));
        if (has_log()) {
            db->rewrite_log(files.log());
            db->preserve(false);
        }
        bool const is_of_today = db->pragma("user_version") == format_version && key.is_current;
        if (!is_of_today && !is_alone()) return lock_failure(files.directory());
        upgrade();
        prepared.emplace(*db);
        throw_on(mark.open(files.mark()));
        return key.is_current ? expected<void>() : change_key();
    } catch (database_error const& error) {
        return read_failure(files, error);
    } catch (std::system_error const& error) {
        return make_failure(messages::state_not_writable, {files.mark().string(), error.code().message()});
    } catch (overtaken_error const&) {
        return make_failure(messages::state_overtaken, {files.database().string()});
    }
}

auto sqlite_store::impl::has_log() const -> bool
{
    std::error_code missing;
    auto const size = std::filesystem::file_size(files.log(), missing);
    return !missing && size > 0;
}

auto sqlite_store::impl::is_shared() const -> bool
{
    auto const held = lock.lock();
    return held && held->is_of_parts();
}

auto sqlite_store::impl::is_alone() const -> bool
{
    return locks_of_others(files.directory(), lock.lock().get()).empty();
}

void sqlite_store::impl::catch_up()
{
    digest const expected = meta.hash(hasher);
    bool const same = prepared->find_meta.step() && prepared->find_meta.hash(0) == expected;
    prepared->find_meta.reset();
    if (same) return;
    auto now = is_shared() ? meta_row::read(*db, hasher) : std::nullopt;
    bool const same_state = now && now->encryption == meta.encryption
        && (meta.lineage.empty() || now->lineage == meta.lineage) && now->sequence >= meta.sequence;
    if (!same_state) throw overtaken_error();
    digest const hash = now->hash(hasher);
    if (!key.cipher.open(now->seal, [&] { return record_place::header(hash); })) throw overtaken_error();

    prepared->find_addresses.bind(meta.sequence);
    while (prepared->find_addresses.step()) written_by_others.emplace(prepared->find_addresses.text(0));
    meta = std::move(*now);
    if (own_epoch == 0) {
        // A process that was the only one until then may have removed unreferenced sets.
        sets.clear();
        last_set = 0;
        index.reset();
    }
    sets_known = false;
    if (index) {
        statement last = db->prepare("SELECT max(number) FROM resource");
        if (last.step()) index->raise(last.integer(0));
    }
}

void sqlite_store::impl::commit(transaction& writing, meta_row next)
{
    digest const before = meta.hash(hasher);
    digest const sum = next.content.bytes();
    digest const hash = next.hash(hasher);
    prepared->put_meta.bind(next.lineage).bind(next.serial).bind(next.epoch).bind(next.generation).bind(next.sequence);
    std::string sealed;
    std::string_view const nothing;
    next.seal = key.cipher.seal(nothing, [&] { return record_place::header(hash); }, sealed).bytes;
    prepared->put_meta.bind(sum).bind(hash).bind(stored_text{next.seal, true});
    if (prepared->put_meta.bind(before).run() != 1) throw overtaken_error();
    writing.commit();
    meta = std::move(next);
    // The mark is raised only now, because it must not be ahead of the durable commits.
    throw_on(mark.raise(meta.point()));
}

void sqlite_store::impl::write_resource(
    infra::address const& target, std::int64_t position, infra::snapshot const& after)
{
    std::string const name = stored_name(target);
    if (written_by_others.contains(name)) throw overtaken_error();
    infra::resource_record const* const record = after.find(target);
    auto const object_at = [&](std::string const& deposed) -> infra::object const* {
        if (record == nullptr) return nullptr;
        if (deposed.empty()) return record->current ? &*record->current : nullptr;
        auto const found = record->deposed.find(deposed);
        return found == record->deposed.end() ? nullptr : &found->second;
    };
    auto const put = [&](row_index::place const& place, bool deleted, std::string_view attributes,
                         std::string_view document) {
        using part = record_place::part_type;
        std::string sealed[2];
        auto const at = [&](part which) {
            return record_place::resource(which, name, place.deposed, position, deleted);
        };
        stored_text const values = key.cipher.seal(attributes, [&] { return at(part::attributes); }, sealed[0]);
        stored_text const rest = key.cipher.seal(document, [&] { return at(part::document); }, sealed[1]);
        digest const hash = resource_hash(hasher, name, place.deposed, position, deleted, values.bytes, rest.bytes);
        auto& row = prepared->put_resource.bind(place.number).bind(name).bind(place.deposed).bind(position);
        row.bind(std::int64_t{deleted ? 1 : 0}).bind(values).bind(rest).bind(hash).run();
        sum_.add(hash);
    };

    std::vector<row_index::place>& places = index->of(name);
    for (row_index::place const& place : places) {
        statement& row = prepared->find_resource;
        if (!row.bind(place.number).step())
            throw overtaken_error();  // another process has removed a row that this store knows
        bool const deleted = row.integer(0) != 0;
        using part = record_place::part_type;
        std::int64_t const written_at = row.integer(4);
        auto const opened = [&](part which, int column) {
            auto text = key.cipher.open(row.text(column),
                [&] { return record_place::resource(which, name, place.deposed, written_at, deleted); });
            if (!text) throw_damaged_record(name);
            return std::move(*text);
        };
        std::string const attributes = opened(part::attributes, 1);
        std::string const document = opened(part::document, 2);
        digest const hash = row.hash(3);
        row.reset();

        infra::object const* const now = object_at(place.deposed);
        std::string const text = now == nullptr ? document : text_of(*now);
        std::string const& values = now == nullptr ? attributes : now->attributes.text();
        // A deleted row is only marked. The end of the generation removes it if nothing depends on it any more.
        bool const gone = now == nullptr;
        if (deleted == gone && attributes == values && document == text) continue;
        sum_.subtract(hash);
        put(place, gone, values, text);
    }
    auto const add_if_new = [&](std::string const& deposed, infra::object const& object) {
        if (std::any_of(places.begin(), places.end(), [&](auto const& place) { return place.deposed == deposed; }))
            return;
        put(places.emplace_back(row_index::place{deposed, index->next()}), false, object.attributes.text(),
            text_of(object));
    };
    if (record == nullptr) return;
    if (record->current) add_if_new({}, *record->current);
    for (auto const& [deposed, object] : record->deposed) add_if_new(deposed, object);
}

auto sqlite_store::impl::read_new_sets() -> expected<void>
{
    if (sets_known) return {};
    content_sum ignored;
    for (std::string const& id : read_dependency_sets(*db, hasher, sets, ignored, last_set)) {
        last_set = 0;
        return infra::failure(damaged_record(files.site(), "set of dependencies", id));
    }
    sets_known = true;
    return {};
}

void sqlite_store::impl::write_sets(infra::journal_entry const& entry)
{
    if (!entry.result()) return;
    sets.add(entry.result()->dependencies, [&](std::string const& id, std::string const& document) {
        digest const hash = dependency_set_hash(hasher, id, document);
        prepared->add_set.bind(id).bind(document).bind(hash).run();
        sum_.add(hash);
    });
}

auto sqlite_store::impl::merged_checks(infra::document const& own) -> infra::document
{
    statement& row = prepared->find_output;
    if (!row.bind(std::string_view()).step()) return merge_checks(checks, own, {});
    auto const document = key.cipher.open(row.text(0), [] { return record_place::output({}); });
    auto saved = document ? read_output(*document) : std::nullopt;
    row.reset();
    return saved ? merge_checks(checks, own, saved->value) : own;
}

void sqlite_store::impl::write_output(std::string const& name, std::optional<std::string> const& text)
{
    if (prepared->find_output.bind(name).step()) {
        sum_.subtract(prepared->find_output.hash(1));
        prepared->find_output.reset();
    }
    if (!text) {
        prepared->drop_output.bind(name).run();
        return;
    }
    std::string sealed;
    stored_text const document = key.cipher.seal(*text, [&] { return record_place::output(name); }, sealed);
    digest const hash = output_hash(hasher, name, document.bytes);
    prepared->put_output.bind(name).bind(document).bind(hash).run();
    sum_.add(hash);
}

void sqlite_store::impl::write_pending(std::string const& name, std::optional<std::string> const& text)
{
    if (prepared->find_pending.bind(name).step()) {
        sum_.subtract(prepared->find_pending.hash(1));
        prepared->find_pending.reset();
    }
    if (!text) {
        prepared->drop_pending.bind(name).run();
        return;
    }
    std::string sealed;
    stored_text const document = key.cipher.seal(*text, [&] { return record_place::pending(name); }, sealed);
    digest const hash = pending_hash(hasher, name, document.bytes);
    prepared->put_pending.bind(name).bind(document).bind(hash).run();
    sum_.add(hash);
}

auto sqlite_store::impl::write(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> expected<void>
{
    transaction writing(*db, database::purpose::writing);
    catch_up();
    if (auto const ok = read_new_sets(); !ok) return ok.error();
    meta_row next = meta;
    if (own_epoch == 0) ++next.epoch;
    std::int64_t const epoch = own_epoch == 0 ? next.epoch : own_epoch;
    std::int64_t const number = generation == 0 ? next.generation : generation;
    if (next.lineage.empty()) next.lineage = after.lineage.empty() ? random_uuid() : after.lineage;
    // `after` counts the changes of this store since it has read.
    next.serial += static_cast<std::int64_t>(after.serial - serial);
    sum_ = meta.content;
    if (!index) index.emplace(*db);
    record_changes const changes = changes_of(batch, has_checks(batch) ? merged_checks(after.checks) : after.checks);
    std::int64_t const now = now_ms();
    std::string sealed;
    for (written_entry const& e : changes.entries) {
        ++next.sequence;
        write_sets(*e.source);
        stored_text const document =
            key.cipher.seal(e.document, [&] { return record_place::entry(next.sequence, number, epoch, now); }, sealed);
        digest const hash = entry_hash(hasher, next.sequence, number, epoch, now, document.bytes);
        auto& add = prepared->add_entry.bind(next.sequence).bind(number).bind(epoch).bind(now);
        add.bind(to_string(e.source->kind())).bind(e.address).bind(e.operation).bind(document).bind(hash).run();
    }
    std::int64_t const first = meta.sequence + 1;
    for (auto const& [target, touched] : changes.addresses)
        write_resource(target, first + static_cast<std::int64_t>(touched.last), after);
    for (std::string const& name : changes.outputs) write_output(name, changes.output(name, after));
    for (touched_operation const& operation : changes.operations)
        write_pending(operation.name, record_changes::pending(operation, after));
    next.content = sum_;
    attempted = next.content_id();
    commit(writing, std::move(next));
    own_epoch = epoch;
    if (has_checks(batch)) checks = changes.checks;
    return {};
}

sqlite_store::sqlite_store(std::unique_ptr<impl> made)
    : record_store(std::move(made)),
      impl_(static_cast<impl*>(&data()))
{}

sqlite_store::sqlite_store(std::filesystem::path workspace_directory, open_mode mode)
    : sqlite_store(workspace_files(workspace_directory.filename().empty() ? workspace_directory.parent_path()
                                                                          : workspace_directory),
          mode)
{}

sqlite_store::sqlite_store(workspace_files files, open_mode mode, std::weak_ptr<workspace_lock const> lock)
    : sqlite_store(std::make_unique<impl>(std::move(files), mode, std::move(lock)))
{}

auto sqlite_store::open(std::filesystem::path workspace_directory, open_mode mode) -> expected<sqlite_store>
{
    sqlite_store store(std::move(workspace_directory), mode);
    if (auto const ok = store.impl_->connect(); !ok) return ok.error();
    return store;
}

sqlite_store::sqlite_store(sqlite_store&&) noexcept = default;
auto sqlite_store::operator=(sqlite_store&&) noexcept -> sqlite_store& = default;
sqlite_store::~sqlite_store() = default;

auto sqlite_store::site() const -> state_site
{
    return impl_->files.site();
}

auto sqlite_store::thread() -> store_thread&
{
    return impl_->disk;
}

auto sqlite_store::load() -> expected<std::optional<state_records>>
{
    if (auto const ok = impl_->connect(); !ok) return ok.error();
    if (!impl_->db) return std::optional<state_records>();
    try {
        auto content = read_state(*impl_->db, impl_->files, impl_->hasher);
        if (!content) {
            impl_->db->preserve();
            return content.error();
        }
        impl_->meta = std::move(content->meta);
        impl_->last_set = content->last_set;
        impl_->sets_known = true;
        impl_->written_by_others.clear();
        impl_->records = std::move(content->versions);
        impl_->records_of = impl_->meta.hash(impl_->hasher);
        impl_->has_versions = false;
        impl_->observed_record = content->rows == 0 ? 0 : content->bytes / content->rows;
        impl_->largest_record = content->largest;
        return std::optional<state_records>(std::move(*content));
    } catch (database_error const&) {
        impl_->db->preserve();
        throw;
    }
}

auto sqlite_store::view(view_work const& work) -> expected<void>
{
    if (auto const ok = impl_->connect(); !ok) return ok.error();
    if (!impl_->db) return {};
    try {
        transaction reading(*impl_->db, database::purpose::reading);
        state_records content;
        content.key = impl_->key;
        content.snapshot.lineage = impl_->meta.lineage;
        content.snapshot.serial = impl_->serial;
        work(*impl_->db, content);
        return {};
    } catch (database_error const&) {
        return explain(stage::reading);
    }
}

auto sqlite_store::view_without_key(std::function<void(database&)> const& work) -> expected<void>
{
    if (auto const ok = impl_->open(); !ok) return ok.error();
    if (!impl_->db) return {};
    return attempt(stage::reading, [&]() -> expected<void> {
        transaction reading(*impl_->db, database::purpose::reading);
        work(*impl_->db);
        return {};
    });
}

auto sqlite_store::make_ready() -> expected<void>
{
    return impl_->make_ready();
}

auto sqlite_store::write(std::span<infra::journal_entry const> batch, infra::snapshot const& after) -> expected<void>
{
    if (auto const ok = impl_->write(batch, after); !ok) return ok.error();
    impl_->checkpoint_if_long();
    return {};
}

auto sqlite_store::explain(stage during) -> infra::failure
{
    workspace_files const& files = impl_->files;
    std::string const file = files.database().string();
    bool const reads = during == stage::reading;
    bool const begins = during == stage::beginning;
    try {
        throw;
    } catch (database_error const& error) {
        if (reads || (begins && error.is_damage())) return read_failure(files, error);
        return make_failure(begins ? messages::state_not_writable : messages::state_not_saved, {file, error.what()});
    } catch (std::system_error const& error) {
        if (reads) return make_failure(messages::state_unreadable, {file, error.code().message()});
        auto const& of = begins ? messages::state_not_writable : messages::state_not_saved;
        return make_failure(of, {(begins ? files.directory() : files.mark()).string(), error.code().message()});
    } catch (overtaken_error const&) {
        return make_failure(messages::state_overtaken, {file});
    } catch (std::bad_alloc const&) {
        return make_failure(messages::state_no_memory, {file});
    }
}

auto sqlite_store::versions() const -> part_versions const*
{
    impl& self = *impl_;
    if (!std::exchange(self.has_versions, true)) {
        self.versions.clear();
        self.versions.reserve(self.records.size());
        for (auto const& [part, version] : std::exchange(self.records, {})) add_version(self.versions, part, version);
    }
    return &self.versions;
}

auto sqlite_store::current_versions(std::span<std::string const> parts) -> expected<part_versions>
{
    impl& self = *impl_;
    if (auto const ok = self.connect(); !ok) return ok.error();
    if (!self.db) return part_versions();
    try {
        statement meta = self.db->prepare("SELECT sha256 FROM meta WHERE one = 1");
        if (meta.step() && meta.hash(0) == self.records_of)
            return parts.empty() ? part_versions() : some_of(*versions(), parts);
        meta.reset();
        auto const content = read_state(*self.db, self.files, self.hasher);
        if (!content) return content.error();
        part_versions now;
        for (auto const& [part, version] : content->versions) add_version(now, part, version);
        return some_of(now, parts);
    } catch (database_error const& error) {
        return read_failure(self.files, error);
    }
}

auto sqlite_store::saved_serial() const -> std::optional<std::uint64_t>
{
    return impl_->is_shared() ? std::optional(impl_->serial) : std::nullopt;
}

auto sqlite_store::content_id() const -> std::string
{
    return impl_->meta.content_id();
}

auto sqlite_store::replaceable_ids() const -> std::vector<std::string>
{
    if (impl_->condition || !impl_->written_by_others.empty()) return {};
    return {impl_->meta.content_id(), impl_->attempted};
}

auto sqlite_store::lineage() const -> std::string const&
{
    return impl_->meta.lineage;
}

auto sqlite_store::serial() const -> std::uint64_t
{
    return static_cast<std::uint64_t>(impl_->meta.serial);
}

auto sqlite_store::sequence() const -> std::int64_t
{
    return impl_->meta.sequence;
}

auto sqlite_store::verify() -> expected<verification>
{
    return verify_workspace(impl_->files);
}

}  // namespace iacctl::state
