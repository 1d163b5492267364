// SPDX-License-Identifier: BSL-1.0
#include "record_checks.hpp"

#include "history_rows.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace iacctl::state {

namespace {

auto missing_records(state_site const& site) -> infra::diagnostics
{
    return messages::make_error(messages::state_records_missing, {site.place, site.advice()});
}

auto contradictions_of(infra::snapshot const& content) -> infra::diagnostics
{
    infra::diagnostics found = infra::verify_integrity(content);
    found.add(infra::verify_lineage(content));
    return found;
}

// Checks entries one by one, and makes the state again that they describe.
class history_checker {
public:
    history_checker(database& db, field_hasher& hasher, state_records const& records, state_site const& site)
        : db_(&db),
          hasher_(&hasher),
          records_(&records),
          site_(&site)
    {}

    void read(std::optional<std::int64_t> expected_last)
    {
        try {
            for (entry_row const& row : read_base(*db_, *hasher_, *records_)) {
                if (row.damaged)
                    problems_.add(messages::make_error(messages::state_damaged,
                        {site_->place, "state before the history", row.address, site_->advice()}, row.address));
                replay(row);
            }
            for_each_entry(*db_, *hasher_, records_->sets, records_->key.cipher, 0, [&](entry_row const& row) {
                take(row);
                return true;
            });
            if (expected_last && entries_ != 0) expect(*expected_last + 1);
        } catch (database_error const& error) {
            if (!error.is_damage()) throw;
            problems_.add(damaged_database(*site_, error));
        }
    }
    [[nodiscard]] auto problems() const -> infra::diagnostics const& { return problems_; }
    [[nodiscard]] auto entries() const -> std::size_t { return entries_; }
    [[nodiscard]] auto last() const -> std::int64_t { return last_; }
    // Returns whether the entries have made the records.
    [[nodiscard]] auto makes_records() -> bool
    {
        if (!fits_) return false;
        // Commands that change disjoint parts at the same time write results of checks in any order.
        made_.checks = records_->snapshot.checks;
        made_.serial = records_->snapshot.serial;
        made_.lineage = records_->snapshot.lineage;
        return made_ == records_->snapshot;
    }

private:
    void report(messages::message<3> const& m, std::int64_t sequence)
    {
        problems_.add(messages::make_error(m, {site_->place, std::to_string(sequence), site_->advice()}));
    }
    void expect(std::int64_t sequence)
    {
        if (db_->properties().is_gapless && sequence != last_ + 1)
            report(messages::state_history_incomplete, last_ + 1);
    }
    void take(entry_row const& row)
    {
        if (last_ != 0) expect(row.content.sequence);
        if (row.damaged) report(messages::state_history_damaged, row.content.sequence);
        replay(row);
        last_ = row.content.sequence;
        ++entries_;
    }
    void replay(entry_row const& row)
    {
        if (db_->properties().has_base)
            fits_ = fits_ && !row.damaged && infra::replay(made_, row.content.entry).has_value();
    }

    database* db_;
    field_hasher* hasher_;
    state_records const* records_;
    state_site const* site_;
    infra::diagnostics problems_;
    infra::snapshot made_;
    bool fits_ = true;
    std::size_t entries_ = 0;
    std::int64_t last_ = 0;
};

}  // namespace

auto problems_of(state_records const& records, state_site const& site) -> infra::diagnostics
{
    if (!records.damaged.empty()) return records.damaged;
    if (!records.is_complete.value_or(true)) return missing_records(site);
    infra::diagnostics contradictions = contradictions_of(records.snapshot);
    if (contradictions.empty()) return {};
    infra::diagnostics why = messages::make_error(
        messages::state_contradictory, {site.place, site.advice()}, contradictions.front().address);
    why.add(std::move(contradictions));
    return why;
}

void check_records(verification& to, state_records const& records, state_site const& site)
{
    to.rows = records.rows;
    to.bytes = records.bytes;
    to.add("rows", records.damaged,
        counted(records.rows, " row, ", " rows, ") + counted(records.bytes, " byte", " bytes"));
    if (records.is_complete) to.add("checksum", *records.is_complete ? infra::diagnostics() : missing_records(site));
    else to.add_skipped("checksum", "rows or the header are damaged");
    if (!records.is_complete || !records.damaged.empty())
        return to.add_skipped("structure", "rows or the header are damaged");
    if (!*records.is_complete) return to.add_skipped("structure", "records are missing");
    to.add("structure", contradictions_of(records.snapshot),
        counted(records.snapshot.resources.size(), " resource instance", " resource instances"));
}

auto check_history(verification& to, database& db, field_hasher& hasher, state_records const& records,
    state_site const& site, std::optional<std::int64_t> last) -> std::int64_t
{
    history_checker checker(db, hasher, records, site);
    checker.read(last);
    bool const is_sound = checker.problems().empty();
    to.add("history", checker.problems(), counted(checker.entries(), " entry", " entries"));
    if (!db.properties().has_base) return checker.last();
    if (is_sound && to.passed())
        to.add("records", checker.makes_records() ? infra::diagnostics() : missing_records(site),
            "those that the history makes");
    else to.add_skipped("records", "rows or entries are damaged or missing");
    return checker.last();
}

auto counted(std::size_t number, char const* c, char const* many) -> std::string
{
    return std::to_string(number) + (number == 1 ? c : many);
}

void verification::add(std::string_view name, infra::diagnostics found, std::string detail)
{
    bool const failed = !found.empty();
    if (failed) detail = counted(found.size(), " error", " errors");
    checks.push_back(
        {name, failed ? state_check::result_type::failed : state_check::result_type::passed, std::move(detail)});
    problems.add(std::move(found));
}

}  // namespace iacctl::state
