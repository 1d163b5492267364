// SPDX-License-Identifier: BSL-1.0
#include "addresses.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "ui/progress.hpp"

#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

using infra::event_kind;

// Reports the progress of the import.
auto watcher(ui::progress_printer& printer, infra::address const& target) -> infra::observer<language::value>
{
    return [&printer, target](infra::event<language::value> const& e) {
        if (e.kind == event_kind::import_prepared) printer.import_prepared(to_string(e.target), e.text);
        if (e.kind != event_kind::refresh_started || e.target != target) return;
        printer.refreshing(
            {to_string(e.target), {}, e.object == nullptr ? ui::object_label() : ui::label_of(*e.object)});
    };
}

}  // namespace

auto import_object(session const& s) -> int
{
    infra::diagnostics problems;
    if (s.requested().arguments.size() != 2)
        return s.report(make_error(messages::arguments_missing,
            {s.requested().command, "two arguments: an address, and the ID of the object"}));
    std::string const& text = s.requested().arguments.front();
    auto const target = read_instance(text);
    if (!target) return s.report(make_error(messages::instance_address_required, {text, mistake_in(target.error())}));
    if (target->mode() == infra::resource_mode::data) return s.report(make_error(messages::import_into_data_source));
    if (s.requested().arguments.back().empty()) return s.report(make_error(messages::import_without_id));
    std::string const& id = s.requested().arguments.back();
    auto opened = s.workspace().change();
    if (!opened) return s.report(opened.error());
    auto const desired = s.workspace().load(problems);
    if (int const code = s.report(problems); desired == nullptr || code != 0) return code == 0 ? 1 : code;

    ui::progress_printer printer(s.out(), s.text().colour);
    auto const done = s.workspace().import(*desired, *opened, *target, id, {watcher(printer, *target), {}});
    printer.flush();
    if (int const code = s.report(done.problems); code != 0) return done.interrupted ? interrupted_code : code;
    s.out() << "\nThe object is in state now, and iacctl manages it. Run \"iacctl plan\" to compare it with the\n"
               "configuration.\n\n";
    return 0;
}

}  // namespace iacctl::commands
