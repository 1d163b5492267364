// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "interrupts.hpp"
#include "ui/progress.hpp"

#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

using infra::event_kind;

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
    std::string const& id = s.asked().arguments.back();
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    auto const wanted = s.workspace().load(problems);
    if (int const code = s.tell(problems); wanted == nullptr || code != 0) return code == 0 ? 1 : code;

    ui::progress_printer printer(s.out(), s.text().colour);
    interrupts signals;
    auto const done = s.workspace().import(*wanted, *opened, *target, id, {watcher(printer, *target), {}, &signals});
    for (infra::diagnostic const& d : done.problems) {
        if (d.code == app::codes::import_of_managed_object) {
            printer.print(to_string(*target) + ": Importing from ID \"" + id + "\"...");
            printer.print(to_string(*target) + ": Import prepared!\n  Prepared " + target->type() + " for import");
        } else if (d.code == app::codes::import_without_declaration) {
            s.err() << "\nError: " << d.summary << "\n\n" << d.detail << "\n\n";
            return 1;
        }
    }
    if (int const code = s.tell(done.problems); code != 0) return done.interrupted ? interrupted_code : code;
    s.out() << "\nImport successful!\n\nThe resources that were imported are shown above. These resources are now in\n"
               "your Terraform state and will henceforth be managed by Terraform.\n\n";
    return 0;
}

}  // namespace iacctl::commands
