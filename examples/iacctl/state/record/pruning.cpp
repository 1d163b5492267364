// SPDX-License-Identifier: BSL-1.0
#include "pruning.hpp"

#include "history_rows.hpp"
#include "state/record_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>

namespace iacctl::state {

namespace {

// The number of unreferenced sets below which they are not searched for.
constexpr std::int64_t few_sets = 64;

auto has_many_sets(database& db) -> bool
{
    statement count = db.prepare("SELECT (SELECT count(*)" + db.rows_of("dependency_set") + "), (SELECT count(*)"
        + db.rows_of("resource") + ")");
    return count.step() && count.integer(0) > few_sets + 4 * count.integer(1);
}

// Collects the sets to which records refer.
class set_search {
public:
    set_search(database& db, field_hasher& hasher, record_key const& key) : db_(&db), hasher_(&hasher)
    {
        records_.key = key;
    }

    // Returns false if anything is damaged.
    [[nodiscard]] auto run() -> bool
    {
        return read_dependency_sets(*db_, *hasher_, records_.sets, records_.sum, records_.last_set).empty()
            && use_objects() && use_entries();
    }
    [[nodiscard]] auto is_unused(std::string_view id) const -> bool
    {
        infra::dependency_set const* const set = records_.sets.find(id);
        return set != nullptr && !used_.contains(set->id());
    }

private:
    void use(infra::object const& object)
    {
        object.dependencies.for_each_set(
            [&](infra::dependency_set const& set) { return used_.insert(set.id()).second; },
            [](infra::dependency_set const&) {});
    }
    // Also the rows of destroyed objects, which remain while others depend on them.
    auto use_objects() -> bool
    {
        dialect const& columns = db_->properties();
        statement rows = db_->prepare("SELECT address, deposed, " + std::string(columns.position) + ", "
            + std::string(columns.deleted) + ", " + std::string(columns.version) + ", attributes, document, sha256"
            + db_->rows_of("resource"));
        while (rows.step()) {
            bool const deleted = rows.integer(3) != 0;
            auto const place = [&] {
                return record_place::resource(
                    record_place::part_type::document, rows.text(0), rows.text(1), rows.integer(2), deleted);
            };
            auto const text = records_.key.cipher.open(rows.text(6), place, rows.integer(4));
            auto const object = text ? read_object(*text, {}, records_.sets) : std::nullopt;
            digest const hash = resource_hash(
                *hasher_, rows.text(0), rows.text(1), rows.integer(2), deleted, rows.text(5), rows.text(6));
            if (!object || hash != rows.hash(7)) return false;
            use(*object);
        }
        return true;
    }
    auto use_entries() -> bool
    {
        bool sound = true;
        auto const take = [&](entry_row const& row) {
            sound = !row.damaged;
            if (sound && row.content.entry.result()) use(*row.content.entry.result());
            return sound;
        };
        if (!std::ranges::all_of(read_base(*db_, *hasher_, records_), take)) return false;
        for_each_entry(*db_, *hasher_, records_.sets, records_.key.cipher, 0, take);
        return sound;
    }

    database* db_;
    field_hasher* hasher_;
    state_records records_;
    std::unordered_set<infra::dependency_set::id_type> used_;
};

// Few statements, because each may be a message to a server.
void remove_sets(database& db, std::vector<std::int64_t> const& positions)
{
    constexpr std::size_t at_once = 1000;
    for (std::size_t from = 0; from < positions.size(); from += at_once) {
        std::string list;
        for (std::size_t i = from; i < std::min(from + at_once, positions.size()); ++i)
            list += (list.empty() ? "" : ", ") + std::to_string(positions[i]);
        db.prepare("DELETE" + db.rows_of("dependency_set") + " AND position IN (" + list + ")").run();
    }
}

}  // namespace

auto find_old_history(database& db, retention_policy const& keep, std::int64_t now) -> std::optional<old_history>
{
    std::string const generations = db.rows_of("generation");
    statement old = db.prepare("SELECT max(number)" + generations
        + " AND coalesce(ended, started) < $1 AND number < (SELECT min(number) FROM (SELECT number" + generations
        + " ORDER BY number DESC LIMIT $2) AS kept)");
    old.bind(now - keep.milliseconds).bind(std::max<std::int64_t>(keep.generations, 1));
    if (!old.step() || old.is_null(0)) return std::nullopt;
    std::int64_t const last = old.integer(0);
    old.reset();
    // A generation stores the last sequence before it, so the next one determines the last sequence of this one.
    statement next = db.prepare("SELECT sequence" + generations + " AND number > $1 ORDER BY number LIMIT 1");
    if (!next.bind(last).step()) return std::nullopt;
    return old_history{last, next.integer(0)};
}

void remove_history(database& db, old_history const& old)
{
    db.prepare("DELETE" + db.rows_of("entry") + " AND sequence <= $1").bind(old.sequence).run();
    db.prepare("DELETE" + db.rows_of("generation") + " AND number <= $1").bind(old.generation).run();
}

auto prune_sets(database& db, field_hasher& hasher, record_key const& key) -> std::vector<digest>
{
    std::vector<digest> removed;
    if (!has_many_sets(db)) return removed;
    set_search search(db, hasher, key);
    if (!search.run()) return removed;
    std::vector<std::int64_t> positions;
    statement all = db.prepare("SELECT position, id, sha256" + db.rows_of("dependency_set"));
    while (all.step()) {
        if (!search.is_unused(all.text(1))) continue;
        positions.push_back(all.integer(0));
        removed.push_back(all.hash(2));
    }
    remove_sets(db, positions);
    return removed;
}

}  // namespace iacctl::state
