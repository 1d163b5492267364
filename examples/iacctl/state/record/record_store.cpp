// SPDX-License-Identifier: BSL-1.0
#include "record_store.hpp"

#include "base/timestamp.hpp"
#include "state/lock_holder.hpp"

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
    auto work = [this, batch, &after] { return code_of(append_now(batch, after)); };
    return thread().run(work);
}

auto record_store::append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> expected<void>
{
    if (!data().condition) return make_failure(messages::state_not_saved, {place(), "An earlier attempt has failed."});
    // An empty state is a state, too, and a pushed state may differ only in its serial.
    if (batch.empty() && !lineage().empty() && after.serial <= data().serial) return {};
    data().condition = attempt(stage::saving, [&]() -> expected<void> {
        if (auto const ok = make_ready(); !ok) return ok.error();
        // An entry that only begins an operation does not increase the serial.
        bool const rises = after.serial >= data().serial
            && after.serial <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (!rises) return make_failure(messages::state_serial_falls, {place()});
        if (!lineage().empty() && !after.lineage.empty() && after.lineage != lineage())
            return make_failure(messages::state_other_lineage, {place()});
        if (auto const ok = write(batch, after); !ok) return ok.error();
        data().serial = after.serial;
        return {};
    });
    return data().condition;
}

auto record_store::begin_generation(std::string_view command) -> expected<std::int64_t>
{
    if (!data().condition) return make_failure(messages::state_earlier_attempt_failed, {place()});
    return attempt(stage::beginning, [&]() -> expected<std::int64_t> {
        data().command = command;
        if (auto const ok = make_ready(); !ok) return ok.error();
        auto const self = this_process(command);
        data().generation = begin(self.operation + "\n" + self.user + "@" + self.host, now_ms());
        return data().generation;
    });
}

auto record_store::end_generation(std::string_view result) -> expected<void>
{
    if (data().generation == 0 || !data().condition) return {};
    return attempt(stage::ending, [&]() -> expected<void> {
        end(result, now_ms());
        data().generation = 0;
        return {};
    });
}

auto record_store::generations() -> expected<std::vector<generation_record>>
{
    std::vector<generation_record> all;
    if (auto const ok = view_without_key([&](database& db) { all = read_generations(db); }); !ok) return ok.error();
    return all;
}

auto record_store::view_with_sets(view_work const& work) -> expected<void>
{
    infra::diagnostics damaged;
    auto viewed = view([&](database& db, state_records& content) {
        for (std::string const& id :
            read_dependency_sets(db, data().hasher, content.sets, content.sum, content.last_set))
            content.damaged.add(damaged_record(site(), "set of dependencies", id));
        if (content.damaged.empty()) work(db, content);
        damaged = std::move(content.damaged);
    });
    if (viewed && !damaged.empty()) return infra::failure(std::move(damaged));
    return viewed;
}

auto record_store::damaged_entry(messages::message<3> const& m, std::int64_t sequence) const -> infra::failure
{
    state_site const at = site();
    return make_failure(m, {at.place, std::to_string(sequence), at.advice()});
}

auto record_store::entries_after(std::int64_t after) -> expected<std::vector<history_entry>>
{
    std::vector<history_entry> all;
    expected<void> sound;
    auto const viewed = view_with_sets([&](database& db, state_records& content) {
        all.clear();
        sound = {};
        for_each_entry(db, data().hasher, content.sets, content.key.cipher, after, [&](entry_row row) {
            if (row.damaged) sound = damaged_entry(messages::state_history_damaged, row.content.sequence);
            else all.push_back(std::move(row.content));
            return sound.has_value();
        });
    });
    if (!viewed) return viewed.error();
    if (!sound) return sound.error();
    return all;
}

auto record_store::read_at(std::int64_t sequence) -> expected<infra::snapshot>
{
    std::vector<entry_row> entries;
    infra::snapshot now;
    expected<history_base> base = history_base();
    if (sequence != 0)
        base = make_failure(messages::state_has_no_such_sequence, {place(), std::to_string(sequence), "0"});
    auto const viewed = view_with_sets([&](database& db, state_records& content) {
        entries = read_entries(db, data().hasher, content);
        now.lineage = content.snapshot.lineage;
        base = base_before(db, content, entries, sequence);
    });
    if (!viewed) return viewed.error();
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

auto record_store::remains_of_damage() -> expected<remains>
{
    auto const checked = verify();
    if (!checked) return checked.error();
    if (checked->passed()) return make_failure(messages::state_is_sound, {place()});
    return attempt(stage::reading, [&] { return find_remains(); });
}

auto record_store::salvage_choices() -> expected<std::vector<salvage_choice>>
{
    auto const all = remains_of_damage();
    if (!all) return all.error();
    std::vector<salvage_choice> choices;
    for (recipe& made : recipes(*all, site())) choices.push_back(std::move(made.choice));
    return choices;
}

auto record_store::salvage(salvage_source from) -> expected<restored_state>
{
    auto const all = remains_of_damage();
    if (!all) return all.error();
    auto const made = recipes(*all, site());
    recipe const& chosen = made[static_cast<std::size_t>(from)];
    if (chosen.choice.impossible) return *chosen.choice.impossible;
    return replace(*all, chosen);
}

}  // namespace iacctl::state
