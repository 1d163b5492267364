// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_ARGUMENTS_SHARED_OPTIONS_HPP
#define IACCTL_CLI_ARGUMENTS_SHARED_OPTIONS_HPP

#include "language/configuration/variables.hpp"
#include "language/validation/validate.hpp"
#include "option_list.hpp"

#include <strider/infra/program/execution_limits.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Options that several commands have. The options of a command derive from those that it shares with others; the
/// member `declare` adds them to a list.
namespace iacctl::commands {

/// The options that precede a command.
struct global_options {
    std::string directory;  ///< -chdir

    void declare(option_list& to)
    {
        to.begin_group("Global options, before the command");
        to.with_value(
            "chdir", "DIR", "Change to this directory before anything else.", directory, completion::directory);
        to.ignored_flag("help", "Show this text, or that of a command.");
        to.ignored_flag("version", "The same as the command \"version\".");
    }
};

/// Options of every command.
struct command_options {
    bool colour = true;
    std::vector<std::string> arguments;  ///< arguments that are not options

    void declare_common(option_list& to)
    {
        to.begin_group(to.groups().empty() ? "Options" : "Common options");
        to.on_for_false("no-color", "Print no colors.", colour);
        to.ignored_flag("help", "Show this text, and exit.");
    }
};

/// The options that a command shares with others. A derived class that declares options of its own calls this `declare` after them.
template <class... Shared>
struct options_with : command_options, Shared... {
    void declare([[maybe_unused]] option_list& to) { (Shared::declare(to), ...); }
};

/// The output of a command with -json.
enum class json_form : std::uint8_t {
    document,
    validation,  ///< a document of diagnostics
    stream,  ///< one object per line for each event and diagnostic
};

struct json_options {
    json_form form = json_form::document;
    bool json = false;

    void declare(option_list& to)
    {
        to.on("json",
            form == json_form::stream ? "Print one JSON object per line for each event, instead of text."
                                      : "Print JSON instead of text.",
            json);
    }
};

struct json_file_options : json_options {
    std::string json_into;  ///< a file for the output of -json, in addition to the text

    void declare(option_list& to)
    {
        json_options::declare(to);
        to.with_value(
            "json-into", "FILE", "Print text, and write what -json prints to FILE.", json_into, completion::file);
    }
};

struct stream_options : json_file_options {
    stream_options() { form = json_form::stream; }
};

struct sensitive_options {
    bool show_sensitive = false;

    void declare(option_list& to) { to.on("show-sensitive", "Show sensitive values.", show_sensitive); }
};

struct variable_options {
    std::vector<language::variable_option> variables;  ///< -var and -var-file, in the order given

    void declare(option_list& to)
    {
        using kind = language::variable_option::option_kind;
        auto const add = [this](kind k) {
            return [this, k](std::string const& text) {
                variables.push_back({k, text});
                return value_problem();
            };
        };
        to.begin_group("Input variables");
        to.with_value(
            "var", "'NAME=VALUE'", "Set an input variable of the root module. May be repeated.", add(kind::assignment));
        to.with_value("var-file", "FILE",
            "Read values of input variables from FILE, in addition to terraform.tfvars and *.auto.tfvars. May be "
            "repeated.",
            add(kind::file), completion::file);
    }
};

/// For commands that read state.
struct reading_lock_options {
    bool lock = true;
    std::chrono::nanoseconds lock_timeout{0};

    void declare(option_list& to)
    {
        to.begin_group("State options");
        to.off("lock", "Do not lock state. Unsafe while another process may change the same workspace.", lock);
        to.with_value(
            "lock-timeout", "DURATION", "Wait this long for the lock, for example 10s (default 0s).", lock_timeout);
        to.ignored_flag("ignore-remote-version", "Accepted for compatibility. Has no effect.");
    }
};

/// For commands that save state, which need a directory for a state that cannot be saved.
struct lock_options : reading_lock_options {
    std::string emergency_directory;

    void declare(option_list& to)
    {
        reading_lock_options::declare(to);
        to.with_value("emergency-dir", "DIR", "Write state to this directory if it cannot be saved.",
            emergency_directory, completion::directory);
    }
};

/// A file in place of the state of the workspace, for commands that read it.
struct read_file_options {
    std::optional<std::string> state_file;

    void declare(option_list& to)
    {
        to.begin_group("State files");
        to.with_value("state", "FILE",
            "Use the state in FILE, in Terraform's format, instead of the state of the workspace. Requires the backend "
            "\"local\".",
            state_file, completion::file);
    }
};

/// The same for commands that change it.
struct changed_file_options : read_file_options {
    std::optional<std::string> backup;

    void declare(option_list& to)
    {
        read_file_options::declare(to);
        to.with_value("backup", "FILE",
            "With -state: copy the state to FILE before a change (default: the name of the written file with the "
            "suffix .backup; \"-\": no copy).",
            backup, completion::file);
    }
};

/// The same for commands that may write to another file.
struct state_file_options : changed_file_options {
    std::optional<std::string> state_out;

    void declare(option_list& to)
    {
        changed_file_options::declare(to);
        to.with_value("state-out", "FILE", "With -state: write the new state to FILE.", state_out, completion::file);
    }
};

struct input_options {
    bool input = true;

    void declare(option_list& to)
    {
        to.off("input", "Do not ask for values that are missing; a missing value is an error.", input);
    }
};

/// The same as the only option of a group.
struct other_input_options : input_options {
    void declare(option_list& to)
    {
        to.begin_group("Other options");
        input_options::declare(to);
    }
};

struct limit_options {
    strider::infra::execution_limits limits;  ///< -parallelism, -stop-on-failure

    void declare(option_list& to)
    {
        to.with_value("parallelism", "N[,TYPE=N...]",
            "Run at most N operations at once (default 10), and at most N operations of a type of resource.", limits);
    }
};

/// The way in which a plan or an apply runs.
struct running_options : input_options, limit_options, sensitive_options {
    bool concise = false;

    void declare(option_list& to)
    {
        to.begin_group("Other options");
        input_options::declare(to);
        limit_options::declare(to);
        to.on("concise", "Print no lines about progress.", concise);
        sensitive_options::declare(to);
    }
};

struct placement_options {
    std::string executor;  ///< empty: that of the CLI configuration
    std::vector<std::string> places;

    void declare(option_list& to)
    {
        to.begin_group("Placement options");
        to.with_choice("executor", "EXECUTOR",
            "\"local\" (default), or \"slurm\": nodes of a Slurm cluster execute the types that -place names.",
            executor, "local slurm");
        to.with_value("place", "'TYPE=LABEL'",
            "With -executor=slurm: execute a type on nodes with the feature LABEL. TYPE is \"local-exec\" for the "
            "commands of provisioners, or a built-in type of resource (\"local_file\") or data source "
            "(\"data.external\"). May be "
            "repeated.",
            places);
    }
};

struct message_options {
    bool compact_warnings = false;
    bool consolidate_warnings = true;
    bool consolidate_errors = false;
    language::deprecations deprecations = language::deprecations::all;

    void declare(option_list& to)
    {
        to.begin_group("Message options");
        to.on("compact-warnings", "Show a warning as one line, unless there are errors too.", compact_warnings);
        to.with_choice("deprecation", "module:MODULES",
            "Report deprecated variables and outputs of \"all\" modules (default), of \"local\" ones, whose source is "
            "a directory, or of \"none\".",
            deprecations, "module:all module:local module:none");
        to.off("consolidate-warnings", "Show each of several warnings with the same summary.", consolidate_warnings);
        to.on("consolidate-errors", "Show one of several errors with the same summary.", consolidate_errors);
    }
};

/// Files that record a run.
struct record_options {
    std::string trace;
    std::string html;

    void declare_trace(option_list& to)
    {
        to.with_value("trace", "FILE", "Write the times of the operations to FILE, as a trace for Perfetto or Chrome.",
            trace, completion::file);
    }
    void declare_page(option_list& to)
    {
        to.with_value("html", "FILE",
            "Write an HTML page to FILE that shows the graph of the plan and the differences of attributes.", html,
            completion::file);
    }
};

/// The files *.tfquery.hcl of the configuration.
struct query_file_options {
    bool queries = false;
};

/// A state file of Terraform that a command shows in place of the state of the workspace.
struct shown_file_options {
    std::optional<std::string> state;

    void declare(option_list& to)
    {
        to.with_value("state", "FILE",
            "Read the state in FILE, in Terraform's format, instead of the state of the workspace.", state,
            completion::file);
    }
};

struct entry_options {
    std::optional<std::int64_t> at;  ///< a sequence number

    void declare(option_list& to)
    {
        to.with_value("at", "SEQUENCE",
            "Show state as it was after the entry with this sequence number in \"iacctl state log\".", at);
    }
};

struct approval_options {
    bool auto_approve = false;

    void declare(option_list& to) { to.on("auto-approve", "Continue without asking for approval.", auto_approve); }
};

struct plan_file_options {
    std::string plan;

    void declare(option_list& to) { to.with_value("plan", "FILE", "Use this saved plan.", plan, completion::file); }
};

struct test_directory_options {
    std::string test_directory = "tests";

    void declare(option_list& to)
    {
        to.with_value("test-directory", "DIR", "Read test files from DIR in place of \"tests\".", test_directory,
            completion::directory);
    }
};

using no_options = options_with<>;
using document_options = options_with<json_options>;
/// For commands that open the backend or load modules: arguments of both may refer to variables.
using backend_options = options_with<variable_options>;
using backend_document_options = options_with<json_options, variable_options>;

/// The options on which a session depends, with the defaults of those that a command does not have.
struct session_options : global_options,
                         json_file_options,
                         sensitive_options,
                         variable_options,
                         lock_options,
                         state_file_options,
                         input_options,
                         limit_options,
                         placement_options,
                         message_options,
                         record_options,
                         query_file_options {
    bool colour = true;
    bool destroys = false;  ///< the command destroys everything, and needs no configuration for this
    bool detailed_exit_code = false;  ///< 2 is not the exit code of a failure
};

namespace detail {

template <class Part, class Options>
void copy_part(session_options& to, Options const& from)
{
    if constexpr (std::derived_from<Options, Part>) static_cast<Part&>(to) = from;
}

}  // namespace detail

/// Those of a command.
template <class Options>
[[nodiscard]] auto session_options_of(Options const& options) -> session_options
{
    session_options made;
    detail::copy_part<json_options>(made, options);
    detail::copy_part<json_file_options>(made, options);
    detail::copy_part<sensitive_options>(made, options);
    detail::copy_part<variable_options>(made, options);
    detail::copy_part<reading_lock_options>(made, options);
    detail::copy_part<lock_options>(made, options);
    detail::copy_part<read_file_options>(made, options);
    detail::copy_part<changed_file_options>(made, options);
    detail::copy_part<state_file_options>(made, options);
    detail::copy_part<input_options>(made, options);
    detail::copy_part<limit_options>(made, options);
    detail::copy_part<placement_options>(made, options);
    detail::copy_part<message_options>(made, options);
    detail::copy_part<record_options>(made, options);
    detail::copy_part<query_file_options>(made, options);
    made.colour = options.colour;
    if constexpr (requires { options.destroys(); }) made.destroys = options.destroys();
    if constexpr (requires { options.detailed_exit_code; }) made.detailed_exit_code = options.detailed_exit_code;
    return made;
}

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_ARGUMENTS_SHARED_OPTIONS_HPP
