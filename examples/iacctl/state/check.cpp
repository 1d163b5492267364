// SPDX-License-Identifier: BSL-1.0
#include "check.hpp"
#include "stored_name.hpp"

#include "record_text.hpp"
#include "support/background_task.hpp"
#include "support/parallel_chunks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace {

struct resource_row {
    std::string name;
    std::string deposed;
    std::int64_t position;
    bool deleted;
    std::string attributes;
    infra::document document;  // rows with the same text share it
    digest hash;
    // The content of the row; no object if it is damaged.
    std::size_t size;
    std::optional<infra::address> target;
    std::optional<infra::object> object;
};

// The version of a record, derived from its content.
auto version_in(digest const& hash) -> std::int64_t
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 7; ++i) bits = bits << 8U | hash[i];
    return static_cast<std::int64_t>(bits);
}

// Checks rows one by one.
class row_inspector {
public:
    row_inspector(dependency_catalog const& sets, record_cipher const& cipher) : sets_(&sets), cipher_(&cipher) {}

    auto look_at(resource_row& row) -> digest
    {
        row.size = row.name.size() + row.attributes.size() + row.document.text().size();
        digest const hash = resource_hash(
            hasher_, row.name, row.deposed, row.position, row.deleted, row.attributes, row.document.text());
        if (hash != row.hash) return hash;
        if (cipher_->seals() && !unseal(row)) return hash;
        if (auto target = addresses_.parse(row.name)) row.target = std::move(*target);
        row.object = like(row.document.text());
        if (row.object) row.object->attributes = infra::document(std::move(row.attributes));
        return hash;
    }

private:
    // Replaces the stored texts of a row by decrypted ones.
    auto unseal(resource_row& row) -> bool
    {
        using part = record_place::part_type;
        auto const open = [&](part which, std::string const& stored) {
            return cipher_->open(stored,
                [&] { return record_place::resource(which, row.name, row.deposed, row.position, row.deleted); });
        };
        auto attributes = open(part::attributes, row.attributes);
        auto document = attributes ? open(part::document, row.document.text()) : std::nullopt;
        if (!document) return false;
        row.attributes = std::move(*attributes);
        row.document = infra::document(std::move(*document));
        return true;
    }
    // Objects of one type are mostly equal except for their attributes.
    auto like(std::string const& document) -> std::optional<infra::object>
    {
        constexpr std::size_t most = 64;
        if (auto const found = seen_.find(document); found != seen_.end()) return found->second;
        auto object = read_object(document, {}, *sets_);
        if (object && seen_.size() < most) seen_.emplace(document, *object);
        return object;
    }

    dependency_catalog const* sets_;
    record_cipher const* cipher_;
    field_hasher hasher_;
    infra::address_parser addresses_{infra::key_syntax::verbatim};
    std::unordered_map<std::string, infra::object> seen_;  // by document
};

class state_reader {
public:
    state_reader(database& db, workspace_files const& files, field_hasher& hasher)
        : db_(&db),
          files_(&files),
          hasher_(&hasher)
    {}

    void read_all(state_content& content)
    {
        guarded([&] {
            for (std::string const& id : read_dependency_sets(*db_, *hasher_, content.sets, sum_, content.last_set))
                report("set of dependencies", id);
        });
        guarded([&] { read_resources(content); });
        guarded([&] { read_outputs(content); });
        guarded([&] { read_pending(content); });
    }
    [[nodiscard]] auto found() -> infra::diagnostics& { return found_; }
    [[nodiscard]] auto sum() const -> content_sum const& { return sum_; }

private:
    // Continues with other tables after damage in one of them.
    template <class Read>
    void guarded(Read const& read)
    {
        try {
            read();
        } catch (database_error const& error) {
            if (!error.is_damage()) throw;
            append(found_, read_failure(*files_, error).why());
        }
    }
    void count(state_content& content, std::uint64_t size)
    {
        ++content.rows;
        content.bytes += size;
        content.largest = std::max(content.largest, size);
    }
    void report(std::string_view kind, std::string_view name) { found_.push_back(damage(*files_, kind, name)); }
    // Rows are read by this thread, because of SQLite. Meanwhile the rows before are checked and taken in by others.
    void read_resources(state_content& content)
    {
        constexpr std::size_t first = 250;  // few, because the next ones are read while these are still in memory
        constexpr std::size_t most = 4000;  // at once: they are large
        std::size_t at_once = first;
        std::deque<resource_row> some;
        infra::document last;
        auto const shared = [&](std::string_view text) {
            if (last.text() != text) last = infra::document(std::string(text));
            return last;
        };
        guarded([&] {
            // Declared in here: an exception of `rows` is reported only after the destructor has waited for the other thread.
            std::optional<background_task<void>> taking_in;
            statement rows =
                db_->prepare("SELECT address, deposed, position, deleted, attributes, document, sha256 FROM resource");
            while (rows.step()) {
                some.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.integer(2),
                    rows.integer(3) != 0, std::string(rows.text(4)), shared(rows.text(5)), rows.hash(6), {}, {}, {}});
                if (some.size() < at_once) continue;
                if (taking_in) taking_in->get();
                taking_in.emplace(
                    [this, &content, read = std::exchange(some, {})]() mutable { take_in(read, content); });
                at_once = std::min(2 * at_once, most);
            }
            if (taking_in) taking_in->get();
        });
        take_in(some, content);
    }
    void take_in(std::deque<resource_row>& some, state_content& content)
    {
        constexpr std::size_t grain_size = 400;
        auto const sums = parallel_chunks(some.size(), grain_size, [&](std::size_t from, std::size_t to) {
            row_inspector inspector(content.sets, content.key.cipher);
            content_sum sum;
            for (std::size_t i = from; i < to; ++i) sum.add(inspector.look_at(some[i]));
            return sum;
        });
        for (content_sum const& sum : sums) sum_.add(sum.bytes());
        std::vector<resource_row*> in_order;
        in_order.reserve(some.size());
        for (resource_row& row : some) in_order.push_back(&row);
        std::sort(in_order.begin(), in_order.end(), [](resource_row const* a, resource_row const* b) {
            if (a->target && b->target)
                if (auto const order = *a->target <=> *b->target; order != 0) return order < 0;
            return std::tie(a->target, a->name, a->deposed) < std::tie(b->target, b->name, b->deposed);
        });
        for (resource_row* const row : in_order) take_in(*row, content);
    }
    void take_in(resource_row& row, state_content& content)
    {
        count(content, row.size);
        if (!row.target || !row.object) return report("resource", row.name);
        if (row.deleted) return;
        content.versions.push_back({std::move(row.name), version_in(row.hash)});
        // All instances of a resource share its address, whoever has parsed it.
        if (!last_.is_of_resource(*row.target)) last_ = row.target->resource();
        auto& resources = content.snapshot.resources;
        auto& record = resources.try_emplace(resources.end(), last_.instance(row.target->key()))->second;
        bool const is_current = row.deposed.empty();
        if (is_current ? record.current.has_value() : record.deposed.contains(row.deposed))
            found_.push_back(messages::make_error(messages::state_duplicate_record,
                {files_->database().string(), content.versions.back().part, files_->recovery_advice()},
                content.versions.back().part));
        else if (is_current) record.current = std::move(*row.object);
        else record.deposed.emplace(std::move(row.deposed), std::move(*row.object));
    }
    void read_outputs(state_content& content)
    {
        statement rows = db_->prepare("SELECT name, document, sha256 FROM output ORDER BY 1");
        while (rows.step()) {
            std::string_view const name = rows.text(0);
            digest const hash = output_hash(*hasher_, name, rows.text(1));
            count(content, name.size() + rows.text(1).size());
            sum_.add(hash);
            auto const text = content.key.cipher.open(rows.text(1), [&] { return record_place::output(name); });
            auto value = text ? read_output(*text) : std::nullopt;
            if (hash != rows.hash(2) || !value) report("output", name);
            else if (name.empty()) content.snapshot.checks = std::move(value->value);
            else {
                content.versions.push_back({state_parts::name_of_output(name), version_in(hash)});
                content.snapshot.outputs.insert_or_assign(std::string(name), std::move(*value));
            }
        }
    }
    void read_pending(state_content& content)
    {
        statement rows = db_->prepare("SELECT operation, document, sha256 FROM pending ORDER BY 1");
        while (rows.step()) {
            std::string_view const name = rows.text(0);
            digest const hash = pending_hash(*hasher_, name, rows.text(1));
            count(content, name.size() + rows.text(1).size());
            sum_.add(hash);
            auto const text = content.key.cipher.open(rows.text(1), [&] { return record_place::pending(name); });
            auto operation = text ? read_operation(*text) : std::nullopt;
            if (hash != rows.hash(2) || !operation) report("pending operation", name);
            else {
                content.versions.push_back({stored_name(operation->target), version_in(hash)});
                content.snapshot.pending.insert_or_assign(std::string(name), std::move(*operation));
            }
        }
    }

    database* db_;
    workspace_files const* files_;
    field_hasher* hasher_;
    content_sum sum_;
    infra::diagnostics found_;
    infra::address last_;  // the resource of the row that was taken in last
};

}  // namespace

auto resource_hash(field_hasher& hasher, std::string_view address, std::string_view deposed, std::int64_t position,
    bool deleted, std::string_view attributes, std::string_view document) -> digest
{
    hasher.start("resource").field(address).field(deposed).field(position).field(std::int64_t{deleted ? 1 : 0});
    return hasher.field(attributes).field(document).finish();
}

auto dependency_set_hash(field_hasher& hasher, std::string_view id, std::string_view document) -> digest
{
    return hasher.start("dependency_set").field(id).field(document).finish();
}

auto read_dependency_sets(database& db, field_hasher& hasher, dependency_catalog& to, content_sum& sum,
    std::int64_t& last) -> std::vector<std::string>
{
    std::vector<std::string> damaged;
    statement rows =
        db.prepare("SELECT id, document, sha256, position FROM dependency_set WHERE position > ? ORDER BY position");
    rows.bind(last);
    while (rows.step()) {
        last = rows.integer(3);
        digest const hash = dependency_set_hash(hasher, rows.text(0), rows.text(1));
        sum.add(hash);
        if (hash != rows.hash(2) || !to.read(rows.text(0), rows.text(1))) damaged.emplace_back(rows.text(0));
    }
    return damaged;
}

auto output_hash(field_hasher& hasher, std::string_view name, std::string_view document) -> digest
{
    return hasher.start("output").field(name).field(document).finish();
}

auto pending_hash(field_hasher& hasher, std::string_view operation, std::string_view document) -> digest
{
    return hasher.start("pending").field(operation).field(document).finish();
}

auto entry_hash(field_hasher& hasher, std::int64_t sequence, std::int64_t generation, std::int64_t epoch,
    std::int64_t time, std::string_view document) -> digest
{
    return hasher.start("entry").field(sequence).field(generation).field(epoch).field(time).field(document).finish();
}

auto damage(workspace_files const& files, std::string_view kind, std::string_view name) -> infra::diagnostic
{
    return messages::make_error(
        messages::state_damaged, {files.database().string(), kind, name, files.recovery_advice()}, std::string(name));
}

auto read_failure(workspace_files const& files, database_error const& error) -> infra::failure
{
    std::string const file = files.database().string();
    if (error.is_damage())
        return make_failure(messages::state_database_damaged, {file, error.what(), files.recovery_advice()});
    return make_failure(
        error.is_read_only() ? messages::state_not_writable : messages::state_unreadable, {file, error.what()});
}

auto check_header(database& db, workspace_files const& files, field_hasher& hasher) -> expected<meta_row>
{
    std::string const file = files.database().string();
    std::int64_t const owner = db.pragma("application_id");
    if (owner != application_id)
        return make_failure(messages::state_foreign_database, {file, std::to_string(owner), files.recovery_advice()});
    std::int64_t const format = db.pragma("user_version");
    if (format > format_version)
        return make_failure(
            messages::state_newer_format, {file, std::to_string(format), std::to_string(format_version)});
    if (format < 1) return make_failure(messages::state_header_damaged, {file, files.recovery_advice()});

    auto meta = meta_row::read(db, hasher);
    if (!meta) return make_failure(messages::state_header_damaged, {file, files.recovery_advice()});
    if (!meta->features.empty()) return make_failure(messages::state_unknown_features, {file, meta->features});
    return *meta;
}

auto check_mark(meta_row const& meta, std::optional<commit_point> noted, workspace_files const& files)
    -> std::optional<infra::failure>
{
    std::error_code error;
    if (!noted) {
        // It may have been created after the check, together with the format that requires it.
        if (meta.format < first_format_with_mark || std::filesystem::exists(files.mark(), error)) return std::nullopt;
        return make_failure(messages::state_mark_missing,
            {files.database().string(), files.mark().string(), continuation_advice(files)});
    }
    if (meta.point().covers(*noted)) return std::nullopt;
    // SQLite has created an empty log by now.
    std::string const log = files.log().string();
    auto const size = std::filesystem::file_size(files.log(), error);
    bool const log_is_there = !error && size > 0;
    return make_failure(log_is_there ? messages::state_log_incomplete : messages::state_log_missing,
        {files.database().string(), std::to_string(noted->sequence), std::to_string(noted->epoch),
            std::to_string(meta.sequence), std::to_string(meta.epoch), log, continuation_advice(files)});
}

auto continuation_advice(workspace_files const& files) -> std::string
{
    return "The next apply would create the objects of such changes a second time. If you have a copy of the directory "
        + files.directory().string()
        + ", restore all of its files. To continue with the content that the database still has:\n\n    iacctl state "
          "restore "
        + files.database().string() + "\n\n" + files.recovery_advice();
}

auto find_key(meta_row const& meta, workspace_files const& files, field_hasher& hasher) -> expected<record_key>
{
    encryption::target const& methods = files.encryption();
    std::string const what = "the database " + files.database().string();
    if (meta.encryption.empty()) {
        bool const never_written = meta.sequence == 0 && meta.lineage.empty();
        if (!never_written && !methods.accepts_unencrypted()) return methods.not_encrypted(what);
        return record_key{record_cipher(), !methods.encrypts()};
    }
    digest const hash = meta.hash(hasher);
    auto ready = methods.to_open(meta.encryption, what, [&](encryption::ready_method const& one) {
        return one.cipher->open(meta.seal, record_place::header(hash).bytes()).has_value();
    });
    if (!ready) return ready.error();
    return record_key{record_cipher(std::move(*ready->cipher)), ready->is_first};
}

auto inspect(database& db, workspace_files const& files, field_hasher& hasher) -> inspection
{
    transaction const unchanging(db, transaction::purpose::reading);
    inspection found;
    state_content& content = found.content;
    if (auto meta = check_header(db, files, hasher)) {
        content.meta = std::move(*meta);
        content.snapshot.lineage = content.meta.lineage;
        content.snapshot.serial = static_cast<std::uint64_t>(content.meta.serial);
        auto key = find_key(content.meta, files, hasher);
        if (!key) {
            found.locked = key.error();
            return found;
        }
        content.key = std::move(*key);
    } else {
        found.header = meta.error().why();
    }
    state_reader reader(db, files, hasher);
    reader.read_all(content);
    found.damaged = std::move(reader.found());
    found.complete = !found.header.empty() || reader.sum() == content.meta.content;
    if (!found.header.empty() || !found.damaged.empty() || !found.complete) return found;
    found.contradictions = infra::verify_integrity(content.snapshot);
    append(found.contradictions, infra::verify_lineage(content.snapshot));
    return found;
}

auto read_state(database& db, workspace_files const& files, field_hasher& hasher) -> expected<state_content>
{
    auto found = inspect(db, files, hasher);
    if (found.locked) return *found.locked;
    if (!found.header.empty()) return infra::failure(std::move(found.header));
    infra::diagnostics& why = found.damaged;
    std::string const file = files.database().string();
    if (why.empty() && !found.complete)
        why.push_back(messages::make_error(messages::state_records_missing, {file, files.recovery_advice()}));
    if (!found.contradictions.empty()) {
        why.push_back(messages::make_error(
            messages::state_contradictory, {file, files.recovery_advice()}, found.contradictions.front().address));
        append(why, std::move(found.contradictions));
    }
    if (why.empty()) return std::move(found.content);

    auto const is_of_sqlite = [](infra::diagnostic const& d) {
        return d.code == messages::state_database_damaged.code;
    };
    if (std::ranges::none_of(why, is_of_sqlite))
        if (std::string const sqlite = db.quick_check(); !sqlite.empty())
            why.push_back(
                messages::make_error(messages::state_database_damaged, {file, sqlite, files.recovery_advice()}));
    return infra::failure(std::move(why));
}

}  // namespace iacctl::state
