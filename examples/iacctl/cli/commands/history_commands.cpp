// SPDX-License-Identifier: BSL-1.0
// Commands for the history of state, and for damaged state.
#include "base/json_writer.hpp"
#include "base/shown_text.hpp"
#include "base/timestamp.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/exit_codes.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "messages/with_text.hpp"
#include "session.hpp"
#include "state/history.hpp"
#include "state/record_text.hpp"
#include "views/diagnostic_json.hpp"
#include "views/state_text.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::journal_entry;
using result_type = state::state_check::result_type;

auto time_text(std::int64_t milliseconds) -> std::string
{
    return timestamp::of_unix_ms(milliseconds).text();
}

// Rows of cells as lines, each column as wide as its widest cell.
auto table(std::vector<std::vector<std::string>> const& rows) -> std::string
{
    std::vector<std::size_t> widths;
    for (auto const& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += shown_text(row[i]) + std::string(i + 1 == row.size() ? 0 : widths[i] - row[i].size() + 2, ' ');
        text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

auto word_of(result_type result) -> std::string_view
{
    switch (result) {
    case result_type::passed: return "passed";
    case result_type::failed: return "failed";
    case result_type::skipped: return "skipped";
    }
    return {};
}

// The operation of an entry, such as "create", or else the kind of the entry.
auto operation_of(journal_entry const& e) -> std::string
{
    using kind = journal_entry::kind_type;
    if (e.kind() != kind::begin && e.kind() != kind::end) return {};
    return std::string(to_string(e.operation().kind)) + (e.failed() ? " failed" : "");
}

auto subject_of(journal_entry const& e) -> std::string
{
    if (!e.is_of_state()) return to_string(e.target()) + (e.deposed_key().empty() ? "" : " (" + e.deposed_key() + ")");
    return e.output_name().empty() ? std::string() : "output." + e.output_name();
}

auto json_of(state::verification const& v, session const& s, std::string const& place) -> std::string
{
    json_array checks;
    for (state::state_check const& c : v.checks) {
        json_object one;
        one.text("name", c.name).text("result", word_of(c.result)).text_if("detail", c.detail);
        checks.raw(one.done());
    }
    json_array pending;
    for (auto const& [id, operation] : v.content.pending) {
        json_object one;
        one.text("operation", id).text("kind", to_string(operation.kind)).text("address", to_string(operation.target));
        pending.raw(one.done());
    }
    json_array problems;
    for (infra::diagnostic const& d : v.problems) problems.raw(views::diagnostic_json(messages::with_text(d)));
    json_object out;
    out.text("format_version", "1.0").text("workspace", s.workspace().name()).text("place", place);
    out.flag("valid", v.passed()).raw("format", std::to_string(v.format));
    out.raw("serial", std::to_string(v.content.serial)).raw("sequence", std::to_string(v.sequence));
    out.raw("rows", std::to_string(v.rows)).raw("bytes", std::to_string(v.bytes));
    out.raw("checks", checks.done()).raw("pending_operations", pending.done());
    return out.raw("diagnostics", problems.done()).done();
}

auto text_of(state::salvage_choice const& choice) -> std::string
{
    std::string text = "  " + std::string(to_string(choice.source)) + "\n";
    if (choice.impossible) return text + "    is not possible: " + choice.impossible->why().front().detail + "\n";
    text += "    contains " + views::resource_instances(choice.content.resources.size()) + ", "
        + state::counted(choice.content.outputs.size(), " output", " outputs") + ", "
        + views::interrupted_operations(choice.content.pending.size()) + " from " + choice.from.string() + "\n";
    if (choice.losses.empty()) return text + "    has no known losses\n";
    for (std::string const& loss : choice.losses) text += "    loses " + loss + "\n";
    return text;
}

struct repair_options : options_with<variable_options, lock_options> {
    bool salvage = false;

    void declare(option_list& to)
    {
        to.on("salvage", "Replace the damaged state with the state from SOURCE, and show the losses.", salvage);
        options_with::declare(to);
    }
};

auto state_verify(backend_document_options const& options, session const& s) -> int
{
    auto const opened = s.workspace().reader();
    if (!opened) return s.report(opened.error());
    auto const& store = *opened;
    auto const found = store->verify();
    if (!found) return s.report(found.error());
    if (options.json) {
        s.out() << json_of(*found, s, store->place()) << '\n';
        int code = 0;
        for (infra::diagnostic const& d : found->problems) code = std::max(code, messages::exit_code_of(d.code));
        return code;
    }
    if (found->checks.empty()) {
        s.out() << "There is no state in " << store->place() << ".\n";
        return 0;
    }
    s.out() << store->place() << ": format " << found->format << ", serial " << found->content.serial << ", sequence "
            << found->sequence << "\n\n";
    std::vector<std::vector<std::string>> rows;
    for (state::state_check const& c : found->checks)
        rows.push_back({"  " + std::string(c.name), std::string(word_of(c.result)), c.detail});
    s.out() << table(rows);
    if (!found->content.pending.empty()) s.out() << "\nInterrupted operations:\n";
    for (auto const& [id, operation] : found->content.pending)
        s.out() << "  - " << to_string(operation.target) << ": " << to_string(operation.kind) << " (operation " << id
                << ")\n";
    return s.report(found->problems);
}

auto state_repair(repair_options const& options, session const& s) -> int
{
    auto const chosen = s.workspace().backend();
    if (!chosen) return s.report(chosen.error());
    auto const& in = *chosen;
    std::string const& name = s.workspace().name();
    auto const held = workspace::take_lock(s.workspace().options(), *in, name);
    if (!held) return s.report(held.error());
    if (options.arguments.empty()) {
        auto const choices = in->salvage_choices(name);
        if (!choices) return s.report(choices.error());
        s.out() << "State is damaged. These sources can replace it:\n\n";
        for (state::salvage_choice const& choice : *choices) s.out() << text_of(choice) << '\n';
        s.out() << "Nothing was changed. To use one of them:\n\n    iacctl state repair -salvage SOURCE\n\nThe damaged "
                   "files are kept.\n";
        return 0;
    }
    std::string const& source = options.arguments.front();
    auto const* const known = std::ranges::find(state::salvage_source_names, source);
    if (known == std::end(state::salvage_source_names))
        return s.report(make_error(messages::unknown_salvage_source, {source}));
    if (!options.salvage) return s.report(make_error(messages::salvage_not_confirmed, {source}));
    auto const done =
        in->salvage(name, static_cast<state::salvage_source>(known - std::begin(state::salvage_source_names)));
    if (!done) return s.report(done.error());
    s.out() << "State was rebuilt from " << done->from.string() << ": serial " << done->serial << ", "
            << views::resource_instances(done->resources) << ", " << views::interrupted_operations(done->pending)
            << ".\n";
    if (!done->replaced.empty()) s.out() << "The damaged files are in " << done->replaced.string() << ".\n";
    s.out() << "\nObjects that state has lost still exist. Run \"iacctl plan\" before you apply. If it plans to "
               "create an object\nthat already exists, add the object to state with \"iacctl import\".\n";
    return 0;
}

auto state_history(backend_document_options const& options, session const& s) -> int
{
    auto const opened = s.workspace().reader();
    if (!opened) return s.report(opened.error());
    auto const all = (*opened)->generations();
    if (!all) return s.report(all.error());
    if (options.json) {
        json_array generations;
        for (state::generation_record const& g : *all) {
            json_object one;
            one.raw("number", std::to_string(g.number))
                .text("command", g.command)
                .text_if("user", g.author)
                .text("started", time_text(g.started));
            if (g.ended) one.text("ended", time_text(*g.ended)).text("result", g.result);
            one.raw("serial", std::to_string(g.serial)).raw("sequence", std::to_string(g.sequence));
            generations.raw(one.done());
        }
        json_object out;
        s.out() << out.text("format_version", "1.0").raw("generations", generations.done()).done() << '\n';
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"NUMBER", "COMMAND", "STARTED", "ENDED", "SERIAL", "SEQUENCE", "RESULT"}};
    for (state::generation_record const& g : *all)
        rows.push_back({std::to_string(g.number), g.command, time_text(g.started), g.ended ? time_text(*g.ended) : "-",
            std::to_string(g.serial), std::to_string(g.sequence), g.ended ? g.result : "not ended"});
    s.out() << table(rows);
    return 0;
}

auto state_locks(backend_document_options const& options, session const& s) -> int
{
    auto const in = s.workspace().backend();
    if (!in) return s.report(in.error());
    auto const all = (*in)->locks(s.workspace().name());
    if (!all) return s.report(all.error());
    if (options.json) {
        auto const list = [](std::vector<std::string> const& texts) {
            json_array names;
            for (std::string const& one : texts) names.text(one);
            return names.done();
        };
        json_array locks;
        for (state::lock_description const& l : *all) {
            json_object one;
            one.text_if("id", l.id).text_if("holder", l.holder).text_if("operation", l.operation);
            one.text_if("since", l.since).text("scope", l.of_workspace ? "workspace" : "addresses");
            if (!l.of_workspace) one.raw("written", list(l.written)).raw("read", list(l.read));
            locks.raw(one.done());
        }
        json_object out;
        s.out() << out.text("format_version", "1.0").raw("locks", locks.done()).done() << '\n';
        return 0;
    }
    if (all->empty()) {
        s.out() << "No lock is held on the state of the workspace \"" << s.workspace().name() << "\".\n";
        return 0;
    }
    std::vector<std::vector<std::string>> rows{{"OPERATION", "HOLDER", "SINCE", "SCOPE", "ID"}};
    for (state::lock_description const& l : *all) {
        std::string scope = "workspace";
        if (!l.of_workspace)
            scope = std::to_string(l.written.size()) + " written, " + std::to_string(l.read.size()) + " read";
        rows.push_back({l.operation, l.holder, l.since, scope, l.id});
    }
    s.out() << table(rows);
    for (state::lock_description const& l : *all) {
        for (std::string const& a : l.written) s.out() << "  written: " << a << '\n';
        for (std::string const& a : l.read) s.out() << "  read:    " << a << '\n';
    }
    return 0;
}

auto state_log(backend_document_options const& options, session const& s) -> int
{
    auto const opened = s.workspace().reader();
    if (!opened) return s.report(opened.error());
    auto const all = (*opened)->entries_after(0);
    if (!all) return s.report(all.error());
    if (options.json) {
        json_array entries;
        for (state::history_entry const& e : *all) {
            json_object one;
            one.raw("sequence", std::to_string(e.sequence)).raw("generation", std::to_string(e.generation));
            one.raw("epoch", std::to_string(e.epoch)).text("time", time_text(e.time));
            one.text("kind", state::to_string(e.entry.kind())).text_if("operation", operation_of(e.entry));
            if (!e.entry.is_of_state()) one.text("address", to_string(e.entry.target()));
            one.text_if("deposed", e.entry.deposed_key()).text_if("output", e.entry.output_name());
            entries.raw(one.done());
        }
        json_object out;
        s.out() << out.text("format_version", "1.0").raw("entries", entries.done()).done() << '\n';
        return 0;
    }
    std::vector<std::vector<std::string>> rows{{"SEQUENCE", "COMMAND", "TIME", "ENTRY", "OPERATION", "ADDRESS"}};
    for (state::history_entry const& e : *all)
        rows.push_back({std::to_string(e.sequence), std::to_string(e.generation), time_text(e.time),
            std::string(state::to_string(e.entry.kind())), operation_of(e.entry), subject_of(e.entry)});
    s.out() << table(rows);
    return 0;
}

}  // namespace

constinit command const state_verify_command{"state verify", {.backend = true, .providers = true}, begin<state_verify>,
    "Check the integrity of state",
    "Checks each record, the sum of all records, the journal, and the structure of the database."};

constinit command const state_repair_command{"state repair", {.backend = true, .providers = true}, begin<state_repair>,
    "Rebuild a damaged state",
    "Shows the losses of each source from which state can be rebuilt. With -salvage, replaces state with the state "
    "from SOURCE: rows (the records), backup (the newest backup) or replay (the journal); for a state on a server, "
    "mirror (the copy on this machine) or server (its document).",
    {"[SOURCE]", 1, completion::nothing, false, "rows backup replay mirror server"}};

constinit command const state_history_command{"state history", {.backend = true}, begin<state_history>,
    "List the commands that changed state",
    "Lists the commands that changed the state of the workspace, newest first."};

constinit command const state_locks_command{"state locks", {.backend = true}, begin<state_locks>,
    "List the locks on state", "Lists the locks on the workspace and their holders."};

constinit command const state_log_command{"state log", {.backend = true}, begin<state_log>,
    "List the entries of the history of state",
    "Lists the entries of the journal of the workspace with their sequence numbers."};

}  // namespace iacctl::commands
