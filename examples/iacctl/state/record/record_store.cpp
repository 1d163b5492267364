// SPDX-License-Identifier: BSL-1.0
#include "record_store.hpp"

#include "base/timestamp.hpp"

#include <limits>
#include <utility>

namespace iacctl::state {

auto record_store::read() -> task<expected<infra::snapshot>>
{
    auto work = [this] { return read_now(); };
    return thread().run(work);
}

auto record_store::read_now() -> expected<infra::snapshot>
{
    return attempt(stage::reading, [&]() -> expected<infra::snapshot> {
        auto all = load();
        if (!all) return all.error();
        state_records content = *all ? std::move(**all) : state_records();
        data().serial = content.snapshot.serial;
        data().checks = content.snapshot.checks;
        if (*all) {
            data().key = std::move(content.key);
            data().sets = std::move(content.sets);
        }
        return std::move(content.snapshot);
    });
}

auto record_store::append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> task<strider::error_code>
{
    auto work = [this, batch, &after] { return append_now(batch, after); };
    return thread().run(work);
}

auto record_store::append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> strider::error_code
{
    if (data().failure) return make_error_code(state_error::not_saved);
    // An empty state is a state, too, and a pushed state may differ only in its serial.
    if (batch.empty() && !lineage().empty() && after.serial <= data().serial) return {};
    data().failure = attempt(stage::saving, [&]() -> std::optional<infra::failure> {
        if (auto problem = make_ready()) return problem;
        // An entry that only begins an operation does not increase the serial.
        bool const rises = after.serial >= data().serial
            && after.serial <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (!rises) return make_failure(messages::state_serial_falls, {place()});
        if (!lineage().empty() && !after.lineage.empty() && after.lineage != lineage())
            return make_failure(messages::state_other_lineage, {place()});
        if (auto problem = write(batch, after)) return problem;
        data().serial = after.serial;
        return std::nullopt;
    });
    return data().failure ? make_error_code(kind_of(*data().failure)) : strider::error_code();
}

auto record_store::begin_generation(std::string_view command) -> expected<std::int64_t>
{
    if (data().failure) return make_failure(messages::state_earlier_attempt_failed, {place()});
    return attempt(stage::beginning, [&]() -> expected<std::int64_t> {
        data().command = command;
        if (auto problem = make_ready()) return *problem;
        data().generation = begin(command, now_ms());
        return data().generation;
    });
}

auto record_store::end_generation(std::string_view result) -> std::optional<infra::failure>
{
    if (data().generation == 0 || data().failure) return std::nullopt;
    return attempt(stage::ending, [&]() -> std::optional<infra::failure> {
        end(result, now_ms());
        data().generation = 0;
        return std::nullopt;
    });
}

auto record_store::generations() -> expected<std::vector<generation_record>>
{
    std::vector<generation_record> all;
    if (auto failed = view([&](database& db, state_records&) { all = read_generations(db); })) return *failed;
    return all;
}

auto record_store::view_with_sets(view_work const& work) -> std::optional<infra::failure>
{
    infra::diagnostics damaged;
    auto failed = view([&](database& db, state_records& content) {
        for (std::string const& id :
            read_dependency_sets(db, data().hasher, content.sets, content.sum, content.last_set))
            content.damaged.add(damaged_record(site(), "set of dependencies", id));
        if (content.damaged.empty()) work(db, content);
        damaged = std::move(content.damaged);
    });
    if (!failed && !damaged.empty()) failed = infra::failure(std::move(damaged));
    return failed;
}

auto record_store::damaged_entry(messages::message<3> const& m, std::int64_t sequence) const -> infra::failure
{
    state_site const at = site();
    return make_failure(m, {at.place, std::to_string(sequence), at.advice()});
}

auto record_store::entries_after(std::int64_t after) -> expected<std::vector<history_entry>>
{
    std::vector<history_entry> all;
    std::optional<infra::failure> damaged;
    auto failed = view_with_sets([&](database& db, state_records& content) {
        all.clear();
        damaged.reset();
        for_each_entry(db, data().hasher, content.sets, content.key.cipher, after, [&](entry_row row) {
            if (row.damaged) damaged = damaged_entry(messages::state_history_damaged, row.content.sequence);
            else all.push_back(std::move(row.content));
            return !damaged;
        });
    });
    if (failed) return *failed;
    if (damaged) return *damaged;
    return all;
}

auto record_store::read_at(std::int64_t sequence) -> expected<infra::snapshot>
{
    std::vector<entry_row> entries;
    infra::snapshot now;
    expected<history_base> base = history_base();
    if (sequence != 0)
        base = make_failure(messages::state_has_no_such_sequence, {place(), std::to_string(sequence), "0"});
    auto failed = view_with_sets([&](database& db, state_records& content) {
        entries = read_entries(db, data().hasher, content);
        now.lineage = content.snapshot.lineage;
        base = base_before(db, content, entries, sequence);
    });
    if (failed) return *failed;
    if (!base) return base.error();
    if (base->is_current) return read_now();

    infra::snapshot s = std::move(base->content);
    s.lineage = now.lineage;
    std::int64_t last = base->sequence;
    auto const missing = [&](std::int64_t next) { return base->is_gapless && next != last + 1; };
    for (entry_row const& row : entries) {
        std::int64_t const next = row.content.sequence;
        if (next <= base->sequence || next > sequence) continue;
        if (missing(next)) break;
        if (row.damaged || !replay(s, row.content.entry)) return damaged_entry(messages::state_history_damaged, next);
        last = next;
    }
    if (missing(sequence + 1)) return damaged_entry(messages::state_history_incomplete, last + 1);
    return s;
}

}  // namespace iacctl::state
