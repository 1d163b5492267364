// SPDX-License-Identifier: BSL-1.0
#include "records.hpp"

#include "base/background_task.hpp"
#include "base/parallel_chunks.hpp"
#include "messages/report.hpp"
#include "state/part_locks.hpp"
#include "state/record_text.hpp"
#include "state/stored_name.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace iacctl::state {

namespace {

struct resource_row {
    std::string name;
    std::string deposed;
    std::int64_t position;
    bool deleted;
    std::int64_t version;
    std::string attributes;
    infra::document document;  // rows with the same text share it
    digest hash;
    // The content of the row; no object if it is damaged.
    std::size_t size;
    std::optional<infra::address> target;
    std::optional<infra::object> object;
};

// The version of a record; if its row has none, it is derived from its hash.
auto version_of(std::int64_t version, digest const& hash) -> std::int64_t
{
    if (version != 0) return version;
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
            auto const place = [&] {
                return record_place::resource(which, row.name, row.deposed, row.position, row.deleted);
            };
            return cipher_->open(stored, place, row.version);
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
    state_reader(database& db, state_site const& site, field_hasher& hasher, state_records& to)
        : db_(&db),
          site_(&site),
          hasher_(&hasher),
          to_(&to)
    {}

    void read_all()
    {
        guarded([&] { read_sets(); });
        guarded([&] { read_resources(); });
        guarded([&] { read_outputs(); });
        guarded([&] { read_pending(); });
    }

private:
    // Continues with other tables after damage in one of them.
    template <class Read>
    void guarded(Read const& read)
    {
        try {
            read();
        } catch (database_error const& error) {
            if (!error.is_damage()) throw;
            to_->damaged.add(damaged_database(*site_, error));
        }
    }
    void count(std::uint64_t size)
    {
        ++to_->rows;
        to_->bytes += size;
        to_->largest = std::max(to_->largest, size);
    }
    void report(std::string_view kind, std::string_view name) { to_->damaged.add(damaged_record(*site_, kind, name)); }
    // A column that only one of the dialects has.
    [[nodiscard]] auto column(std::string_view dialect::* which) const -> std::string
    {
        return std::string(db_->properties().*which) + ", ";
    }
    void read_sets()
    {
        for (std::string const& id : read_dependency_sets(*db_, *hasher_, to_->sets, to_->sum, to_->last_set))
            report("set of dependencies", id);
    }
    // Rows are read by this thread, because of SQLite. Meanwhile the rows before are checked and taken in by others.
    void read_resources()
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
                db_->prepare("SELECT address, deposed, " + column(&dialect::position) + column(&dialect::deleted)
                    + column(&dialect::version) + "attributes, document, sha256" + db_->rows_of("resource"));
            while (rows.step()) {
                some.push_back(
                    {std::string(rows.text(0)), std::string(rows.text(1)), rows.integer(2), rows.integer(3) != 0,
                        rows.integer(4), std::string(rows.text(5)), shared(rows.text(6)), rows.hash(7), {}, {}, {}});
                if (some.size() < at_once) continue;
                if (taking_in) taking_in->get();
                taking_in.emplace([this, read = std::exchange(some, {})]() mutable { take_in(read); });
                at_once = std::min(2 * at_once, most);
            }
            if (taking_in) taking_in->get();
        });
        take_in(some);
    }
    void take_in(std::deque<resource_row>& some)
    {
        constexpr std::size_t grain_size = 400;
        auto const sums = parallel_chunks(some.size(), grain_size, [&](std::size_t from, std::size_t to) {
            row_inspector inspector(to_->sets, to_->key.cipher);
            content_sum sum;
            for (std::size_t i = from; i < to; ++i) sum.add(inspector.look_at(some[i]));
            return sum;
        });
        for (content_sum const& sum : sums) to_->sum.add(sum.bytes());
        std::vector<resource_row*> in_order;
        in_order.reserve(some.size());
        for (resource_row& row : some) in_order.push_back(&row);
        std::sort(in_order.begin(), in_order.end(), [](resource_row const* a, resource_row const* b) {
            if (a->target && b->target)
                if (auto const order = *a->target <=> *b->target; order != 0) return order < 0;
            return std::tie(a->target, a->name, a->deposed) < std::tie(b->target, b->name, b->deposed);
        });
        for (resource_row* const row : in_order) take_in(*row);
    }
    void take_in(resource_row& row)
    {
        count(row.size);
        if (!row.target || !row.object) return report("resource", row.name);
        if (row.deleted) return;
        to_->versions.push_back({std::move(row.name), version_of(row.version, row.hash)});
        // All instances of a resource share its address, whoever has parsed it.
        if (!last_.is_of_resource(*row.target)) last_ = row.target->resource();
        auto& resources = to_->snapshot.resources;
        auto& record = resources.try_emplace(resources.end(), last_.instance(row.target->key()))->second;
        bool const is_current = row.deposed.empty();
        if (is_current ? record.current.has_value() : record.deposed.contains(row.deposed))
            to_->damaged.add(messages::make_error(messages::state_duplicate_record,
                {site_->place, to_->versions.back().part, site_->advice()}, to_->versions.back().part));
        else if (is_current) record.current = std::move(*row.object);
        else record.deposed.emplace(std::move(row.deposed), std::move(*row.object));
    }
    void read_outputs()
    {
        statement rows = db_->prepare(
            "SELECT name, " + column(&dialect::version) + "document, sha256" + db_->rows_of("output") + " ORDER BY 1");
        while (rows.step()) {
            std::string_view const name = rows.text(0);
            digest const hash = output_hash(*hasher_, name, rows.text(2));
            count(name.size() + rows.text(2).size());
            to_->sum.add(hash);
            auto const text =
                to_->key.cipher.open(rows.text(2), [&] { return record_place::output(name); }, rows.integer(1));
            auto value = text ? read_output(*text) : std::nullopt;
            if (hash != rows.hash(3) || !value) report("output", name);
            else if (name.empty()) to_->snapshot.checks = std::move(value->value);
            else {
                to_->versions.push_back({state_parts::name_of_output(name), version_of(rows.integer(1), hash)});
                to_->snapshot.outputs.insert_or_assign(std::string(name), std::move(*value));
            }
        }
    }
    void read_pending()
    {
        statement rows = db_->prepare("SELECT operation, " + column(&dialect::version) + "document, sha256"
            + db_->rows_of("pending") + " ORDER BY 1");
        while (rows.step()) {
            std::string_view const name = rows.text(0);
            digest const hash = pending_hash(*hasher_, name, rows.text(2));
            count(name.size() + rows.text(2).size());
            to_->sum.add(hash);
            auto const text =
                to_->key.cipher.open(rows.text(2), [&] { return record_place::pending(name); }, rows.integer(1));
            auto operation = text ? read_operation(*text) : std::nullopt;
            if (hash != rows.hash(3) || !operation) report("pending operation", name);
            else {
                to_->versions.push_back({stored_name(operation->target), version_of(rows.integer(1), hash)});
                to_->snapshot.pending.insert_or_assign(std::string(name), std::move(*operation));
            }
        }
    }

    database* db_;
    state_site const* site_;
    field_hasher* hasher_;
    state_records* to_;
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
    struct row {
        std::string id;
        std::string document;
    };
    std::vector<row> early;  // stored before their parts
    statement rows = db.prepare("SELECT id, document, sha256, position" + db.rows_of("dependency_set")
        + " AND position > $1 ORDER BY position");
    rows.bind(last);
    while (rows.step()) {
        last = rows.integer(3);
        digest const hash = dependency_set_hash(hasher, rows.text(0), rows.text(1));
        sum.add(hash);
        if (hash != rows.hash(2)) damaged.emplace_back(rows.text(0));
        else if (!to.read(rows.text(0), rows.text(1)))
            early.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
    }
    // Two writers may each have stored a part of a set that both need.
    while (std::erase_if(early, [&](row const& r) { return to.read(r.id, r.document); }) != 0) {}
    for (row& r : early) damaged.push_back(std::move(r.id));
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

auto damaged_record(state_site const& site, std::string_view kind, std::string_view name) -> infra::diagnostic
{
    return messages::make_error(messages::state_damaged, {site.place, kind, name, site.advice()}, std::string(name));
}

auto damaged_database(state_site const& site, database_error const& error) -> infra::diagnostic
{
    return messages::make_error(messages::state_database_damaged, {site.place, error.what(), site.advice()});
}

void read_records(database& db, state_site const& site, field_hasher& hasher, state_records& to)
{
    state_reader(db, site, hasher, to).read_all();
}

void state_header::describe(infra::snapshot& s) const
{
    s.lineage = lineage;
    s.serial = static_cast<std::uint64_t>(serial);
}

auto check_support(state_header const& header, std::int64_t newest, std::string const& place) -> expected<void>
{
    if (header.format > newest)
        return make_failure(
            messages::state_newer_format, {place, std::to_string(header.format), std::to_string(newest)});
    if (!header.features.empty()) return make_failure(messages::state_unknown_features, {place, header.features});
    return {};
}

auto find_key(state_header const& header, record_place const& of_seal, encryption::target const& methods,
    std::string const& subject, std::optional<std::int64_t> workspace) -> expected<record_key>
{
    if (header.encryption.empty()) {
        if (!header.lineage.empty() && !methods.accepts_unencrypted()) return methods.not_encrypted(subject);
        return record_key{record_cipher(), {}, !methods.encrypts()};
    }
    auto ready = methods.to_open(header.encryption, subject, [&](encryption::ready_method const& method) {
        return method.cipher->open(header.seal, of_seal.bytes()).has_value();
    });
    if (!ready) return ready.error();
    return record_key{record_cipher(std::move(*ready->cipher), workspace), header.encryption, ready->is_first};
}

}  // namespace iacctl::state
