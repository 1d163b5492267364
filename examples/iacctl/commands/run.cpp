// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "command_table.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "own_version.hpp"
#include "run_records.hpp"
#include "session.hpp"
#include "state/workspace_name.hpp"
#include "sudden_end.hpp"
#include "support/environment.hpp"
#include "support/last_error.hpp"
#include "support/log.hpp"
#include "terminal.hpp"
#include "ui/diagnostic_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace iacctl::commands {

namespace {

// The file of -json-into, which only its owner can read.
class json_file {
public:
    explicit json_file(std::string const& path)
    {
        if (path.empty()) return;
        int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        // A file that exists keeps its mode when it is opened.
        struct ::stat about = {};
        bool const is_private =
            fd >= 0 && (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || ::fchmod(fd, S_IRUSR | S_IWUSR) == 0);
        if (!is_private) error_ = last_error();
        if (fd >= 0) ::close(fd);
        if (is_private) { stream_.emplace(path, std::ios::binary | std::ios::app); }
    }

    [[nodiscard]] auto stream() -> std::ostream* { return stream_ ? &*stream_ : nullptr; }
    [[nodiscard]] auto failed() const -> bool { return error_.failed(); }
    [[nodiscard]] auto why() const -> std::string { return error_.message(); }
    // Returns whether everything was written.
    [[nodiscard]] auto complete() -> bool
    {
        if (!stream_) return true;
        errno = 0;
        stream_->flush();
        if (*stream_) return true;
        error_ = errno != 0 ? last_error() : boost::system::errc::make_error_code(boost::system::errc::io_error);
        stream_.reset();
        return false;
    }

private:
    boost::system::error_code error_;
    std::optional<std::ofstream> stream_;
};

// The exit code of a command, also of one that an interrupt has ended.
auto outcome_of(int (*command)(session const&), session const& s) -> int
{
    try {
        return command(s);
    } catch (app::interrupted const&) {
        return s.report(make_error(messages::command_interrupted));
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
        request const& requested = std::get<request>(parsed);
        std::error_code error;
        if (!requested.directory.empty()) std::filesystem::current_path(requested.directory, error);
        auto const named = environment_variable("TF_WORKSPACE");
        auto const workspace = named.empty() ? selection_here().current() : infra::expected<std::string>(named);
        interrupts signals;
        auto text = text_options_of_terminal(requested.colour);
        text.show_sensitive = requested.show_sensitive;
        json_file also(requested.json ? std::string() : requested.json_into);
        session const s(requested, out, err, text, workspace ? *workspace : std::string(), &signals, also.stream());
        if (requested.json && !requested.json_into.empty()) return s.report(make_error(messages::json_and_json_into));
        if (also.failed())
            return s.report(make_error(messages::unwritable_json_file, {requested.json_into, also.why()}));
        if (error) return s.report(make_error(messages::unusable_directory, {requested.directory, error.message()}));
        if (!workspace) return s.report(workspace.error());
        if (!state::is_workspace_name(s.workspace().name()))
            return s.report(make_error(messages::invalid_workspace_name));
        write_log(log_level::info, "iacctl", "command begins",
            {{"version", own_version()}, {"command", requested.command}, {"workspace", s.workspace().name()}});
        int const code = s.exit_code(outcome_of(find_command(requested.command)->run, s));
        write_log(log_level::info, "iacctl", "command has ended", {{"exit_code", std::to_string(code)}});
        export_spans(s, code);
        // The hint is for users at a terminal only; it explains the use of codes.
        if (text.live && !s.machine_readable() && requested.command != "console" && !s.first_error().empty())
            err << "\n\"iacctl explain " << s.first_error() << "\" describes this error.\n";
        if (!also.complete())
            return std::max(
                code, s.report(make_error(messages::unwritable_json_file, {requested.json_into, also.why()})));
        return code;
    } catch (...) {
        auto const why = std::current_exception();
        for (std::string_view const part : sudden_end_text(why)) err << part;
        return sudden_exit_code();
    }
}

}  // namespace iacctl::commands
