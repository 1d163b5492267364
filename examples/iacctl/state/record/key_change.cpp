// SPDX-License-Identifier: BSL-1.0
#include "key_change.hpp"

#include "history_rows.hpp"
#include "records.hpp"

#include <cstddef>
#include <utility>

namespace iacctl::state {

namespace {

constexpr std::size_t at_once = 256;

class resealer {
public:
    resealer(database& db, state_site const& site, record_cipher const& from, record_cipher const& to, content_sum& sum,
        record_writer const& write)
        : db_(&db),
          site_(&site),
          from_(&from),
          to_(&to),
          sum_(&sum),
          write_(&write)
    {}

    auto run() -> expected<void>
    {
        if (auto const ok = run_for_state(); !ok) return ok.error();
        return run_for_history();
    }

private:
    auto run_for_state() -> expected<void>
    {
        using part = record_place::part_type;
        dialect const& columns = db_->properties();
        sealed_table const resources{"resource", "resource", columns.number, {"address", "deposed"}, columns.version,
            {columns.position, columns.deleted}, {"attributes", "document"}};
        sealed_table const outputs{"output", "output", {}, {"name"}, columns.version, {}, {"document"}};
        sealed_table const pending{
            "pending", "pending operation", {}, {"operation"}, columns.version, {}, {"document"}};
        auto ok = convert(
            resources,
            [&](sealed_record const& r) {
                return resource_hash(
                    hasher_, r.names[0], r.names[1], r.values[0], r.values[1] != 0, r.texts[0], r.texts[1]);
            },
            [](sealed_record const& r, std::size_t text) {
                return record_place::resource(text == 0 ? part::attributes : part::document, r.names[0], r.names[1],
                    r.values[0], r.values[1] != 0);
            },
            sum_);
        if (ok)
            ok = convert(
                outputs, [&](sealed_record const& r) { return output_hash(hasher_, r.names[0], r.texts[0]); },
                [](sealed_record const& r, std::size_t) { return record_place::output(r.names[0]); }, sum_);
        if (ok)
            ok = convert(
                pending, [&](sealed_record const& r) { return pending_hash(hasher_, r.names[0], r.texts[0]); },
                [](sealed_record const& r, std::size_t) { return record_place::pending(r.names[0]); }, sum_);
        return ok;
    }
    auto run_for_history() -> expected<void>
    {
        dialect const& columns = db_->properties();
        sealed_table const base{"base", "state before the history", {}, {"address", "name"}, "0", {}, {"document"}};
        sealed_table const entries{"entry", "history entry", "sequence", {}, "0",
            {"generation", "epoch", "time", columns.hashed_sequence}, {"document"}};
        expected<void> ok;
        if (columns.has_base)
            ok = convert(
                base, [&](sealed_record const& r) { return base_hash(hasher_, r.names[0], r.names[1], r.texts[0]); },
                [](sealed_record const& r, std::size_t) { return record_place::base(r.names[0], r.names[1]); });
        if (!ok) return ok;
        return convert(
            entries,
            [&](sealed_record const& r) {
                return entry_hash(hasher_, r.values[3], r.values[0], r.values[1], r.values[2], r.texts[0]);
            },
            [](sealed_record const& r, std::size_t) {
                return record_place::entry(r.number, r.values[0], r.values[1], r.values[2]);
            });
    }

    template <class Hash, class Place>
    auto convert(sealed_table const& table, Hash const& hash_of, Place const& place_of, content_sum* sum = nullptr)
        -> expected<void>
    {
        statement query = db_->prepare(query_for(table));
        std::vector<sealed_record> some;
        std::int64_t last = -1;
        do {
            if (!table.number.empty()) query.bind(last);
            some = read(table, query);
            for (sealed_record& r : some) {
                digest const before = r.hash;
                if (!reseal(r, hash_of, place_of)) return damaged(table, r);
                if (sum == nullptr) continue;
                sum->subtract(before);
                sum->add(r.hash);
            }
            if (!some.empty()) last = some.back().number;
            for (std::size_t at = 0; at < some.size(); at += at_once)
                (*write_)(table, std::span(some).subspan(at, std::min(at_once, some.size() - at)));
        } while (!table.number.empty() && some.size() == at_once);
        return {};
    }
    // Tables whose records have numbers are read in parts.
    [[nodiscard]] auto query_for(sealed_table const& table) const -> std::string
    {
        bool const in_parts = !table.number.empty();
        std::string text = "SELECT " + std::string(in_parts ? table.number : "0") + ", " + std::string(table.version);
        for (auto const* const list : {&table.names, &table.values, &table.texts})
            for (std::string_view const column : *list) text.append(", ").append(column);
        text += ", sha256" + db_->rows_of(table.name);
        if (in_parts)
            text.append(" AND ").append(table.number).append(" > $1 ORDER BY 1 LIMIT " + std::to_string(at_once));
        return text;
    }
    static auto read(sealed_table const& table, statement& query) -> std::vector<sealed_record>
    {
        std::vector<sealed_record> some;
        while (query.step()) {
            sealed_record& r = some.emplace_back();
            int column = 0;
            r.number = query.integer(column++);
            r.version = query.integer(column++);
            for (std::size_t i = 0; i < table.names.size(); ++i) r.names.emplace_back(query.text(column++));
            for (std::size_t i = 0; i < table.values.size(); ++i) r.values.push_back(query.integer(column++));
            for (std::size_t i = 0; i < table.texts.size(); ++i) r.texts.emplace_back(query.text(column++));
            r.hash = query.hash(column);
        }
        return some;
    }
    template <class Hash, class Place>
    auto reseal(sealed_record& r, Hash const& hash_of, Place const& place_of) const -> bool
    {
        if (hash_of(r) != r.hash) return false;
        for (std::size_t text = 0; text < r.texts.size(); ++text) {
            auto const place = [&] { return place_of(r, text); };
            auto opened = from_->open(r.texts[text], place, r.version);
            if (!opened) return false;
            r.texts[text] = to_->sealed(std::move(*opened), place, r.version);
        }
        r.hash = hash_of(r);
        return true;
    }
    [[nodiscard]] auto damaged(sealed_table const& table, sealed_record const& r) const -> infra::failure
    {
        std::string const name = r.names.empty() ? std::to_string(r.number) : r.names.front();
        return make_failure(
            messages::state_damaged, {site_->place, table.kind, name, "Nothing was changed. " + site_->advice()}, name);
    }

    database* db_;
    state_site const* site_;
    record_cipher const* from_;
    record_cipher const* to_;
    content_sum* sum_;
    record_writer const* write_;
    field_hasher hasher_;
};

}  // namespace

auto reseal_records(database& db, state_site const& site, record_cipher const& from, record_cipher const& to,
    content_sum& sum, record_writer const& write) -> expected<void>
{
    return resealer(db, site, from, to, sum, write).run();
}

}  // namespace iacctl::state
