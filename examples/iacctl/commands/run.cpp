// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "commands.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/workspace_name.hpp"
#include "sudden_end.hpp"
#include "support/environment.hpp"
#include "ui/diagnostic_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace iacctl::commands {

namespace {

constexpr std::array<std::pair<std::string_view, int (*)(session const&)>, 46> handlers{{
    {"init", init},
    {"validate", validate},
    {"plan", make_plan},
    {"apply", apply},
    {"destroy", apply},
    {"refresh", refresh},
    {"import", import_object},
    {"graph", graph},
    {"why", why},
    {"show", show},
    {"output", output},
    {"version", version},
    {"providers", providers},
    {"providers lock", providers_lock},
    {"providers mirror", providers_mirror},
    {"providers schema", providers_schema},
    {"login", login},
    {"logout", logout},
    {"get", get},
    {"modules", modules},
    {"workspace list", workspace_list},
    {"workspace show", workspace_show},
    {"workspace new", workspace_new},
    {"workspace select", workspace_select},
    {"workspace delete", workspace_delete},
    {"force-unlock", force_unlock},
    {"fmt", fmt},
    {"console", console},
    {"metadata functions", metadata_functions},
    {"state list", state_list},
    {"state show", state_show},
    {"state pull", state_pull},
    {"state push", state_push},
    {"state restore", state_restore},
    {"state serve", state_serve},
    {"state verify", state_verify},
    {"state repair", state_repair},
    {"state history", state_history},
    {"state log", state_log},
    {"state locks", state_locks},
    {"state rm", state_rm},
    {"state mv", state_mv},
    {"state replace-provider", state_replace_provider},
    {"taint", taint},
    {"untaint", untaint},
    {"state resolve", state_resolve},
}};

auto text_options_for(request const& asked) -> ui::text_options
{
    ui::text_options options;
    bool const terminal = ::isatty(STDOUT_FILENO) == 1;
    char const* const term = std::getenv("TERM");
    bool const dumb = term == nullptr || std::string_view(term) == "dumb";
    options.colour = asked.colour && terminal && !dumb && std::getenv("NO_COLOR") == nullptr;
    winsize size{};
    if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10) options.width = size.ws_col;
    return options;
}

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
            err << ui::diagnostic_text(*mistake, text_options_for({}));
            return 1;
        }
        request const& asked = std::get<request>(parsed);
        std::error_code error;
        if (!asked.directory.empty()) std::filesystem::current_path(asked.directory, error);
        auto const named = environment_variable("TF_WORKSPACE");
        auto const workspace = named.empty() ? selection_here().current() : infra::expected<std::string>(named);
        interrupts signals;
        session const s(asked, out, err, text_options_for(asked), workspace ? *workspace : std::string(), &signals);
        if (error) return s.tell(make_error(messages::unusable_directory, {asked.directory, error.message()}));
        if (!workspace) return s.tell(workspace.error());
        if (!state::is_workspace_name(s.workspace().name()))
            return s.tell(make_error(messages::invalid_workspace_name));
        for (auto const& [name, command] : handlers)
            if (name == asked.command) return s.exit_code(outcome_of(command, s));
        return s.tell(make_error(messages::unknown_command, {{}, asked.command}));
    } catch (...) {
        auto const why = std::current_exception();
        for (std::string_view const part : sudden_end_text(why)) err << part;
        return sudden_exit_code();
    }
}

}  // namespace iacctl::commands
