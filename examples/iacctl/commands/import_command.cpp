// SPDX-License-Identifier: BSL-1.0
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

// Says how far it is.
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
    if (s.asked().arguments.size() != 2)
        return s.tell(make_error(
            messages::arguments_missing, {s.asked().command, "two arguments: an address, and the ID of the object"}));
    auto const target = infra::parse_address(s.asked().arguments.front());
    if (!target) return s.tell(make_error(messages::instance_address_required, {s.asked().arguments.front()}));
    if (target->mode() == infra::resource_mode::data) return s.tell(make_error(messages::import_into_data_source));
    if (s.asked().arguments.back().empty()) return s.tell(make_error(messages::import_without_id));
    std::string const& id = s.asked().arguments.back();
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    auto const wanted = s.workspace().load(problems);
    if (int const code = s.tell(problems); wanted == nullptr || code != 0) return code == 0 ? 1 : code;

    ui::progress_printer printer(s.out(), s.text().colour);
    auto const done = s.workspace().import(*wanted, *opened, *target, id, {watcher(printer, *target), {}});
    if (int const code = s.tell(done.problems); code != 0) return done.interrupted ? interrupted_code : code;
    s.out() << "\nThe object is in state now, and iacctl manages it. Run \"iacctl plan\" to compare it with the\n"
               "configuration.\n\n";
    return 0;
}

}  // namespace iacctl::commands
