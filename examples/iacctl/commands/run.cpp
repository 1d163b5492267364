// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "command_table.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "run_records.hpp"
#include "state/workspace_name.hpp"
#include "sudden_end.hpp"
#include "support/environment.hpp"
#include "terminal.hpp"
#include "ui/diagnostic_text.hpp"

#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace iacctl::commands {

namespace {

// The exit code of a command, also of one that an interrupt has ended.
auto outcome_of(int (*command)(session const&), session const& s) -> int
{
    try {
        return command(s);
    } catch (app::interrupted const&) {
        return s.tell(make_error(messages::command_interrupted));
    }
}

}  // namespace

auto run(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) noexcept -> int
{
    try {
        auto const parsed = parse_command_line(std::move(arguments));
        if (auto const* const help = std::get_if<help_text>(&parsed)) {
            out << help->text;
            return 0;
        }
        if (auto const* const mistake = std::get_if<infra::diagnostic>(&parsed)) {
            err << ui::diagnostic_text(*mistake, text_options_of_terminal(true));
            return 1;
        }
        request const& asked = std::get<request>(parsed);
        std::error_code error;
        if (!asked.directory.empty()) std::filesystem::current_path(asked.directory, error);
        auto const named = environment_variable("TF_WORKSPACE");
        auto const workspace = named.empty() ? selection_here().current() : infra::expected<std::string>(named);
        interrupts signals;
        session const s(
            asked, out, err, text_options_of_terminal(asked.colour), workspace ? *workspace : std::string(), &signals);
        if (error) return s.tell(make_error(messages::unusable_directory, {asked.directory, error.message()}));
        if (!workspace) return s.tell(workspace.error());
        if (!state::is_workspace_name(s.workspace().name()))
            return s.tell(make_error(messages::invalid_workspace_name));
        int const code = s.exit_code(outcome_of(find_command(asked.command)->run, s));
        export_spans(s, code);
        return code;
    } catch (...) {
        auto const why = std::current_exception();
        for (std::string_view const part : sudden_end_text(why)) err << part;
        return sudden_exit_code();
    }
}

}  // namespace iacctl::commands
