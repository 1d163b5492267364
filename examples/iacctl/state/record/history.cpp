// SPDX-License-Identifier: BSL-1.0
#include "history_rows.hpp"

#include "record_changes.hpp"

#include "state/record_text.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::state {

void for_each_entry(database& db, field_hasher& hasher, dependency_catalog const& sets, record_cipher const& cipher,
    std::int64_t after, std::function<bool(entry_row)> const& f, std::int64_t until)
{
    statement rows = db.prepare("SELECT sequence, generation, epoch, time, address, document, sha256, "
        + std::string(db.properties().hashed_sequence) + db.rows_of("entry")
        + " AND sequence > $1 AND sequence <= $2 ORDER BY sequence");
    rows.bind(after).bind(until);
    while (rows.step()) {
        entry_row row;
        history_entry& read = row.content;
        read.sequence = rows.integer(0);
        read.generation = rows.integer(1);
        read.epoch = rows.integer(2);
        read.time = rows.integer(3);
        row.address = rows.text(4);
        row.hash = rows.hash(6);
        auto const text = cipher.open(
            rows.text(5), [&] { return record_place::entry(read.sequence, read.generation, read.epoch, read.time); });
        auto entry = text ? read_entry(*text, sets) : std::nullopt;
        row.damaged = !entry
            || row.hash != entry_hash(hasher, rows.integer(7), read.generation, read.epoch, read.time, rows.text(5));
        if (!row.damaged) read.entry = std::move(*entry);
        if (!f(std::move(row))) return;
    }
}

auto read_entries(database& db, field_hasher& hasher, state_records const& records, std::int64_t after,
    std::int64_t until) -> std::vector<entry_row>
{
    std::vector<entry_row> all;
    auto const keep = [&](entry_row row) {
        all.push_back(std::move(row));
        return true;
    };
    for_each_entry(db, hasher, records.sets, records.key.cipher, after, keep, until);
    return all;
}

auto replay_all(infra::snapshot& to, std::vector<entry_row> const& entries) -> bool
{
    return std::ranges::all_of(
        entries, [&](entry_row const& e) { return !e.damaged && replay(to, e.content.entry).has_value(); });
}

auto name_in_base(infra::journal_entry const& e) -> std::string
{
    using kind = infra::journal_entry::kind_type;
    // Names of objects are their deposed keys; those of outputs have no address.
    if (e.kind() == kind::begin) return "operation " + std::string(e.operation().operation);
    return e.is_of_state() ? e.output_name() : e.deposed_key();
}

auto base_hash(field_hasher& hasher, std::string_view address, std::string_view name, std::string_view document)
    -> digest
{
    return hasher.start("base").field(address).field(name).field(document).finish();
}

auto read_base(database& db, field_hasher& hasher, state_records const& records, std::string const* addresses)
    -> std::vector<entry_row>
{
    std::vector<entry_row> all;
    if (!db.properties().has_base) return all;
    statement rows = db.prepare("SELECT address, name, document, sha256" + db.rows_of("base")
        + (addresses == nullptr ? "" : " AND address = ANY ($1::text[])"));
    if (addresses != nullptr) rows.bind(*addresses);
    while (rows.step()) {
        entry_row& row = all.emplace_back();
        std::string_view const address = rows.text(0);
        std::string_view const name = rows.text(1);
        row.address = address;
        if (!name.empty()) row.address += (row.address.empty() ? "output " : " ") + std::string(name);
        row.hash = rows.hash(3);
        auto const text = records.key.cipher.open(rows.text(2), [&] { return record_place::base(address, name); });
        auto entry = text ? read_entry(*text, records.sets) : std::nullopt;
        row.damaged = !entry || address_of(*entry) != address || name_in_base(*entry) != name
            || row.hash != base_hash(hasher, address, name, rows.text(2));
        if (entry) row.content.entry = std::move(*entry);
    }
    std::ranges::partition(
        all, [](entry_row const& e) { return e.content.entry.kind() == infra::journal_entry::kind_type::begin; });
    return all;
}

auto read_generations(database& db) -> std::vector<generation_record>
{
    std::vector<generation_record> all;
    statement rows = db.prepare("SELECT number, command, started, ended, result, serial, sequence"
        + db.rows_of("generation") + " ORDER BY number");
    while (rows.step()) {
        generation_record& one = all.emplace_back();
        one.number = rows.integer(0);
        // The user is on a second line, so that the tables are those of earlier versions.
        std::string_view const command = rows.text(1);
        auto const end = std::min(command.find('\n'), command.size());
        one.command = command.substr(0, end);
        one.author = command.substr(std::min(end + 1, command.size()));
        one.started = rows.integer(2);
        if (!rows.is_null(3)) one.ended = rows.integer(3);
        one.result = rows.text(4);
        one.serial = rows.integer(5);
        one.sequence = rows.integer(6);
    }
    return all;
}

}  // namespace iacctl::state
