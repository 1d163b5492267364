// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "abnormal_termination.hpp"
#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/last_error.hpp"
#include "base/log.hpp"
#include "base/timestamp.hpp"
#include "cli/telemetry/progress_report.hpp"
#include "command_line.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "own_version.hpp"
#include "run_records.hpp"
#include "session.hpp"
#include "state/workspace_name.hpp"
#include "terminal.hpp"
#include "views/diagnostic_json.hpp"
#include "views/diagnostic_text.hpp"
#include "views/json_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl::commands {

namespace {

// Writes to a file, and stores the first error.
class file_buffer final : public std::streambuf {
public:
    explicit file_buffer(file_descriptor to) : to_(std::move(to)) {}
    [[nodiscard]] auto error() const -> error_code const& { return error_; }

protected:
    auto overflow(int_type c) -> int_type override
    {
        char const one = traits_type::to_char_type(c);
        return traits_type::eq_int_type(c, traits_type::eof()) || xsputn(&one, 1) == 1 ? traits_type::not_eof(c)
                                                                                       : traits_type::eof();
    }
    auto xsputn(char const* text, std::streamsize size) -> std::streamsize override
    {
        text_.append(text, static_cast<std::size_t>(size));
        return text_.size() < largest || sync() == 0 ? size : 0;
    }
    auto sync() -> int override
    {
        if (!error_) error_ = write_all(to_.get(), text_);
        text_.clear();
        return error_ ? -1 : 0;
    }

private:
    static constexpr std::size_t largest = std::size_t{1} << 16U;

    file_descriptor to_;
    std::string text_;
    error_code error_;
};

// The file of -json-into, which only its owner can read.
class json_file {
public:
    explicit json_file(std::string const& path)
    {
        if (path.empty()) return;
        file_descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        // A file that exists keeps its mode when it is opened.
        struct ::stat about = {};
        bool const is_private = fd
            && (::fstat(fd.get(), &about) != 0 || !S_ISREG(about.st_mode)
                || ::fchmod(fd.get(), S_IRUSR | S_IWUSR) == 0);
        if (!is_private) error_ = last_error();
        else stream_.rdbuf(&buffer_.emplace(std::move(fd)));
    }

    [[nodiscard]] auto stream() -> std::ostream* { return buffer_ ? &stream_ : nullptr; }
    [[nodiscard]] auto failed() const -> bool { return error_.failed(); }
    [[nodiscard]] auto why() const -> std::string { return error_.message(); }
    // Returns whether everything was written.
    [[nodiscard]] auto complete() -> bool
    {
        if (!buffer_) return true;
        stream_.flush();
        error_ = buffer_->error();
        return !error_;
    }

private:
    error_code error_;
    std::optional<file_buffer> buffer_;  // empty: nothing is written
    std::ostream stream_{nullptr};
};

// Writes an error as JSON, for the commands whose errors are JSON. \return false for other commands
auto write_json(infra::diagnostic const& why, json_form form, std::ostream& to) -> bool
{
    switch (form) {
    case json_form::stream: views::json_stream(to, microsecond_text).diagnostic(why); return true;
    case json_form::validation: to << views::validation_json({why}) << '\n'; return true;
    case json_form::document: break;
    }
    return false;
}

// With -json, machines read standard output, or else the file of -json-into.
// \param json_into  the name of this file, or empty
auto report(infra::diagnostic const& why, session_options const& options, std::string const& json_into,
    std::ostream& out, std::ostream& err) -> int
{
    if (options.json && write_json(why, options.form, out)) return 1;
    err << views::diagnostic_text(why, text_options_of_terminal(true));
    json_file also(json_into);
    if (auto* const to = also.stream()) (void)write_json(why, options.form, *to);
    if (also.failed() || !also.complete())
        err << views::diagnostic_text(
            make_error(messages::unwritable_json_file, {json_into, also.why()}), text_options_of_terminal(true));
    return 1;
}

// Warnings about the variables of the log.
auto log_warnings() -> infra::diagnostics
{
    infra::diagnostics found;
    std::string checked;
    std::string path;
    error_code unusable;
    for (char const* const name : {"TF_LOG_CORE", "TF_LOG_PROVIDER"}) {
        std::string const used = environment_variable(name).empty() ? "TF_LOG" : name;
        auto const level = environment_variable(used.c_str());
        if (used != checked && !level.empty() && !is_log_level(level))
            found.add(make_warning(messages::log_level_unknown, {used, level}));
        checked = used;
        auto const settings = log_settings::from_environment(name);
        if (settings.level == log_level::off) continue;
        path = settings.path;
        unusable = settings.open();
    }
    if (unusable) found.add(make_warning(messages::log_file_unusable, {path, unusable.message()}));
    return found;
}

// Returns whether a command carries out operations, which a console shows.
auto reports_progress(command const& c) -> bool
{
    return c.name == "apply" || c.name == "destroy";
}

// The exit code of a command, also of one that an interrupt has ended.
auto outcome_of(parsed_command const& command, session const& s) -> int
{
    try {
        return command.run(s);
    } catch (workspace::interrupted const&) {
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
        auto const* const mistake = std::get_if<command_line_error>(&parsed);
        auto const& line = mistake == nullptr ? std::get<parsed_line>(parsed) : mistake->understood;
        auto options = line.parsed == nullptr ? session_options() : line.parsed->for_session();
        options.directory = line.global.directory;
        std::string const& directory = options.directory;
        std::error_code error;
        if (!directory.empty()) std::filesystem::current_path(directory, error);
        std::string const json_into = options.json || error ? std::string() : options.json_into;
        if (mistake != nullptr) return report(mistake->why, options, json_into, out, err);
        auto const named = environment_variable("TF_WORKSPACE");
        auto const workspace = named.empty() ? selection_here().current() : expected<std::string>(named);
        interrupts signals;
        auto text = text_options_of_terminal(options.colour);
        text.show_sensitive = options.show_sensitive;
        // Not to standard output, which may be data.
        for (infra::diagnostic const& one : log_warnings()) err << views::diagnostic_text(one, text);
        json_file also(json_into);
        // The lines for machines go to a console, too.
        std::optional<telemetry::progress_report> report_sent;
        if (auto const to = telemetry::report_address::from_environment(); to && reports_progress(*line.named)) {
            std::vector<std::ostream*> receivers;
            if (options.json) receivers.push_back(&out);
            else if (also.stream() != nullptr) receivers.push_back(also.stream());
            report_sent.emplace(
                *to, options.destroys ? "destroy" : std::string(line.named->name), std::move(receivers));
        }
        session const s(*line.named, options, out, err, text, workspace ? *workspace : std::string(), &signals,
            report_sent ? &report_sent->stream() : also.stream());
        auto const end_report = [&](int code) {
            if (report_sent)
                if (auto const why = report_sent->end(code == 0)) err << views::diagnostic_text(*why, text);
            return code;
        };
        auto const refuse = [&](auto const& why) { return end_report(s.report(why)); };
        if (options.json && !options.json_into.empty()) return refuse(make_error(messages::json_and_json_into));
        if (also.failed()) return refuse(make_error(messages::unwritable_json_file, {options.json_into, also.why()}));
        if (error) return refuse(make_error(messages::unusable_directory, {directory, error.message()}));
        auto const& needs = line.named->needs;
        bool const uses_configuration = needs.configuration != configuration_use::none;
        if ((uses_configuration || needs.backend) && ((void)std::filesystem::current_path(error), error))
            return refuse(make_error(messages::current_directory_missing, {error.message()}));
        if (!workspace) return refuse(workspace.error());
        if (!state::is_workspace_name(s.workspace().name()))
            return refuse(make_error(messages::invalid_workspace_name));
        if (needs.configuration == configuration_use::declarations || (needs.backend && !uses_configuration))
            if (auto const wrong = s.workspace().root().check_variables(); !wrong.empty()) return refuse(wrong);
        write_log(log_level::info, "iacctl", "command begins",
            {{"version", own_version()}, {"command", std::string(line.named->name)},
                {"workspace", s.workspace().name()}});
        int const code = s.exit_code(outcome_of(*line.parsed, s));
        write_log(log_level::info, "iacctl", "command has ended", {{"exit_code", std::to_string(code)}});
        export_spans(s, code);
        end_report(code);
        // The hint is for users at a terminal only; it explains the use of codes.
        if (text.live && !s.machine_readable() && needs.terminal != terminal_use::dialogue && !s.first_error().empty())
            err << "\n\"iacctl explain " << s.first_error() << "\" describes this error.\n";
        if (!also.complete())
            return std::max(
                code, s.report(make_error(messages::unwritable_json_file, {options.json_into, also.why()})));
        return code;
    } catch (...) {
        auto const why = std::current_exception();
        for (std::string_view const part : termination_text(why)) err << part;
        return abnormal_exit_code();
    }
}

}  // namespace iacctl::commands
