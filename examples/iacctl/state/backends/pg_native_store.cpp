// SPDX-License-Identifier: BSL-1.0
#include "pg_native_store.hpp"
#include "state/stored_name.hpp"

#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/check_merge.hpp"
#include "state/part_locks.hpp"
#include "state/record/record_checks.hpp"
#include "state/record/schema.hpp"
#include "state/record_text.hpp"

#include <array>
#include <new>
#include <utility>
#include <vector>

namespace iacctl::backends {

using postgres::array_text;
using postgres::connection;
using postgres::parameters;
using state::make_failure;

namespace {

using part = state::record_place::part_type;
using state::record_place;

// Arrays of the columns of rows, which a statement unnests.
template <std::size_t N>
struct columns_text {
    std::array<array_text, N> columns;

    void add_to(parameters& p)
    {
        for (array_text& column : columns) p.add(column.finish());
    }
};

}  // namespace

pg_native_store::pg_native_store(std::shared_ptr<pg_database> in, std::string workspace, state::open_mode mode,
    std::shared_ptr<encryption::target const> sealed_with, std::filesystem::path local)
    : record_store(std::make_unique<state::journal_data>()),
      database_(std::move(in)),
      workspace_(std::move(workspace)),
      mode_(mode),
      sealed_with_(std::move(sealed_with)),
      local_(std::move(local))
{}

auto pg_native_store::failure_of(postgres::error const& e) const -> infra::failure
{
    bool const unreachable = e.state().empty() || e.is_loss();
    return make_failure(
        unreachable ? messages::remote_state_unreachable : messages::state_database_refused, {place(), e.what()});
}

auto pg_native_store::session_ended() const -> infra::failure
{
    return make_failure(messages::session_ended, {place()});
}

void pg_native_store::read_sets(connection& on, content& to)
{
    pg_records db = database_->records(on, to.header->id);
    for (std::string const& id : state::read_dependency_sets(db, data().hasher, to.sets, to.sum, to.last_set))
        to.damaged.add(state::damaged_record(site(), "set of dependencies", id));
}

void pg_native_store::read_header(connection& on, content& to) const
{
    to.header = pg_workspace::read(*database_, on, workspace_);
    if (!to.header) return;
    auto const supported = state::check_support(*to.header, state::postgres_format_version, place());
    if (supported) to.header->describe(to.snapshot);
    else to.damaged.add(supported.error().why());
}

void pg_native_store::find_key_of(content& to) const
{
    if (!to.header || !to.damaged.empty()) return;
    auto key = find_key(*to.header, *sealed_with_, "the state at " + place());
    if (key) to.key = std::move(*key);
    else to.damaged.add(key.error().why());
}

void pg_native_store::read_content(connection& on, content& to)
{
    pg_records db = database_->records(on, to.header->id);
    state::read_records(db, site(), data().hasher, to);
    to.is_complete = to.header->adds_up(*database_, on);
}

auto pg_native_store::load() -> expected<std::optional<state::state_records>>
{
    content read;
    in_one_view(read, [&](connection& on) { read_content(on, read); });
    if (auto why = state::problems_of(read, site()); !why.empty()) return infra::failure(std::move(why));
    if (database_->interchange_state(workspace_, read.snapshot.lineage, read.snapshot.serial))
        return make_failure(messages::state_in_interchange_mode, {place()});
    lineage_ = read.snapshot.lineage;
    versions_.clear();
    for (auto const& [name, version] : read.versions) state::add_version(versions_, name, version);
    return std::optional<state::state_records>(std::move(read));
}

auto pg_native_store::view(view_work const& work) -> expected<void>
{
    return attempt(stage::reading, [&]() -> expected<void> {
        content read;
        in_one_view(read, [&](connection& on) {
            pg_records db = database_->records(on, read.header->id);
            work(db, read);
        });
        if (!read.damaged.empty()) return infra::failure(std::move(read.damaged));
        return {};
    });
}

auto pg_native_store::view_without_key(std::function<void(state::database&)> const& work) -> expected<void>
{
    return attempt(stage::reading, [&]() -> expected<void> {
        content read;
        auto const with_records = [&](connection& on) {
            pg_records db = database_->records(on, read.header->id);
            work(db);
        };
        in_one_view(read, with_records, false);
        if (!read.damaged.empty()) return infra::failure(std::move(read.damaged));
        return {};
    });
}

auto pg_native_store::current_versions(std::span<std::string const> parts) -> expected<state::part_versions>
{
    return attempt(stage::reading, [&]() -> expected<state::part_versions> {
        // Addresses are parsed here, not in SQL, so that instances of a resource are counted by the same rules.
        std::string const of_workspace =
            " WHERE workspace = (SELECT id FROM " + database_->table("workspace") + " WHERE name = $1)";
        auto const rows = database_->query("SELECT address, version FROM " + database_->table("resource") + of_workspace
                + " UNION ALL SELECT address, version FROM " + database_->table("pending") + of_workspace
                + " UNION ALL SELECT " + postgres::quoted_literal(state::state_parts::name_of_output({}))
                + " || name, version FROM " + database_->table("output") + of_workspace + " AND name <> ''",
            parameters().add(workspace_));
        state::part_versions all;
        for (int i = 0; i < rows.size(); ++i) state::add_version(all, rows.text(i, 0), rows.integer(i, 1));
        return state::some_of(all, parts);
    });
}

auto pg_native_store::make_ready() -> expected<void>
{
    if (mode_ == state::open_mode::read_only) return make_failure(messages::state_is_read_only, {place()});
    if (is_ready_) return {};
    if (database_->interchange_state(workspace_, lineage_, data().serial))
        return make_failure(messages::state_in_interchange_mode, {place()});
    if (!database_->migrates()) database_->guard(workspace_);
    if (!database_->has_session(workspace_)) {
        // Other processes may have removed sets that were read before this session existed.
        (void)database_->session_of(workspace_, data().command);
        data().sets.clear();
    }
    if (auto const ok = set_first_key(*database_, workspace_, *sealed_with_); !ok) return ok.error();
    content now;
    auto const read_key = [&] {
        database_->repeat([&](connection& on) {
            now = content();
            read_header(on, now);
            find_key_of(now);
            return 0;
        });
    };
    read_key();
    if (now.damaged.empty() && !now.key.is_current) {
        expected<void> changed;
        auto const other = database_->alone(workspace_, [&](connection& on) {
            changed = change_key(*database_, on, workspace_, *sealed_with_);
            return changed.has_value();
        });
        if (other)
            return make_failure(messages::key_change_locked, {place(), other->holder.description(), other->holder.id});
        if (!changed) return changed.error();
        read_key();
    }
    if (!now.damaged.empty()) return infra::failure(std::move(now.damaged));
    data().key = std::move(now.key);
    is_ready_ = true;
    return {};
}

void pg_native_store::keep_lineage(std::string const& of_state)
{
    std::int64_t const number = database_->make(workspace_);
    database_->query("UPDATE " + database_->table("workspace") + " SET lineage = $2 WHERE id = $1 AND lineage = ''",
        parameters().add(number).add(of_state.empty() ? random_uuid() : of_state));
    auto const rows = database_->query(
        "SELECT lineage FROM " + database_->table("workspace") + " WHERE id = $1", parameters().add(number));
    lineage_ = rows.text(0, 0);
}

auto pg_native_store::reserve(std::size_t entries) const -> reserved
{
    auto const rows = database_->query("SELECT nextval(" + postgres::quoted_literal(database_->table("version"))
            + "), ARRAY(SELECT nextval(pg_get_serial_sequence(" + postgres::quoted_literal(database_->table("entry"))
            + ", 'sequence')) FROM generate_series(1, $1))",
        parameters().add(static_cast<std::int64_t>(entries)));
    reserved all{rows.integer(0, 0), {}};
    for (std::string const& one : rows.texts(0, 1)) all.sequences.push_back(std::stoll(one));
    return all;
}

auto pg_native_store::saved_checks() const -> saved_results
{
    auto const rows = database_->query("SELECT o.document, o.version, o.sha256 FROM " + database_->table("output")
            + " o JOIN " + database_->table("workspace") + " w ON w.id = o.workspace WHERE w.name = $1 AND o.name = ''",
        parameters().add(workspace_));
    saved_results found;
    if (rows.size() == 0) return found;
    found.hash = rows.bytes(0, 2);
    auto const document =
        data().key.cipher.open(rows.text(0, 0), [] { return record_place::output({}); }, rows.integer(0, 1));
    if (auto value = document ? state::read_output(*document) : std::nullopt) found.results = std::move(value->value);
    return found;
}

auto pg_native_store::write(std::span<infra::journal_entry const> batch, infra::snapshot const& after) -> expected<void>
{
    if (lineage_.empty()) {
        keep_lineage(after.lineage);
        if (!after.lineage.empty() && after.lineage != lineage_)
            return make_failure(messages::state_other_lineage, {place()});
        if (batch.empty() && after.serial == data().serial) return {};
    }
    if (!state::has_checks(batch)) {
        write_rows(state::changes_of(batch, after.checks), after, {});
        return {};
    }
    for (;;) {
        saved_results const saved = saved_checks();
        infra::document merged = state::merge_checks(data().checks, after.checks, saved.results);
        try {
            write_rows(state::changes_of(batch, merged), after, saved.hash);
            data().checks = std::move(merged);
            return {};
        } catch (session_ended_error const&) {
            if (saved_checks().hash == saved.hash) throw;
            data().sets.clear();  // others have saved results meanwhile, and nothing was written
        }
    }
}

void pg_native_store::write_rows(state::record_changes const& changes, infra::snapshot const& after,
    std::optional<std::string> const& replaced_checks, std::function<void(connection&)> const& before)
{
    state::field_hasher& hasher = data().hasher;
    state::record_cipher const& cipher = data().key.cipher;
    std::int64_t const session = database_->session_of(workspace_, data().command);
    std::int64_t const now = now_ms();
    reserved const places = cipher.seals() ? reserve(changes.entries.size()) : reserved();
    columns_text<7> entries;  // time, kind, address, operation, document, sha256, sequence
    columns_text<3> sets;  // id, document, sha256
    columns_text<5> objects;  // address, deposed, attributes, document, sha256
    columns_text<3> outputs;  // name, document, sha256
    columns_text<4> pending;  // operation, address, document, sha256
    for (std::size_t number = 0; number < changes.entries.size(); ++number) {
        state::written_entry const& e = changes.entries[number];
        if (e.source->result())
            data().sets.add(e.source->result()->dependencies, [&](std::string const& id, std::string const& document) {
                sets.columns[0].add(id);
                sets.columns[1].add(document);
                sets.columns[2].add_bytes(bytes_of(state::dependency_set_hash(hasher, id, document)));
            });
        std::int64_t const sequence = places.sequences.empty() ? 0 : places.sequences[number];
        std::string const document =
            cipher.sealed(e.document, [&] { return record_place::entry(sequence, data().generation, session, now); });
        entries.columns[0].add(now);
        entries.columns[1].add(state::to_string(e.source->kind()));
        entries.columns[2].add(e.address);
        entries.columns[3].add(e.operation);
        entries.columns[4].add(document);
        entries.columns[5].add_bytes(bytes_of(state::entry_hash(hasher, 0, data().generation, session, now, document)));
        entries.columns[6].add(sequence);
    }

    array_text addresses;
    auto const put = [&](std::string const& address, std::string const& deposed, infra::object const& o) {
        auto const sealed = [&](part which, std::string text) {
            auto const place = [&] { return record_place::resource(which, address, deposed, 0, false); };
            return cipher.sealed(std::move(text), place, places.version);
        };
        std::string const attributes = sealed(part::attributes, o.attributes.text());
        std::string const document = sealed(part::document, state::text_of(o));
        objects.columns[0].add(address);
        objects.columns[1].add(deposed);
        objects.columns[2].add(attributes);
        objects.columns[3].add(document);
        objects.columns[4].add_bytes(
            bytes_of(state::resource_hash(hasher, address, deposed, 0, false, attributes, document)));
    };
    for (auto const& [target, touched] : changes.addresses) {
        if (!touched.changes_objects) continue;
        std::string const address = state::stored_name(target);
        addresses.add(address);
        infra::resource_record const* const record = after.find(target);
        if (record == nullptr) continue;
        if (record->current) put(address, {}, *record->current);
        for (auto const& [key, object] : record->deposed) put(address, key, object);
    }

    array_text touched_outputs;
    for (std::string const& name : changes.outputs) {
        touched_outputs.add(name);
        auto text = changes.output(name, after);
        if (!text) continue;
        std::string const document =
            cipher.sealed(std::move(*text), [&] { return record_place::output(name); }, places.version);
        outputs.columns[0].add(name);
        outputs.columns[1].add(document);
        outputs.columns[2].add_bytes(bytes_of(state::output_hash(hasher, name, document)));
    }

    array_text touched_operations;
    for (state::touched_operation const& operation : changes.operations) {
        std::string const& name = operation.name;
        touched_operations.add(name);
        auto text = state::record_changes::pending(operation, after);
        if (!text) continue;
        std::string const document =
            cipher.sealed(std::move(*text), [&] { return record_place::pending(name); }, places.version);
        pending.columns[0].add(name);
        pending.columns[1].add(state::stored_name(after.pending.at(name).target));
        pending.columns[2].add(document);
        pending.columns[3].add_bytes(bytes_of(state::pending_hash(hasher, name, document)));
    }

    // `after` is based on the state that this store has read: its serial number includes the changes of this process.
    auto const counted = static_cast<std::int64_t>(after.serial - data().serial);
    parameters with;
    with.add(counted).add(data().generation);
    entries.add_to(with);
    sets.add_to(with);
    with.add(addresses.finish());
    objects.add_to(with);
    with.add(touched_outputs.finish());
    outputs.add_to(with);
    with.add(touched_operations.finish());
    pending.add_to(with);
    with.add(data().key.metadata);
    if (data().key.cipher.seals()) with.add(places.version);
    else with.add_null();
    if (replaced_checks) with.add_bytes(*replaced_checks);
    else with.add_null();

    auto const t = [&](std::string_view name) { return database_->table(name); };
    // The sum of the hashes of the rows to be replaced.
    std::string const sum = "(SELECT coalesce(sum(" + state::postgres_weight("sha256") + "), 0) FROM (";
    auto const rows_of = [&](char const* table, std::string const& condition) {
        return "SELECT sha256 FROM " + t(table) + " r WHERE r.workspace = own.workspace AND r." + condition;
    };
    std::string const written = "SELECT unnest($20::bytea[]) AS sha256 UNION ALL SELECT unnest($24::bytea[])"
                                " UNION ALL SELECT unnest($29::bytea[])";
    std::string const replaced = rows_of("resource", "address = ANY ($15::text[])") + " UNION ALL "
        + rows_of("output", "name = ANY ($21::text[])") + " UNION ALL "
        + rows_of("pending", "operation = ANY ($25::text[])");
    database_->append(workspace_,
        "WITH s AS (UPDATE " + t("session") + " AS own SET batch = $2, serial = serial + $3, content = content + " + sum
            + written + ") AS written) - " + sum + replaced
            + ") AS replaced) WHERE id = $1 AND batch = $2 - 1 AND EXISTS (SELECT FROM " + t("workspace")
            + " w WHERE w.id = own.workspace AND w.encryption = $30) AND ($32::bytea IS NULL OR $32 = coalesce((SELECT"
              " o.sha256 FROM "
            + t("output")
            + " o WHERE o.workspace = own.workspace AND o.name = ''), '')) RETURNING id, workspace),"
              " v AS MATERIALIZED (SELECT coalesce($31::bigint, nextval("
            + postgres::quoted_literal(t("version"))
            + ")) AS version),"
              " entries AS (INSERT INTO "
            + t("entry") + " (workspace, generation, epoch, time, kind, address, operation, document, sha256"
            + (data().key.cipher.seals() ? ", sequence) OVERRIDING SYSTEM VALUE" : ")")
            + " SELECT s.workspace, $4::bigint, s.id, e.time, e.kind, e.address, e.operation, e.document, e.sha256"
            + (data().key.cipher.seals() ? ", e.sequence" : "")
            + " FROM s, unnest($5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[], "
              "$11::bigint[]) WITH ORDINALITY"
              " AS e (time, kind, address, operation, document, sha256, sequence, n) ORDER BY e.n),"
              " sets AS (INSERT INTO "
            + t("dependency_set")
            + " (workspace, id, document, sha256) SELECT s.workspace, d.id, d.document, d.sha256"
              " FROM s, unnest($12::text[], $13::text[], $14::bytea[]) WITH ORDINALITY AS d (id, document, sha256, n)"
              " ORDER BY d.n ON CONFLICT (workspace, id) DO NOTHING),"
              " objects AS (SELECT * FROM unnest($16::text[], $17::text[], $18::text[], $19::text[], $20::bytea[])"
              " AS o (address, deposed, attributes, document, sha256)),"
              " gone AS (DELETE FROM "
            + t("resource")
            + " r USING s WHERE r.workspace = s.workspace AND r.address = ANY ($15::text[]) AND NOT EXISTS"
              " (SELECT FROM objects o WHERE o.address = r.address AND o.deposed = r.deposed)),"
              " written AS (INSERT INTO "
            + t("resource")
            + " AS r (workspace, address, deposed, attributes, document, sha256, version)"
              " SELECT s.workspace, o.*, v.version FROM s, v, objects o ON CONFLICT (workspace, address, deposed) DO "
              "UPDATE"
              " SET attributes = excluded.attributes, document = excluded.document, sha256 = excluded.sha256,"
              " version = excluded.version WHERE r.sha256 <> excluded.sha256),"
              " outputs_gone AS (DELETE FROM "
            + t("output")
            + " o USING s WHERE o.workspace = s.workspace AND o.name = ANY ($21::text[]) AND o.name <> ALL "
              "($22::text[])),"
              " outputs AS (INSERT INTO "
            + t("output")
            + " AS r (workspace, name, document, sha256, version)"
              " SELECT s.workspace, o.*, v.version FROM s, v, unnest($22::text[], $23::text[], $24::bytea[]) AS o"
              " ON CONFLICT (workspace, name) DO UPDATE SET document = excluded.document, sha256 = excluded.sha256,"
              " version = excluded.version WHERE r.sha256 <> excluded.sha256),"
              " pending_gone AS (DELETE FROM "
            + t("pending")
            + " p USING s WHERE p.workspace = s.workspace AND p.operation = ANY ($25::text[])"
              " AND p.operation <> ALL ($26::text[])),"
              " pending AS (INSERT INTO "
            + t("pending")
            + " (workspace, operation, address, document, sha256, version)"
              " SELECT s.workspace, p.*, v.version FROM s, v, unnest($26::text[], $27::text[], $28::text[], "
              "$29::bytea[]) AS p"
              " ON CONFLICT (workspace, operation) DO UPDATE SET document = excluded.document,"
              " sha256 = excluded.sha256, version = excluded.version)"
              " SELECT id FROM s",
        with, before);
}

auto pg_native_store::refused() const -> infra::failure
{
    try {
        auto const now =
            database_->repeat([&](connection& on) { return pg_workspace::read(*database_, on, workspace_); });
        if (now && now->encryption != data().key.metadata) return make_failure(messages::state_overtaken, {place()});
    } catch (std::exception const&) {}  // the session has ended in any case
    return session_ended();
}

auto pg_native_store::explain(stage during) -> infra::failure
{
    bool const saves = during == stage::saving || during == stage::ending;
    try {
        throw;
    } catch (postgres::error const& e) {
        return saves ? make_failure(messages::state_not_saved, {place(), e.what()}) : failure_of(e);
    } catch (session_ended_error const&) {
        return during == stage::saving ? refused() : session_ended();
    } catch (std::bad_alloc const&) {
        return make_failure(messages::state_no_memory, {place()});
    }
}

}  // namespace iacctl::backends
