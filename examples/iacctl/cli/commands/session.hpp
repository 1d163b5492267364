// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_SESSION_HPP
#define IACCTL_CLI_COMMANDS_SESSION_HPP

#include "command.hpp"
#include "views.hpp"
#include "views/json_stream.hpp"
#include "views/text_style.hpp"
#include "workspace/run_recording.hpp"
#include "workspace/workspace.hpp"
#include "workspace/workspace_selection.hpp"

#include <strider/core/result.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace infra = strider::infra;

constexpr int changes_present = 2;  ///< the exit code of -detailed-exitcode

/// The code with which a command ends because of errors that it has reported.
struct exit_code {
    int value;
};
/// A value that a command needs to go on, or the code with which it ends.
template <class T>
using or_exit = strider::result<T, exit_code>;

/// The workspace that is selected in the current directory.
[[nodiscard]] auto selection_here() -> workspace::workspace_selection;

/// The data that the functions of a command share: the options that all commands treat equally, the output streams, and
/// the workspace.
class session {
public:
    /// \param workspace  determined once, because another process may select another workspace in the meantime
    /// \param interrupts  null: nothing interrupts
    /// \param json_file  receives the output of -json, in addition to the text; null: there is none
    session(command const& runs, session_options options, std::ostream& out, std::ostream& err,
        views::text_options text, std::string workspace, workspace::interrupt_source* interrupts = nullptr,
        std::ostream* json_file = nullptr);

    session(session const&) = delete;
    auto operator=(session const&) -> session& = delete;
    /// Ends the processes of providers.
    ~session();

    [[nodiscard]] auto runs() const noexcept -> command const& { return *runs_; }
    [[nodiscard]] auto out() const noexcept -> std::ostream& { return *out_; }
    [[nodiscard]] auto err() const noexcept -> std::ostream& { return *err_; }
    [[nodiscard]] auto text() const noexcept -> views::text_options const& { return text_; }
    [[nodiscard]] auto workspace() const noexcept -> workspace::workspace const& { return workspace_; }
    /// The providers that are available.
    [[nodiscard]] auto providers() const noexcept -> providers::catalog const&
    {
        return *workspace_.options().providers;
    }
    [[nodiscard]] auto schemas() const noexcept -> schema_views& { return schemas_; }

    /// The recording of the operations; null if their times are not needed.
    [[nodiscard]] auto recording() const noexcept -> workspace::run_recording* { return recording_.get(); }
    /// The summaries of the reported errors about instances, by address.
    [[nodiscard]] auto reported_of() const noexcept -> std::map<std::string, std::string> const&
    {
        return reported_of_;
    }

    /// The directory of -chdir; empty: none.
    [[nodiscard]] auto directory() const noexcept -> std::string const& { return options_.directory; }
    /// Returns whether -json is given.
    [[nodiscard]] auto prints_json() const noexcept -> bool { return options_.json; }
    /// Returns whether standard output has lines of JSON in place of text.
    [[nodiscard]] auto machine_readable() const noexcept -> bool;
    /// The stream of JSON lines, on standard output or in the file of -json-into; null if none is requested.
    [[nodiscard]] auto stream() const noexcept -> views::json_stream*;
    /// The stream for the JSON document of a command that prints one with -json; null if none is requested.
    [[nodiscard]] auto document() const noexcept -> std::ostream*;
    /// Reports a step of `init`, or a detail of one: as a line of text, and of the stream of JSON lines.
    /// \param code  Terraform's message code of the step; empty: a detail
    void tell(std::string_view text, std::string_view code = {}) const;
    /// Reports that a command has written the file of an option. Nothing is printed if standard output has JSON, or if
    /// the text was written to a device or a pipe.
    /// \param what  the noun for the content: "page"
    void tell_written(std::string_view what, std::string const& file) const;
    /// The file of -json-into, or null.
    [[nodiscard]] auto json_file() const noexcept -> std::ostream* { return json_file_; }

    /// Returns whether the user may be asked for missing values: only by a command that plans, and not with -json,
    /// -input=false or TF_INPUT=0.
    [[nodiscard]] auto may_ask() const -> bool;

    /// Returns whether -input and TF_INPUT allow questions.
    [[nodiscard]] auto input_allowed() const -> bool;

    /// Reads one line of standard input; nothing at its end. A terminal does not show a hidden line while it is typed.
    /// \throws workspace::interrupted
    [[nodiscard]] auto read_answer(bool hidden = false) const -> std::optional<std::string>;

    /// Prints errors to standard error and warnings to standard output. Returns the most severe exit code of them.
    auto show(infra::diagnostics const& all) const -> int;
    /// Shows diagnostics of the command. The exit code of the program is at least as severe as that of all reported
    /// diagnostics.
    auto report(infra::diagnostics const& all) const -> int;
    auto report(infra::failure const& f) const -> int { return report(f.why()); }
    auto report(infra::diagnostic const& problem) const -> int { return report(infra::diagnostics{problem}); }
    /// The code of the first reported error; empty if there was none.
    [[nodiscard]] auto first_error() const noexcept -> std::string const& { return first_error_; }
    /// The exit code of the program, after a command that returned `of_command`.
    [[nodiscard]] auto exit_code(int of_command) const noexcept -> int;
    /// Returns whether an exit code of the program is that of a failed command.
    [[nodiscard]] auto is_failure(int exit_code) const noexcept -> bool;

private:
    // Adds that this session reports a lock that could not be released.
    [[nodiscard]] auto with_report_of_locks(workspace::settings all) const -> workspace::settings;
    [[nodiscard]] auto ask(language::variable const& about) const -> std::optional<std::string>;

    command const* runs_;
    session_options options_;
    std::ostream* out_;
    std::ostream* err_;
    views::text_options text_;
    workspace::workspace workspace_;
    mutable schema_views schemas_;
    std::ostream* json_file_;
    mutable views::json_stream stream_;  // a shared sink, like the streams
    mutable std::string first_error_;
    std::unique_ptr<workspace::run_recording> recording_;  // null: none
    mutable std::map<std::string, std::string> reported_of_;
    mutable int reported_ = 0;  // the most severe exit code of the reported diagnostics
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_SESSION_HPP
