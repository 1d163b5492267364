// SPDX-License-Identifier: BSL-1.0
#include "pg_workspace.hpp"

#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/record/history_rows.hpp"
#include "state/record/schema.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends {

using postgres::array_text;
using postgres::connection;
using postgres::parameters;
using postgres::result_set;
using state::record_place;

namespace {

auto seal_place(std::int64_t workspace, std::string_view metadata) -> record_place
{
    state::field_hasher hasher;
    return record_place::header(hasher.start("workspace").field(workspace).field(metadata).finish());
}

auto seal_of(encryption::ready_method const& method, std::int64_t workspace) -> std::string
{
    return method.cipher ? method.cipher->seal({}, seal_place(workspace, method.metadata).bytes()) : std::string();
}

auto metadata_of(encryption::ready_method const& method) -> std::string
{
    return method.cipher ? method.metadata : std::string();
}

// The records of one table, with the columns that identify them.
struct record_table {
    char const* name;
    std::vector<char const*> keys;
    std::vector<char const*> types;  // of the keys
    std::vector<char const*> numbers;  // further columns in the place of a record; the first may be its version
    std::vector<char const*> texts;  // sealed
};

// A row of such a table.
struct record {
    std::vector<std::string> keys;
    std::vector<std::int64_t> numbers;
    std::vector<std::string> texts;
    std::string hash;
};

// Decrypts records with one key and encrypts them with another.
class converter {
public:
    converter(pg_database const& in, connection& on, std::int64_t workspace, state::record_cipher const& from,
        state::record_cipher const& to)
        : in_(&in),
          on_(&on),
          workspace_(workspace),
          from_(&from),
          to_(&to)
    {}

    // Converts all records. \return the name of a damaged record; nothing if there is none
    auto run() -> std::optional<std::string>
    {
        using part = record_place::part_type;
        convert(
            {"resource", {"address", "deposed"}, {"text", "text"}, {"version"}, {"attributes", "document"}},
            [&](record const& r) {
                return state::resource_hash(hasher_, r.keys[0], r.keys[1], 0, false, r.texts[0], r.texts[1]);
            },
            [](record const& r, std::size_t text) {
                return record_place::resource(
                    text == 0 ? part::attributes : part::document, r.keys[0], r.keys[1], 0, false);
            });
        convert(
            {"output", {"name"}, {"text"}, {"version"}, {"document"}},
            [&](record const& r) { return state::output_hash(hasher_, r.keys[0], r.texts[0]); },
            [](record const& r, std::size_t) { return record_place::output(r.keys[0]); });
        convert(
            {"pending", {"operation"}, {"text"}, {"version"}, {"document"}},
            [&](record const& r) { return state::pending_hash(hasher_, r.keys[0], r.texts[0]); },
            [](record const& r, std::size_t) { return record_place::pending(r.keys[0]); });
        convert(
            {"base", {"address", "name"}, {"text", "text"}, {}, {"document"}},
            [&](record const& r) { return state::base_hash(hasher_, r.keys[0], r.keys[1], r.texts[0]); },
            [](record const& r, std::size_t) { return record_place::base(r.keys[0], r.keys[1]); });
        convert(
            {"entry", {"sequence"}, {"bigint"}, {"0", "sequence", "generation", "epoch", "time"}, {"document"}},
            [&](record const& r) {
                return state::entry_hash(hasher_, 0, r.numbers[2], r.numbers[3], r.numbers[4], r.texts[0]);
            },
            [](record const& r, std::size_t) {
                return record_place::entry(r.numbers[1], r.numbers[2], r.numbers[3], r.numbers[4]);
            });
        return damaged_;
    }

private:
    static constexpr std::size_t at_once = 256;

    template <class Hash, class Place>
    void convert(record_table const& table, Hash const& hash_of, Place const& place_of)
    {
        if (damaged_) return;
        std::vector<record> all = read(table);
        for (std::size_t from = 0; from < all.size() && !damaged_; from += at_once) {
            std::size_t const end = std::min(from + at_once, all.size());
            for (std::size_t i = from; i < end; ++i)
                if (!reseal(all[i], hash_of, place_of)) damaged_ = all[i].keys.front();
            if (!damaged_) write(table, all, from, end);
        }
    }
    template <class Hash, class Place>
    auto reseal(record& r, Hash const& hash_of, Place const& place_of) -> bool
    {
        if (bytes_of(hash_of(r)) != r.hash) return false;
        std::int64_t const version = r.numbers.empty() ? 0 : r.numbers.front();
        for (std::size_t text = 0; text < r.texts.size(); ++text) {
            auto const place = [&] { return place_of(r, text); };
            auto opened = from_->open(r.texts[text], place, version);
            if (!opened) return false;
            r.texts[text] = to_->sealed(std::move(*opened), place, version);
        }
        r.hash = bytes_of(hash_of(r));
        return true;
    }
    auto read(record_table const& table) -> std::vector<record>
    {
        std::string columns;
        for (auto const* const list : {&table.keys, &table.numbers, &table.texts})
            for (char const* column : *list) columns += std::string(column) + ", ";
        result_set const rows =
            on_->query("SELECT " + columns + "sha256 FROM " + in_->table(table.name) + " WHERE workspace = $1",
                parameters().add(workspace_));
        std::vector<record> all;
        all.reserve(static_cast<std::size_t>(rows.size()));
        for (int i = 0; i < rows.size(); ++i) {
            record& r = all.emplace_back();
            int column = 0;
            for (std::size_t k = 0; k < table.keys.size(); ++k) r.keys.emplace_back(rows.text(i, column++));
            for (std::size_t k = 0; k < table.numbers.size(); ++k) r.numbers.push_back(rows.integer(i, column++));
            for (std::size_t k = 0; k < table.texts.size(); ++k) r.texts.emplace_back(rows.text(i, column++));
            r.hash = rows.bytes(i, column);
        }
        return all;
    }
    void write(record_table const& table, std::vector<record> const& all, std::size_t from, std::size_t end)
    {
        parameters with;
        with.add(workspace_);
        std::string names;
        std::string arrays;
        std::string set;
        std::string where;
        int number = 1;
        auto const add = [&](std::string const& name, std::string const& type, auto const& text_of) {
            array_text column;
            for (std::size_t i = from; i < end; ++i) text_of(column, all[i]);
            with.add(column.finish());
            names += (names.empty() ? "" : ", ") + name;
            arrays += (arrays.empty() ? "$" : ", $") + std::to_string(++number) + "::" + type + "[]";
        };
        for (std::size_t k = 0; k < table.keys.size(); ++k) {
            add(table.keys[k], table.types[k], [&](array_text& to, record const& r) { to.add(r.keys[k]); });
            where += std::string(" AND t.") + table.keys[k] + " = n." + table.keys[k];
        }
        for (std::size_t k = 0; k < table.texts.size(); ++k) {
            add(table.texts[k], "text", [&](array_text& to, record const& r) { to.add(r.texts[k]); });
            set += std::string(table.texts[k]) + " = n." + table.texts[k] + ", ";
        }
        add("sha256", "bytea", [](array_text& to, record const& r) { to.add_bytes(r.hash); });
        on_->query("UPDATE " + in_->table(table.name) + " t SET " + set + "sha256 = n.sha256 FROM unnest(" + arrays
                + ") AS n (" + names + ") WHERE t.workspace = $1" + where,
            with);
    }

    pg_database const* in_;
    connection* on_;
    std::int64_t workspace_;
    state::record_cipher const* from_;
    state::record_cipher const* to_;
    state::field_hasher hasher_;
    std::optional<std::string> damaged_;
};

void write_key(pg_database const& in, connection& on, std::int64_t workspace, encryption::ready_method const& method,
    std::string_view condition)
{
    parameters values;
    values.add(workspace).add(metadata_of(method)).add_bytes(seal_of(method, workspace));
    on.query(
        "UPDATE " + in.table("workspace") + " SET encryption = $2, seal = $3 WHERE id = $1" + std::string(condition),
        values);
}

}  // namespace

auto bytes_of(state::digest const& hash) -> std::string
{
    return {hash.begin(), hash.end()};
}

auto pg_workspace::read(pg_database const& in, connection& on, std::string const& name) -> std::optional<pg_workspace>
{
    auto const rows = on.query("SELECT id, format, features, lineage, serial + (SELECT coalesce(sum(s.serial), 0) FROM "
            + in.table("session") + " s WHERE s.workspace = w.id), encryption, seal, pruned FROM "
            + in.table("workspace") + " w WHERE name = $1",
        parameters().add(name));
    if (rows.size() == 0) return std::nullopt;
    pg_workspace found;
    found.id = rows.integer(0, 0);
    found.format = rows.integer(0, 1);
    found.features = rows.text(0, 2);
    found.lineage = rows.text(0, 3);
    found.serial = static_cast<std::uint64_t>(rows.integer(0, 4));
    found.encryption = rows.text(0, 5);
    found.seal = rows.bytes(0, 6);
    found.pruned = rows.integer(0, 7);
    return found;
}

auto pg_workspace::adds_up(pg_database const& in, connection& on) const -> bool
{
    return on
        .query("SELECT content + (SELECT coalesce(sum(s.content), 0) FROM " + in.table("session")
                + " s WHERE s.workspace = w.id) = (" + in.content_query("w.id") + ") FROM " + in.table("workspace")
                + " w WHERE id = $1",
            parameters().add(id))
        .boolean(0, 0);
}

auto find_key(pg_workspace const& workspace, encryption::target const& methods, std::string const& subject)
    -> expected<state::record_key>
{
    return state::find_key({workspace.encryption, workspace.seal, seal_place(workspace.id, workspace.encryption),
                               workspace.lineage.empty(), workspace.id},
        methods, subject);
}

auto set_first_key(pg_database& in, std::string const& name, encryption::target const& methods) -> expected<void>
{
    if (!methods.encrypts()) return {};
    auto const found = in.repeat([&](connection& on) { return pg_workspace::read(in, on, name); });
    if (!found || !found->lineage.empty() || !found->encryption.empty()) return {};
    auto const to = methods.to_seal();
    if (!to) return to.error();
    in.repeat([&](connection& on) {
        write_key(in, on, found->id, *to, " AND lineage = '' AND encryption = ''");
        return 0;
    });
    return {};
}

auto change_key(pg_database const& in, connection& on, std::string const& name, encryption::target const& methods)
    -> expected<void>
{
    std::string const place = in.place_of(name);
    auto found = pg_workspace::read(in, on, name);
    if (!found) return {};
    auto const from = find_key(*found, methods, "the state at " + place);
    if (!from) return from.error();
    if (from->is_current) return {};  // another process has done it already
    auto const with = methods.to_seal();
    if (!with) return with.error();
    auto const to = with->cipher ? state::record_cipher(*with->cipher, found->id) : state::record_cipher();
    if (!found->adds_up(in, on)) return state::make_failure(messages::state_records_missing, {place, recovery_advice});
    if (auto const damaged = converter(in, on, found->id, from->cipher, to).run())
        return state::make_failure(messages::state_damaged,
            {place, "key change", *damaged, "Nothing was changed. " + std::string(recovery_advice)});
    write_key(in, on, found->id, *with, {});
    // The hashes have changed with the texts. There are no other sessions.
    on.query("UPDATE " + in.table("workspace") + " w SET content = (" + in.content_query("w.id")
            + ") - (SELECT coalesce(sum(s.content), 0) FROM " + in.table("session")
            + " s WHERE s.workspace = w.id) WHERE id = $1",
        parameters().add(found->id));
    return {};
}

}  // namespace iacctl::backends
