// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "engine_runner.hpp"
#include "opened_state.hpp"
#include "ui/progress.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

using infra::event_kind;

auto is_declared(program::hcl_program const& wanted, infra::address const& target) -> bool
{
    auto const all = wanted.declarations();
    return std::any_of(all.begin(), all.end(), [&](auto const& d) {
        return d.kind == infra::declaration_kind::resource && d.address == target.config() && !d.removed;
    });
}

auto has_module(program::hcl_program const& wanted, infra::address const& target) -> bool
{
    auto const name = to_string(target.config().module());
    auto const all = wanted.declarations();
    return name.empty() || std::any_of(all.begin(), all.end(), [&](auto const& d) { return d.name == name; });
}

// Says how far it is, in the words of the command.
auto watcher(ui::progress_printer& printer, infra::address const& target) -> infra::observer<language::value>
{
    return [&printer, target](infra::event<language::value> const& e) {
        auto const name = to_string(e.target);
        if (e.kind == event_kind::import_prepared) printer.print(name + ": Importing from ID \"" + e.text + "\"...");
        if (e.kind != event_kind::refresh_started || e.target != target) return;
        printer.print(name + ": Import prepared!\n  Prepared " + e.target.type() + " for import");
        printer.refreshing({name, {}, e.object == nullptr ? ui::object_label() : ui::label_of(*e.object)});
    };
}

}  // namespace

// It is the refresh-only plan of one instance that is not there yet; all that is kept of it is that instance.
auto import_object(session const& s) -> int
{
    infra::diagnostics problems;
    auto const refused = [&](std::string summary, std::string detail) {
        problems.push_back(infra::make_error(std::move(summary), std::move(detail)));
        return s.tell(problems);
    };
    if (s.asked().arguments.size() != 2) {
        s.err() << "The import command expects two arguments.\n";
        return 1;
    }
    auto const target = infra::parse_address(s.asked().arguments.front());
    if (!target)
        return refused(
            "Invalid address", "\"" + s.asked().arguments.front() + "\" is not the address of a resource instance.");
    if (target->mode() == infra::resource_mode::data) {
        s.err() << "\nError: A managed resource address is required. Importing into a data resource is not allowed.\n";
        return 1;
    }
    if (s.asked().arguments.back().empty()) return refused("Invalid import ID", "The id of an object is not empty.");
    int code = 0;
    auto opened = opened_state::open(s, code);
    if (!opened) return code;
    auto const wanted = s.load_program(problems);
    if (code = s.tell(problems); wanted == nullptr || code != 0) return code == 0 ? 1 : code;
    if (!has_module(*wanted, *target))
        return refused("Import to non-existent module",
            to_string(target->config().module())
                + " is not defined in the configuration. Please add configuration for this module before importing "
                  "into "
                  "it.");
    if (!is_declared(*wanted, *target)) {
        s.err() << "\nError: resource address \"" << to_string(*target)
                << "\" does not exist in the configuration.\n\nBefore importing this resource, please create its "
                   "configuration in "
                << (target->module().empty() ? "the root module" : to_string(target->config().module()))
                << ". For example:\n\nresource \"" << target->type() << "\" \"" << target->name()
                << "\" {\n  # (resource arguments)\n}\n\n";
        return 1;
    }
    ui::progress_printer printer(s.out(), s.text().colour);
    if (auto const* const there = opened->now().find(*target); there != nullptr && there->current) {
        auto const name = to_string(*target);
        printer.print(name + ": Importing from ID \"" + s.asked().arguments.back() + "\"...");
        printer.print(name + ": Import prepared!\n  Prepared " + target->type() + " for import");
        return refused("Resource already managed by Terraform",
            "Terraform is already managing a remote object for " + to_string(*target)
                + ". To import to this address you must first remove the existing object from the state.");
    }

    infra::plan_options options;
    options.mode = infra::plan_mode::refresh_only;
    options.refresh = false;
    options.targets.push_back(*target);
    options.imports.push_back({*target, s.asked().arguments.back()});
    interrupts signals;
    run_options how(signals);
    how.limits = s.asked().limits;
    how.watch = watcher(printer, *target);
    bool interrupted = false;
    how.interrupted = [&](int) { interrupted = true; };
    auto const made = run_plan(*wanted, opened->store(), std::move(options), opened->now(), how);
    if (!made) {
        code = s.tell(made.error());
        return interrupted ? interrupted_code : code;
    }
    std::vector<infra::journal_entry> entries;
    for (infra::journal_entry const& e : made->refreshed)
        if (e.output_name().empty() && e.target() == *target) entries.push_back(e);
    int const warned = s.tell(made->warnings);
    if (code = opened->record(s, entries); code != 0) return code;
    s.out() << "\nImport successful!\n\nThe resources that were imported are shown above. These resources are now in\n"
               "your Terraform state and will henceforth be managed by Terraform.\n\n";
    return warned;
}

}  // namespace iacctl::commands
