// SPDX-License-Identifier: BSL-1.0
// State that comes from a file in Terraform's format: `state push`, and `workspace new -state`.
#include "state_push.hpp"

#include "commands.hpp"
#include "language/configuration/version_constraint.hpp"
#include "opened_state.hpp"
#include "state/state_v4.hpp"
#include "support/input_file.hpp"
#include "ui/worded.hpp"

#include <cctype>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::journal_entry;

// What makes one state of another. State is compared as a file would have it, which does not say all that we keep.
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
auto check_pushed(infra::snapshot pushed) -> std::optional<infra::failure>
{
    if (pushed.lineage.empty()) pushed.lineage = "a new one";
    auto found = infra::verify_integrity(pushed);
    if (found.empty()) return std::nullopt;
    return infra::failure(std::move(found));
}

auto refuse(session const& s, std::string const& why) -> int
{
    s.err() << why << '\n';
    return 1;
}

// Why one state may not take the place of another.
auto conflict(infra::snapshot const& now, pushed_state const& from) -> std::string
{
    std::string const cannot = "Failed to write state: cannot ";
    infra::snapshot const& pushed = from.content;
    if (!now.pending.empty() && !from.tells_operations) {
        std::string text =
            "Failed to write state: the state that there is has interrupted operations, and the new one does "
            "not say what became of them:";
        for (auto const& [_, operation] : now.pending) text += "\n  - " + to_string(operation.target);
        return text + "\nSay so with \"iacctl state resolve\" first, or forget them with -force.";
    }
    if (now.lineage.empty() || pushed.lineage.empty()) return {};
    if (now.lineage != pushed.lineage)
        return cannot + "import state with lineage \"" + pushed.lineage + "\" over unrelated state with lineage \""
            + now.lineage + "\"";
    if (pushed.serial < now.serial)
        return cannot + "import state with serial " + std::to_string(pushed.serial) + " over newer state with serial "
            + std::to_string(now.serial);
    if (pushed.serial == now.serial && !entries_between(now, pushed).empty())
        return cannot + "overwrite existing state with serial " + std::to_string(now.serial)
            + " with a different state that has the same serial";
    return {};
}

}  // namespace

auto read_pushed(std::string const& path, std::string& problem) -> std::optional<pushed_state>
{
    bool const typed = path == "-";
    auto text = typed ? read_input(std::cin) : read_input(path, input_kind::file_or_pipe);
    if (!text) {
        problem = "open " + path + ": " + text.error().message();
        auto& first = problem[path.size() + 7];
        first = static_cast<char>(std::tolower(static_cast<unsigned char>(first)));
        return std::nullopt;
    }
    bool tells_operations = false;
    auto read = state::from_v4(std::move(*text), &tells_operations);
    auto const unsound = read ? check_pushed(*read) : read.error();
    if (!unsound) return pushed_state{std::move(*read), tells_operations};
    auto const& why = unsound->why();
    problem = "Error reading source state \"" + path + "\": ";
    for (infra::diagnostic const& one : why) {
        auto const d = ui::worded(one);
        problem += (&one == &why.front() ? "" : "\n") + d.summary + (d.detail.empty() ? "" : ": " + d.detail);
    }
    return std::nullopt;
}

auto write_pushed(session const& s, state::sqlite_store& store, infra::snapshot now, infra::snapshot const& pushed)
    -> int
{
    auto const entries = entries_between(now, pushed);
    if (now.lineage.empty()) now.lineage = pushed.lineage;
    else if (entries.empty()) return 0;
    auto const serial = pushed.serial > now.serial ? pushed.serial : now.serial + 1;
    return s.record(store, now, entries, serial);
}

auto state_push(session const& s) -> int
{
    if (s.asked().arguments.size() != 1) return refuse(s, "Exactly one argument expected.");
    std::string problem;
    auto const pushed = read_pushed(s.asked().arguments.front(), problem);
    if (!pushed) return refuse(s, problem);
    int code = 0;
    auto opened = opened_state::open(s, code);
    if (!opened) return code;
    infra::snapshot const& now = opened->now();
    if (!s.asked().force)
        if (auto const why = conflict(now, *pushed); !why.empty()) return refuse(s, why);
    return write_pushed(s, opened->store(), now, pushed->content);
}

}  // namespace iacctl::commands
