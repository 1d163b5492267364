// SPDX-License-Identifier: BSL-1.0
#include "pushed_state.hpp"

#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/state_error.hpp"
#include "state/state_v4.hpp"

#include <utility>
#include <vector>

namespace iacctl::app {

namespace {

using infra::journal_entry;

// The entries that make one state of another. States are compared by what a state file can hold, which is less than is kept.
auto entries_between(infra::snapshot const& now, infra::snapshot const& to) -> std::vector<journal_entry>
{
    auto const as_file = state::from_v4(state::to_v4(now, language::language_version));
    infra::snapshot from = as_file && !now.lineage.empty() ? *as_file : now;
    std::vector<journal_entry> entries;
    // Operations first: where they begin or end objects may change, which is then put right with all others.
    auto const operate = [&](journal_entry e) {
        (void)replay(from, e);
        entries.push_back(std::move(e));
    };
    auto const before = from.pending;
    for (auto const& [id, operation] : before) {
        auto const kept = to.pending.find(id);
        if (kept == to.pending.end() || kept->second != operation) operate(journal_entry::end(operation, {}, true));
    }
    for (auto const& [id, operation] : to.pending)
        if (!from.pending.contains(id)) operate(journal_entry::begin(operation));
    for (auto const& [a, old] : from.resources) {
        auto const* const kept = to.find(a);
        if (old.current && (kept == nullptr || !kept->current)) entries.push_back(journal_entry::remove(a, {}));
        for (auto const& [key, _] : old.deposed)
            if (kept == nullptr || !kept->deposed.contains(key)) entries.push_back(journal_entry::remove(a, key));
    }
    for (auto const& [a, made] : to.resources) {
        auto const* const old = from.find(a);
        if (made.current && (old == nullptr || old->current != made.current))
            entries.push_back(journal_entry::record(a, {}, *made.current));
        for (auto const& [key, object] : made.deposed) {
            auto const there = old == nullptr ? made.deposed.end() : old->deposed.find(key);
            if (old == nullptr || there == old->deposed.end() || there->second != object)
                entries.push_back(journal_entry::record(a, key, object));
        }
    }
    for (auto const& [name, _] : from.outputs)
        if (!to.outputs.contains(name)) entries.push_back(journal_entry::output_removed(name));
    for (auto const& [name, value] : to.outputs) {
        auto const old = from.outputs.find(name);
        if (old == from.outputs.end() || old->second != value) entries.push_back(journal_entry::output(name, value));
    }
    if (from.checks != to.checks) entries.push_back(journal_entry::checks(to.checks));
    return entries;
}

// Refuses a state that the next command would report as damaged. -force does not change that.
auto check_pushed(infra::snapshot const& pushed) -> std::optional<infra::failure>
{
    auto found = infra::verify_integrity(pushed);
    if (found.empty()) return std::nullopt;
    return infra::failure(std::move(found));
}

}  // namespace

auto parse_pushed(std::string text) -> infra::checked<pushed_state>
{
    bool tells_operations = false;
    auto read = state::from_v4(std::move(text), &tells_operations);
    if (!read) return read.error();
    if (auto const unsound = check_pushed(*read)) return *unsound;
    return pushed_state{std::move(*read), tells_operations};
}

auto find_conflict(infra::snapshot const& now, pushed_state const& from) -> std::optional<infra::diagnostic>
{
    infra::snapshot const& pushed = from.content;
    if (!now.pending.empty() && !from.tells_operations) {
        std::string operations;
        for (auto const& [_, operation] : now.pending) operations += "\n  - " + to_string(operation.target);
        return make_error(messages::state_push_forgets_operations, {operations});
    }
    if (now.lineage.empty() || pushed.lineage.empty()) return std::nullopt;
    if (now.lineage != pushed.lineage)
        return make_error(messages::state_push_conflict_of_lineage, {pushed.lineage, now.lineage});
    auto const serial = std::to_string(now.serial);
    if (pushed.serial < now.serial)
        return make_error(messages::state_push_of_older_serial, {std::to_string(pushed.serial), serial});
    if (pushed.serial == now.serial && !entries_between(now, pushed).empty())
        return make_error(messages::state_push_of_same_serial, {serial});
    return std::nullopt;
}

auto write_pushed(settings const& of, state::sqlite_store& store, infra::snapshot now, infra::snapshot const& pushed)
    -> infra::checked<void>
{
    auto const entries = entries_between(now, pushed);
    if (now.lineage.empty()) now.lineage = pushed.lineage;
    else if (entries.empty()) return boost::system::in_place_value;
    auto const serial = pushed.serial > now.serial ? pushed.serial : now.serial + 1;
    return write_entries(of.operation, store, now, entries, serial);
}

}  // namespace iacctl::app
