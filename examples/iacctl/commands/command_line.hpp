// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_COMMAND_LINE_HPP
#define IACCTL_COMMANDS_COMMAND_LINE_HPP

#include "language/configuration/variables.hpp"
#include "language/validation/validate.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/execution_limits.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace iacctl::commands {

/// Options of "state serve".
struct serve_request {
    std::string listen;
    std::string directory;
    std::string users;
    std::string add_user;
    std::string role = "write";
    std::string tls_certificate;
    std::string tls_key;
    std::string client_ca;
    bool allow_plain_text = false;
};

/// Options of "watch".
struct watch_request {
    double interval = 300;  ///< seconds
    std::optional<std::int64_t> rounds;
    std::string hook;
    std::string metrics;
};

/// The content of a command line: a command, and all options and arguments of all commands.
struct request {
    std::string command;     ///< "plan", "state list"
    std::string directory;   ///< -chdir
    bool input = true;
    bool colour = true;
    bool auto_approve = false;
    bool suppress_forget_errors = false;  ///< destroy
    bool with_plan = false;               ///< console -plan, -scope=
    std::optional<std::string> scope;
    bool destroy = false;
    bool refresh = true;
    bool minimal_refresh = false;
    bool refresh_only = false;
    std::string executor;  ///< -executor; empty: that of the CLI configuration
    std::vector<std::string> places;  ///< -place
    bool queries = false;  ///< validate -query
    bool defers = false;
    std::vector<std::string> invoke;  ///< plan -invoke, apply -invoke
    bool detailed_exit_code = false;
    bool json = false;
    bool raw = false;
    bool lock = true;
    bool compact_warnings = false;
    bool consolidate_warnings = true;
    bool consolidate_errors = false;
    language::deprecations deprecations = language::deprecations::all;
    bool concise = false;
    bool show_sensitive = false;
    std::string json_into;       ///< a file for the output of -json, in addition to the text
    bool list = true;        ///< fmt -list, -write, -diff, -check, -recursive
    bool write = true;
    bool diff = false;
    bool check = false;
    bool recursive = false;
    strider::infra::execution_limits limits;  ///< -parallelism, -stop-on-failure
    std::vector<strider::infra::execution_limits>
        simulated;  ///< simulate -parallelism, -durations, -fail, -crash-at, -trace
    std::string durations = "history";
    std::vector<std::string> failing;
    std::optional<std::int64_t> crash_at;
    std::string trace;
    double lock_timeout = 0;  ///< seconds
    std::string out;
    std::string generated;    ///< plan -generate-config-out=
    std::string plan;         ///< graph -plan=, show -plan=
    bool list_codes = false;  ///< explain -list
    bool of_state = false;    ///< show -state, -config, -module=
    bool of_configuration = false;
    std::string module_directory;
    std::string graph_type;
    std::string graph_format = "dot";
    std::string html;         ///< plan, apply, show -html=
    std::string emergency_directory;
    std::string created;      ///< state resolve --created
    bool not_created = false;
    bool done = false;
    std::optional<std::int64_t> at;  ///< show, state show -at=
    bool allow_missing = false;  ///< taint, untaint
    bool dry_run = false;        ///< state mv, state rm
    bool force = false;          ///< workspace delete, force-unlock, state push
    bool or_create = false;      ///< workspace select
    bool backend = true;         ///< init -backend, -reconfigure, -migrate-state, -force-copy
    bool reconfigure = false;
    bool migrate = false;
    bool force_copy = false;
    std::vector<std::string> backend_options;  ///< init -backend-config
    bool update = false;         ///< get
    bool upgrade = false;        ///< init -upgrade, -get, -lockfile=, -plugin-dir=
    bool get = true;
    std::string from_module;
    std::string lock_file_mode;
    std::vector<std::string> plugin_directories;
    std::vector<std::string> platforms;  ///< providers lock, providers mirror
    std::string filesystem_mirror;       ///< providers lock -fs-mirror=, -net-mirror=, -oci-mirror=
    std::string network_mirror;
    std::string oci_mirror;
    std::optional<std::string> state;  ///< output, state list, state show, workspace new -state=
    std::optional<std::string> state_file;  ///< -state= of the commands that plan or change state
    std::optional<std::string> state_out;
    std::optional<std::string> backup;
    std::optional<std::string> id;  ///< state list -id=
    bool salvage = false;  ///< state repair -salvage
    std::string test_directory = "tests";  ///< test -test-directory=, -filter=, -verbose, -junit-xml=, -cloud-run=
    std::vector<std::string> test_files;
    bool verbose = false;
    std::string junit_xml;
    std::string cloud_run;
    bool tests = true;  ///< validate -no-tests
    serve_request serve;
    watch_request watch;
    std::vector<std::string> targets;
    std::vector<std::string> excludes;
    std::vector<std::string> target_files;  ///< with one address on each line
    std::vector<std::string> exclude_files;
    std::vector<std::string> replace;
    std::vector<std::string> policies;   ///< plan, apply -policies=, -approve=
    std::vector<std::string> approvals;
    std::vector<language::variable_option> variables;  ///< -var and -var-file, in the order given
    std::vector<std::string> arguments;                ///< arguments that are not options
};

/// The description of a command, to be printed instead of running it.
struct help_text {
    std::string text;
};

/// The mistake in an invalid command line.
struct command_line_error {
    strider::infra::diagnostic why;
    request
        understood;  ///< the rest of the command line; without a command if the mistake precedes it, or is in its name
};

/// Options may be written with one dash or two, with their value after `=` or as the next argument.
[[nodiscard]] auto parse_command_line(std::vector<std::string> arguments)
    -> std::variant<request, help_text, command_line_error>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_COMMAND_LINE_HPP
