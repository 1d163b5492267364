// SPDX-License-Identifier: BSL-1.0
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"
#include "views/progress.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::commands {

namespace {

using infra::event_kind;

struct import_options : options_with<input_options, limit_options, variable_options, placement_options, lock_options,
                            state_file_options, message_options> {
    std::string configuration = ".";
    void declare(option_list& to)
    {
        to.with_value("config", "DIR",
            "Accepted for compatibility. DIR must be the current directory; -chdir selects another one.", configuration,
            completion::directory);
        options_with::declare(to);
    }
};

// Reports the progress of the import.
auto watcher(views::progress_printer& printer, infra::address const& target) -> infra::observer<language::value>
{
    return [&printer, target](infra::event<language::value> const& e) {
        if (e.kind == event_kind::import_prepared) printer.import_prepared(to_string(e.target), e.text);
        if (e.kind != event_kind::refresh_started || e.target != target) return;
        printer.refreshing(
            {to_string(e.target), {}, e.object == nullptr ? views::object_label() : views::label_of(*e.object)});
    };
}

auto import_object(import_options const& options, session const& s) -> int
{
    infra::diagnostics problems;
    if (options.arguments.size() != 2)
        return s.report(make_error(
            messages::arguments_missing, {s.runs().name, "two arguments: an address, and the ID of the object"}));
    std::error_code ignored;
    if (!std::filesystem::equivalent(options.configuration, ".", ignored))
        return s.report(make_error(messages::import_from_other_directory, {options.configuration}));
    std::string const& text = options.arguments.front();
    auto const target = read_instance(text);
    if (!target) return s.report(make_error(messages::instance_address_required, {text, mistake_in(target.error())}));
    if (target->mode() == infra::resource_mode::data) return s.report(make_error(messages::import_into_data_source));
    if (options.arguments.back().empty()) return s.report(make_error(messages::import_without_id));
    std::string const& id = options.arguments.back();
    auto opened = s.workspace().change();
    if (!opened) return s.report(opened.error());
    auto const desired = s.workspace().load(problems);
    if (int const code = s.report(problems); desired == nullptr || code != 0) return code == 0 ? 1 : code;

    views::progress_printer printer(s.out(), s.text().colour);
    auto const done = s.workspace().import(*desired, *opened, *target, id, {watcher(printer, *target), {}});
    printer.flush();
    if (int const code = s.report(done.problems); code != 0) return done.interrupted ? interrupted_code : code;
    s.out() << "\nThe object is in state now, and iacctl manages it. Run \"iacctl plan\" to compare it with the\n"
               "configuration.\n\n";
    return 0;
}

constexpr std::string_view examples_of_import[] = {"iacctl import local_file.notes notes.txt"};

}  // namespace

constinit command const import_command{"import",
    {.configuration = configuration_use::values,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<import_object>, "Add an existing object to state",
    "Reads the object with this ID from its provider, and adds it to state at ADDRESS. The configuration must declare "
    "ADDRESS.",
    {"ADDRESS ID", any_number, completion::address, true}, examples_of_import};

}  // namespace iacctl::commands
