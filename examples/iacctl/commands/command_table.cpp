// SPDX-License-Identifier: BSL-1.0
#include "command_table.hpp"

#include "commands.hpp"
#include "option_setters.hpp"

#include <algorithm>
#include <iterator>

namespace iacctl::commands {

namespace {

using setters::store;

constexpr auto on(std::string_view name, std::string_view help, option::setter set) -> option
{
    return {name, option_form::on, {}, help, set};
}
constexpr auto off(std::string_view name, std::string_view help, option::setter set) -> option
{
    return {name, option_form::off, "false", help, set};
}
constexpr auto with_value(std::string_view name, std::string_view value, std::string_view help, option::setter set,
    completion values = completion::nothing) -> option
{
    return {name, option_form::with_value, value, help, set, values};
}
constexpr auto with_choice(std::string_view name, std::string_view value, std::string_view help, option::setter set,
    std::string_view choices) -> option
{
    return {name, option_form::with_value, value, help, set, completion::nothing, choices};
}

constexpr option json_option = on("json", "Print JSON instead of text.", store<&request::json>);
constexpr option stream_option =
    on("json", "Print one JSON object per line for each event, instead of text.", store<&request::json>);
constexpr option json_into_option = with_value("json-into", "FILE", "Print text, and write what -json prints to FILE.",
    store<&request::json_into>, completion::file);
constexpr option show_sensitive_option =
    on("show-sensitive", "Show sensitive values.", store<&request::show_sensitive>);
constexpr option state_file_option =
    with_value("state", "FILE", "Read the state in FILE, in Terraform's format, instead of the state of the workspace.",
        store<&request::state>, completion::file);
constexpr option input_option =
    off("input", "Do not ask for values that are missing; a missing value is an error.", store<&request::input>);
constexpr option parallelism_option = with_value("parallelism", "N[,TYPE=N...]",
    "Run at most N operations at once (default 10), and at most N operations of a type of resource.",
    setters::parallelism);
constexpr option auto_approve_option =
    on("auto-approve", "Continue without asking for approval.", store<&request::auto_approve>);
constexpr option plan_file_option =
    with_value("plan", "FILE", "Use this saved plan.", store<&request::plan>, completion::file);
constexpr option at_option = with_value("at", "SEQUENCE",
    "Show state as it was after the entry with this sequence number in \"iacctl state log\".", store<&request::at>);
constexpr option test_directory_option = with_value("test-directory", "DIR",
    "Read test files from DIR in place of \"tests\".", store<&request::test_directory>, completion::directory);

constexpr option variable_options[] = {
    with_value("var", "'NAME=VALUE'", "Set an input variable of the root module. May be repeated.", setters::variable),
    with_value("var-file", "FILE",
        "Read values of input variables from FILE, in addition to terraform.tfvars and *.auto.tfvars. May be repeated.",
        setters::variable_file, completion::file),
};

constexpr option lock_options[] = {
    off("lock", "Do not lock state. Unsafe while another process may change the same workspace.",
        store<&request::lock>),
    with_value("lock-timeout", "DURATION", "Wait this long for the lock, for example 10s (default 0s).",
        setters::lock_timeout),
    on("ignore-remote-version", "Accepted for compatibility. Has no effect.", setters::ignore_flag),
    with_value("emergency-dir", "DIR", "Write state to this directory if it cannot be saved.",
        store<&request::emergency_directory>, completion::directory),
};

constexpr option state_file_options[] = {
    with_value("state", "FILE",
        "Use the state in FILE, in Terraform's format, instead of the state of the workspace. Requires the backend "
        "\"local\".",
        store<&request::state_file>, completion::file),
    with_value("backup", "FILE",
        "With -state: copy the state to FILE before a change (default: the name of the written file with the suffix "
        ".backup; \"-\": no copy).",
        store<&request::backup>, completion::file),
    with_value(
        "state-out", "FILE", "With -state: write the new state to FILE.", store<&request::state_out>, completion::file),
};

constexpr option planning_options[] = {
    on("destroy", "Destroy all objects instead of creating and updating them.", store<&request::destroy>),
    on("refresh-only", "Only update state and outputs to match the present objects.", store<&request::refresh_only>),
    off("refresh", "Do not read the present objects before planning.", store<&request::refresh>),
    on("minimal-refresh",
        "Plan with the stored values, and read only the objects that this plan changes. With -destroy: read no "
        "objects.",
        store<&request::minimal_refresh>),
    on("allow-deferral",
        "Defer changes that depend on values known only after an apply, such as an unknown count, to a later plan, "
        "instead of failing.",
        store<&request::defers>),
    with_value("target", "ADDRESS",
        "Only plan this module, resource or instance, and everything it depends on. May be repeated.",
        store<&request::targets>, completion::address),
    with_value("exclude", "ADDRESS",
        "Do not plan this module, resource or instance, nor anything that depends on it. May be repeated.",
        store<&request::excludes>, completion::address),
    with_value("target-file", "FILE",
        "Read addresses for -target from FILE, one per line. Empty lines and lines that begin with # are skipped. May "
        "be "
        "repeated.",
        store<&request::target_files>, completion::file),
    with_value("exclude-file", "FILE", "Read addresses for -exclude from FILE. May be repeated.",
        store<&request::exclude_files>, completion::file),
    with_value("replace", "ADDRESS", "Replace this instance, even if it would be updated or kept. May be repeated.",
        store<&request::replace>, completion::address),
};

constexpr option placement_options[] = {
    with_choice("executor", "EXECUTOR",
        "\"local\" (default), or \"slurm\": nodes of a Slurm cluster execute the types that -place names.",
        store<&request::executor>, "local slurm"),
    with_value("place", "'TYPE=LABEL'",
        "With -executor=slurm: execute a type on nodes with the feature LABEL. TYPE is \"local-exec\" for the commands "
        "of provisioners, or a built-in type of resource (\"local_file\") or data source (\"data.external\"). May be "
        "repeated.",
        store<&request::places>),
};

constexpr option running_options[] = {
    input_option,
    parallelism_option,
    on("concise", "Print no lines about progress.", store<&request::concise>),
    show_sensitive_option,
};

constexpr option message_options[] = {
    on("compact-warnings", "Show a warning as one line, unless there are errors too.",
        store<&request::compact_warnings>),
    with_choice("deprecation", "module:MODULES",
        "Report deprecated variables and outputs of \"all\" modules (default), of \"local\" ones, whose source is a "
        "directory, or of \"none\".",
        setters::deprecation, "module:all module:local module:none"),
    off("consolidate-warnings", "Show each of several warnings with the same summary.",
        store<&request::consolidate_warnings>),
    on("consolidate-errors", "Show one of several errors with the same summary.", store<&request::consolidate_errors>),
};

constexpr option html_option = with_value("html", "FILE",
    "Write an HTML page to FILE that shows the graph of the plan and the differences of attributes.",
    store<&request::html>, completion::file);

constexpr option trace_option =
    with_value("trace", "FILE", "Write the times of the operations to FILE, as a trace for Perfetto or Chrome.",
        store<&request::trace>, completion::file);

constexpr option policy_options[] = {
    with_value("policies", "DIR",
        "Check the plan against the policies in DIR, files *.policy.hcl and *.rego. A policy error rejects the plan. "
        "May be repeated.",
        store<&request::policies>, completion::directory),
    with_value("approve", "ADDRESS",
        "Approve that the plan destroys or replaces this resource or instance, which a policy protects. May be "
        "repeated.",
        store<&request::approvals>, completion::address),
};

constexpr option invoke_option = with_value("invoke", "ADDRESS",
    "Invoke this action, and plan no changes. An address without a key selects all instances. May be repeated.",
    store<&request::invoke>);

constexpr option plan_options[] = {
    on("detailed-exitcode", "Exit with 0 if there are no changes, 1 after an error, 2 if there are changes.",
        store<&request::detailed_exit_code>),
    with_value("out", "FILE", "Save the plan, for \"iacctl apply FILE\".", store<&request::out>, completion::file),
    with_value("generate-config-out", "FILE",
        "Write configuration for imported resources that have none to FILE, which must not exist.",
        store<&request::generated>, completion::file),
    invoke_option,
    html_option,
    trace_option,
    stream_option,
    json_into_option,
};

constexpr option apply_options[] = {
    auto_approve_option,
    invoke_option,
    on("suppress-forget-errors", "Exit with 0 if a destruction has removed objects from state without destroying them.",
        store<&request::suppress_forget_errors>),
    on("stop-on-failure",
        "Start no operation after one has failed. Without it, operations that do not depend on the failed one "
        "continue.",
        setters::stop_on_failure),
    with_value("html", "FILE", "Write an HTML page to FILE that replays the apply on its graph.", store<&request::html>,
        completion::file),
    trace_option,
    stream_option,
    json_into_option,
};

constexpr option query_options[] = {
    with_value("generate-config-out", "FILE",
        "Write \"resource\" and \"import\" blocks for the objects that are found to FILE, which must not exist. With "
        "-json, the blocks are members of the printed objects instead.",
        store<&request::generated>, completion::file),
    stream_option,
    json_into_option,
};
constexpr option refresh_options[] = {trace_option, stream_option, json_into_option};
constexpr option test_options[] = {
    with_value(
        "filter", "FILE", "Run only this test file. May be repeated.", store<&request::test_files>, completion::file),
    stream_option,
    with_value("junit-xml", "FILE", "Write a report in JUnit XML format to FILE.", store<&request::junit_xml>,
        completion::file),
    with_value("parallelism", "N[,TYPE=N...]",
        "Run at most N operations at once (default 10), and at most N parallel runs.", setters::parallelism),
    test_directory_option,
    on("verbose", "Show the plan or the state of each run.", store<&request::verbose>),
    with_value("cloud-run", "SOURCE", "Not supported: tests run on this machine only.", store<&request::cloud_run>),
};
constexpr option console_options[] = {
    on("plan", "Make a plan, and evaluate expressions with its planned values.", store<&request::with_plan>),
    with_value("scope", "MODULE", "Evaluate expressions in this instance of a module, instead of the root module.",
        store<&request::scope>, completion::module),
};
constexpr option import_options[] = {input_option, parallelism_option};
constexpr option json_options[] = {json_option};

constexpr option init_options[] = {
    off("backend", "Do not initialize the backend.", store<&request::backend>),
    with_value("backend-config", "NAME=VALUE|FILE",
        "Set an argument of the backend, or read arguments from a file. May be repeated.",
        store<&request::backend_options>, completion::file),
    on("migrate-state", "Copy states from the backend that was configured before.", store<&request::migrate>),
    on("reconfigure", "Use the configured backend, and copy no state.", store<&request::reconfigure>),
    on("force-copy", "Like -migrate-state, but answer \"yes\" to each question.", store<&request::force_copy>),
    with_value("from-module", "SOURCE", "Copy a module into the empty directory first.", store<&request::from_module>),
    off("get", "Do not install modules.", store<&request::get>),
    on("upgrade", "Install the newest versions of modules and providers that the constraints accept.",
        store<&request::upgrade>),
    with_choice("lockfile", "MODE", "\"readonly\": fail if the dependency lock file would change.",
        store<&request::lock_file_mode>, "readonly"),
    with_value("plugin-dir", "DIR",
        "Install providers from this directory only, which has the layout of a mirror. May be repeated.",
        store<&request::plugin_directories>, completion::directory),
    off("input", "Do not ask questions; a missing answer is an error.", store<&request::input>),
    test_directory_option,
    stream_option,
    json_into_option,
};

constexpr option validate_options[] = {
    json_option,
    json_into_option,
    on("query", "Check query files, too.", store<&request::queries>),
    on("no-tests", "Do not check test files.", setters::no_tests),
    test_directory_option,
};

constexpr option explain_options[] = {
    on("list", "List the codes of all messages.", store<&request::list_codes>),
    json_option,
};

constexpr option fmt_options[] = {
    off("list", "Do not list the files whose formatting changes.", store<&request::list>),
    off("write", "Do not write files.", store<&request::write>),
    on("diff", "Show the differences.", store<&request::diff>),
    on("check", "Write no file; exit with 3 if the formatting of a file is not canonical.", store<&request::check>),
    on("recursive", "Format files of subdirectories too.", store<&request::recursive>),
};

constexpr option graph_options[] = {
    with_choice("type", "TYPE",
        "\"plan\" or \"plan-refresh-only\": all declarations. \"apply\" or \"plan-destroy\": the operations of a plan, "
        "which is "
        "made if -plan does not name one. By default, resources and their dependencies.",
        store<&request::graph_type>, "plan plan-refresh-only plan-destroy apply"),
    with_choice("format", "FORMAT", "\"dot\" (default) for Graphviz, \"mermaid\", or \"html\": a page for a browser.",
        store<&request::graph_format>, "dot mermaid html"),
    plan_file_option,
    on("draw-cycles", "Accepted for compatibility. Has no effect: an error names the path of a cycle.",
        setters::ignore_flag),
    with_value("module-depth", "N", "Accepted for compatibility. Has no effect.", setters::ignore),
};

constexpr option why_options[] = {plan_file_option, parallelism_option};
constexpr option simulate_options[] = {
    with_value("parallelism", "N[,TYPE=N...]",
        "Simulate an apply with this parallelism. May be repeated. By default, several values are compared.",
        setters::simulated_parallelism),
    with_value("durations", "history|FILE",
        "Durations of operations: those of earlier runs (default), or of a file with the format of "
        ".iacctl/WORKSPACE/durations.",
        store<&request::durations>, completion::file),
    with_value("fail", "ADDRESS", "Make operations on this module, resource or instance fail. May be repeated.",
        store<&request::failing>, completion::address),
    with_value(
        "crash-at", "N", "Show the state that a crash leaves when N operations have ended.", store<&request::crash_at>),
    with_value("trace", "FILE", "Write a trace for Perfetto or Chrome.", store<&request::trace>, completion::file),
    plan_file_option,
    json_option,
};
constexpr option simulating_options[] = {input_option};
constexpr option watch_options[] = {
    with_value(
        "interval", "DURATION", "Start a round every DURATION, at least 1s (default 5m).", setters::watch_interval),
    with_value("rounds", "N", "End after N rounds; exit with 2 if objects differ then.", setters::watch_rounds),
    with_value("hook", "COMMAND",
        "Run COMMAND in a shell after each change, with the change as JSON on standard input.",
        store<&request::watch, &watch_request::hook>),
    with_value("metrics", "FILE", "Write metrics in the format of OpenMetrics to FILE after each round.",
        store<&request::watch, &watch_request::metrics>, completion::file),
    with_value("target", "ADDRESS",
        "Only read this module, resource or instance, and everything it depends on. May be repeated.",
        store<&request::targets>, completion::address),
    with_value("exclude", "ADDRESS",
        "Do not read this module, resource or instance, nor anything that depends on it. May be repeated.",
        store<&request::excludes>, completion::address),
    parallelism_option,
    on("json", "Print each change as JSON, on one line.", store<&request::json>),
};
constexpr option show_options[] = {
    json_option,
    json_into_option,
    html_option,
    show_sensitive_option,
    at_option,
    on("state", "Show the state of the workspace, as without FILE.", store<&request::of_state>),
    with_value("plan", "FILE", "Show this saved plan.", store<&request::plan>, completion::file),
    on("config", "Print the configuration of the directory with all its modules. Requires -json.",
        store<&request::of_configuration>),
    with_value("module", "DIR",
        "Print the declarations of the module in DIR, whose dependencies need not be installed. Requires -json.",
        store<&request::module_directory>, completion::directory),
};
constexpr option output_options[] = {
    json_option,
    json_into_option,
    show_sensitive_option,
    state_file_option,
    on("raw", "Print a single string, number or bool without quotes.", store<&request::raw>),
};
constexpr option get_options[] = {
    on("update", "Install the newest versions that the constraints accept.", store<&request::update>),
    test_directory_option,
    stream_option,
    json_into_option,
};
constexpr option providers_options[] = {test_directory_option};

constexpr option platform_option = with_value("platform", "OS_ARCH",
    "Use packages for this platform, for example linux_amd64 (default: this one). May be repeated.",
    store<&request::platforms>);
constexpr option providers_lock_options[] = {
    platform_option,
    with_value("fs-mirror", "DIR", "Read packages from this directory.", store<&request::filesystem_mirror>,
        completion::directory),
    with_value("net-mirror", "URL", "Download packages from this network mirror.", store<&request::network_mirror>),
    with_value("oci-mirror", "TEMPLATE",
        "Download packages from repositories of an OCI registry, whose addresses this template makes.",
        store<&request::oci_mirror>),
    on("enable-plugin-cache", "Accepted for compatibility. Has no effect: each package is verified.",
        setters::ignore_flag),
    test_directory_option,
};
constexpr option providers_mirror_options[] = {
    platform_option,
    off("lock-file", "Ignore the dependency lock file, and select the newest versions.", store<&request::lock>),
};

constexpr option state_list_options[] = {
    with_value("id", "ID", "List only instances whose attribute \"id\" is ID.", store<&request::id>),
    state_file_option,
};
constexpr option state_identities_options[] = {
    json_option,
    with_value("id", "ID", "List only instances whose attribute \"id\" is ID.", store<&request::id>),
    state_file_option,
};
constexpr option state_show_options[] = {
    json_option, json_into_option, show_sensitive_option, state_file_option, at_option};
constexpr option workspace_list_options[] = {json_option, json_into_option};
constexpr option state_repair_options[] = {
    on("salvage", "Replace the damaged state with the state from SOURCE, and show the losses.",
        store<&request::salvage>),
};
constexpr option state_push_options[] = {
    on("force", "Write the state even if it is older or has another lineage.", store<&request::force>),
};
constexpr option state_change_options[] = {
    on("dry-run", "Print the changes without making them.", store<&request::dry_run>),
};
constexpr option replace_provider_options[] = {auto_approve_option};
constexpr option resolve_options[] = {
    with_value("created", "ID|JSON", "The operation was carried out: the ID of its object, or its attributes as JSON.",
        store<&request::created>),
    on("done", "The operation, which destroys an object or performs an action, was carried out.",
        store<&request::done>),
    on("not-created", "The operation was not carried out.", store<&request::not_created>),
    on("not-done", "The same as -not-created.", store<&request::not_created>),
};
constexpr option serve_options[] = {
    with_value(
        "listen", "HOST:PORT|unix:PATH", "Listen at this address.", store<&request::serve, &serve_request::listen>),
    with_value("directory", "DIR", "Keep the states in this directory.",
        store<&request::serve, &serve_request::directory>, completion::directory),
    with_value("users", "FILE", "Read users, their roles, and hashes of their passwords from FILE.",
        store<&request::serve, &serve_request::users>, completion::file),
    with_value("add-user", "NAME", "Add a user to the file of users, and exit. Reads the password from standard input.",
        store<&request::serve, &serve_request::add_user>),
    with_choice("role", "ROLE", "\"read\" or \"write\" (default): the permission of the added user.",
        store<&request::serve, &serve_request::role>, "read write"),
    with_value("tls-certificate", "FILE", "The certificate of the server, in PEM format.",
        store<&request::serve, &serve_request::tls_certificate>, completion::file),
    with_value("tls-key", "FILE", "The private key of the certificate, in PEM format.",
        store<&request::serve, &serve_request::tls_key>, completion::file),
    with_value("client-ca", "FILE", "Require certificates of clients that one of these authorities has signed.",
        store<&request::serve, &serve_request::client_ca>, completion::file),
    on("allow-plain-text", "Accept passwords without TLS from other machines.",
        store<&request::serve, &serve_request::allow_plain_text>),
};
constexpr option taint_options[] = {
    on("allow-missing", "Exit with 0 if state has no such instance.", store<&request::allow_missing>),
};
constexpr option workspace_new_options[] = {
    with_value("state", "FILE", "Begin with the state in FILE, in Terraform's format.", store<&request::state>,
        completion::file),
};
constexpr option workspace_select_options[] = {
    on("or-create", "Create the workspace if it does not exist.", store<&request::or_create>),
};
constexpr option workspace_delete_options[] = {
    on("force", "Delete the workspace even if its state has objects. These objects are no longer managed.",
        store<&request::force>),
};
constexpr option force_unlock_options[] = {
    on("force", "Continue without asking for confirmation.", store<&request::force>),
};

constexpr option common[] = {
    on("no-color", "Print no colors.", setters::no_color),
    on("help", "Show this text, and exit.", setters::ignore_flag),
};
constexpr option global[] = {
    with_value("chdir", "DIR", "Change to this directory before anything else.", store<&request::directory>,
        completion::directory),
    on("help", "Show this text, or that of a command.", setters::ignore_flag),
    on("version", "The same as the command \"version\".", setters::ignore_flag),
};

constexpr option_group variable_group{"Input variables", variable_options};
constexpr option_group lock_group{"State options", lock_options};
// A command that saves no state needs no directory for a state that could not be saved.
constexpr option_group reading_lock_group{"State options", std::span(lock_options).first(3)};
// For commands that read state, for those that change it in place, and for those that may write it to another file.
constexpr option_group read_file_group{"State files", std::span(state_file_options).first(1)};
constexpr option_group changed_file_group{"State files", std::span(state_file_options).first(2)};
constexpr option_group state_file_group{"State files", state_file_options};
constexpr option_group planning_group{"Planning options", planning_options};
constexpr option_group policy_group{"Policy options", policy_options};
constexpr option_group placement_group{"Placement options", placement_options};
constexpr option_group running_group{"Other options", running_options};
constexpr option_group message_group{"Message options", message_options};

constexpr option_group groups_of_init[] = {{"Options", init_options}, variable_group, lock_group, message_group};
constexpr option_group groups_of_validate[] = {{"Options", validate_options}, variable_group, message_group};
constexpr option_group groups_of_plan[] = {planning_group, policy_group, variable_group,
    {"Output options", plan_options}, placement_group, running_group, reading_lock_group, read_file_group,
    message_group};
constexpr option_group groups_of_apply[] = {{"Apply options", apply_options}, planning_group, policy_group,
    variable_group, placement_group, running_group, lock_group, state_file_group, message_group};
constexpr option_group groups_of_query[] = {
    {"Options", query_options}, variable_group, running_group, reading_lock_group, read_file_group, message_group};
constexpr option_group groups_of_refresh[] = {planning_group, variable_group, {"Output options", refresh_options},
    placement_group, running_group, lock_group, state_file_group, message_group};
constexpr option_group groups_of_import[] = {
    {"Options", import_options}, variable_group, placement_group, lock_group, state_file_group, message_group};
constexpr option_group groups_of_console[] = {
    {"Options", console_options}, variable_group, reading_lock_group, read_file_group, message_group};
constexpr option_group groups_of_explain[] = {{"Options", explain_options}};
constexpr option_group groups_of_fmt[] = {{"Options", fmt_options}};
constexpr option_group groups_of_graph[] = {{"Options", graph_options}, variable_group, message_group};
constexpr option_group groups_of_why[] = {{"Options", why_options}, planning_group, variable_group,
    {"Other options", simulating_options}, reading_lock_group, read_file_group, message_group};
constexpr option_group groups_of_simulate[] = {{"Options", simulate_options}, planning_group, variable_group,
    {"Other options", simulating_options}, reading_lock_group, read_file_group, message_group};
constexpr option_group groups_of_watch[] = {
    {"Options", watch_options}, variable_group, reading_lock_group, read_file_group, message_group};
constexpr option_group groups_of_show[] = {{"Options", show_options}, variable_group};
constexpr option_group groups_of_output[] = {{"Options", output_options}, variable_group};
constexpr option_group groups_of_get[] = {{"Options", get_options}, variable_group, message_group};
constexpr option_group groups_of_json[] = {{"Options", json_options}};
// For commands that open the backend or load modules: arguments of both may refer to variables.
constexpr option_group groups_of_backend[] = {variable_group};
constexpr option_group groups_of_backend_json[] = {{"Options", json_options}, variable_group};
constexpr option_group groups_of_restore[] = {variable_group, lock_group};
constexpr option_group groups_of_providers_lock[] = {{"Options", providers_lock_options}, variable_group};
constexpr option_group groups_of_providers_mirror[] = {{"Options", providers_mirror_options}, variable_group};
constexpr option_group groups_of_state_list[] = {{"Options", state_list_options}, variable_group};
constexpr option_group groups_of_state_identities[] = {{"Options", state_identities_options}, variable_group};
constexpr option_group groups_of_providers[] = {{"Options", providers_options}, variable_group};
constexpr option_group groups_of_state_show[] = {{"Options", state_show_options}, variable_group};
constexpr option_group groups_of_state_repair[] = {{"Options", state_repair_options}, variable_group, lock_group};
constexpr option_group groups_of_state_push[] = {
    {"Options", state_push_options}, variable_group, lock_group, changed_file_group};
constexpr option_group groups_of_state_change[] = {
    {"Options", state_change_options}, variable_group, lock_group, changed_file_group};
constexpr option_group groups_of_replace_provider[] = {
    {"Options", replace_provider_options}, variable_group, lock_group, changed_file_group};
constexpr option_group groups_of_resolve[] = {{"Options", resolve_options}, variable_group, lock_group};
constexpr option_group groups_of_serve[] = {{"Options", serve_options}};
constexpr option_group groups_of_test[] = {{"Options", test_options}, variable_group, message_group};
constexpr option_group groups_of_taint[] = {{"Options", taint_options}, variable_group, lock_group, state_file_group};
constexpr option_group groups_of_workspace_list[] = {{"Options", workspace_list_options}, variable_group};
constexpr option_group groups_of_workspace_new[] = {{"Options", workspace_new_options}, variable_group, lock_group};
constexpr option_group groups_of_workspace_select[] = {
    {"Options", workspace_select_options}, variable_group, lock_group};
constexpr option_group groups_of_workspace_delete[] = {
    {"Options", workspace_delete_options}, variable_group, lock_group};
constexpr option_group groups_of_force_unlock[] = {{"Options", force_unlock_options}, variable_group};

constexpr std::size_t any_number = 100'000;

constexpr std::string_view examples_of_plan[] = {
    "iacctl plan -out=tomorrow.plan", "iacctl plan -target=module.network -var='region=eu-west-1'"};
constexpr std::string_view examples_of_apply[] = {
    "iacctl apply", "iacctl apply tomorrow.plan", "iacctl apply -auto-approve -parallelism=50,aws_instance=10"};
constexpr std::string_view examples_of_query[] = {
    "iacctl query", "iacctl query -json -var='region=eu-west-1'", "iacctl query -generate-config-out=found.tf"};
constexpr std::string_view examples_of_explain[] = {"iacctl explain state_locked", "iacctl explain -list"};
constexpr std::string_view examples_of_import[] = {"iacctl import local_file.notes notes.txt"};
constexpr std::string_view examples_of_graph[] = {"iacctl graph | dot -Tsvg > graph.svg",
    "iacctl graph -type=apply -format=html > apply.html", "iacctl graph -plan=tomorrow.plan -format=mermaid"};
constexpr std::string_view examples_of_simulate[] = {"iacctl simulate",
    "iacctl simulate -parallelism=10 -parallelism=50,aws_instance=5", "iacctl simulate -fail=terraform_data.one"};
constexpr std::string_view examples_of_watch[] = {
    "iacctl watch -interval=10m -metrics=/var/lib/node_exporter/iacctl.prom", "iacctl watch -rounds=1 -json",
    "iacctl watch -hook='mail -s drift operators@example.com'"};
constexpr std::string_view examples_of_why[] = {"iacctl why local_file.notes terraform_data.reader"};
constexpr std::string_view examples_of_output[] = {"iacctl output -raw address", "iacctl output -json"};
constexpr std::string_view examples_of_mv[] = {"iacctl state mv terraform_data.old terraform_data.new",
    "iacctl state mv terraform_data.one 'module.m[0].terraform_data.one'"};
constexpr std::string_view examples_of_resolve[] = {"iacctl state resolve local_file.notes -created=notes.txt"};
constexpr std::string_view examples_of_test[] = {
    "iacctl test", "iacctl test -filter=tests/network.tftest.hcl -verbose", "iacctl test -junit-xml=report.xml"};
constexpr std::string_view examples_of_completion[] = {
    "source <(iacctl completion bash)", "iacctl completion fish > ~/.config/fish/completions/iacctl.fish"};

// The number of frequently used commands, which come first; the others are sorted by name.
constexpr std::size_t main_commands = 5;
constexpr command commands_table[] = {
    {"init", works_on::configuration, init, "Prepare a directory for the other commands",
        "Initializes the backend, and installs the modules and providers of the configuration. The dependency lock "
        "file, "
        ".terraform.lock.hcl, selects the versions of providers. Run it again after you change the backend, modules, "
        "or "
        "required providers.",
        {}, groups_of_init},
    {"validate", works_on::configuration, validate, "Check the configuration",
        "Checks the configuration of the directory without reading state or any object.", {}, groups_of_validate},
    {"plan", works_on::configuration, make_plan, "Show the changes that the configuration requires",
        "Reads the present objects, compares them with the configuration, and shows the operations that \"iacctl "
        "apply\" would "
        "carry out. Changes nothing.",
        {}, groups_of_plan, examples_of_plan},
    {"apply", works_on::configuration, apply, "Create or update infrastructure",
        "Makes a plan, asks for approval, and carries it out. With PLAN, carries out this saved plan without asking.",
        {"[PLAN]", 1, completion::file}, groups_of_apply, examples_of_apply},
    {"destroy", works_on::configuration, apply, "Destroy all objects of the workspace",
        "Makes a plan that destroys all objects, asks for approval, and carries it out. The same as \"iacctl apply "
        "-destroy\".",
        {}, groups_of_apply},
    {"completion", works_on::program, completion_script, "Print a script that completes commands in a shell",
        "Prints a script for bash, zsh or fish. The script completes commands, options, addresses in state, workspaces "
        "and "
        "names of files.",
        {"SHELL", 1, completion::nothing, false, "bash zsh fish"}, {}, examples_of_completion},
    {"console", works_on::configuration, console, "Evaluate expressions",
        "Reads expressions from standard input, one per line, and prints their values. Expressions may refer to the "
        "state of the "
        "workspace.",
        {}, groups_of_console},
    {"explain", works_on::program, explain, "Explain a message",
        "Shows what a message means, and what to do about it. Each message ends with its code in brackets.",
        {"CODE", 1, completion::message}, groups_of_explain, examples_of_explain},
    {"fmt", works_on::configuration, fmt, "Format configuration files",
        "Formats configuration files in the canonical style, and lists those that changed. Without TARGET, the files "
        "of the "
        "current directory; \"-\" reads standard input and writes standard output.",
        {"[TARGET...]", any_number, completion::file}, groups_of_fmt},
    {"force-unlock", works_on::state, force_unlock, "Release the lock of a workspace",
        "Releases a lock that a process left behind when it ended. An error message of another command names the ID of "
        "the "
        "lock.",
        {"LOCK_ID", any_number}, groups_of_force_unlock},
    {"get", works_on::configuration, get, "Install modules",
        "Installs the modules of the configuration below .terraform/modules.", {}, groups_of_get},
    {"graph", works_on::declarations, graph, "Print a graph",
        "Prints the dependencies of resources, or the operations of a plan, as a graph that Graphviz, Mermaid or a "
        "browser draws.",
        {}, groups_of_graph, examples_of_graph},
    {"import", works_on::configuration, import_object, "Add an existing object to state",
        "Reads the object with this ID from its provider, and adds it to state at ADDRESS. The configuration must "
        "declare ADDRESS.",
        {"ADDRESS ID", any_number, completion::address, true}, groups_of_import, examples_of_import},
    {"login", works_on::program, login, "Store a token for a host",
        "Stores an API token for a host, for example of a registry.", {"[HOST]", 1}, {}},
    {"logout", works_on::program, logout, "Remove the token for a host",
        "Removes the token that \"iacctl login\" stored.", {"[HOST]", 1}, {}},
    {"lsp", works_on::configuration, lsp, "Serve an editor with the Language Server Protocol",
        "Runs a language server on standard input and standard output: diagnostics, definitions, references, rename, "
        "hover, completion, signatures, symbols and formatting for the configurations of the editor's folders.",
        {}, {}},
    {"metadata", works_on::program, nullptr, "Describe the language and the commands", {}},
    {"metadata commands", works_on::program, metadata_commands, "Describe all commands",
        "Prints the commands with their options as JSON.", {}, groups_of_json},
    {"metadata functions", works_on::program, metadata_functions, "Describe all functions",
        "Prints the signatures of the functions of the language as JSON.", {}, groups_of_json},
    {"modules", works_on::declarations, modules, "List the modules of the configuration",
        "Lists the modules that the configuration declares, with their sources and versions.", {},
        groups_of_backend_json},
    {"output", works_on::state, output, "Show output values",
        "Shows the output values of the root module in state, or only the output value NAME.", {"[NAME]", 1},
        groups_of_output, examples_of_output},
    {"providers", works_on::declarations, providers, "Show the providers that the configuration requires",
        "Shows which modules of the configuration require which providers, and which providers state requires.", {},
        groups_of_providers},
    {"providers lock", works_on::declarations, providers_lock, "Write checksums to the dependency lock file",
        "Adds checksums of packages for the given platforms to .terraform.lock.hcl. Without PROVIDER, those of all "
        "required "
        "providers.",
        {"[PROVIDER...]", any_number}, groups_of_providers_lock},
    {"providers mirror", works_on::declarations, providers_mirror, "Copy packages of providers to a directory",
        "Downloads the packages of all required providers to a directory that serves as a filesystem mirror.",
        {"DIRECTORY", 1, completion::directory}, groups_of_providers_mirror},
    {"providers schema", works_on::declarations, providers_schema, "Print the schemas of providers",
        "Prints the schemas of all required providers as JSON.", {}, groups_of_backend_json},
    {"query", works_on::configuration, query, "Find objects that exist",
        "Asks providers for the objects that blocks \"list\" in query files describe, and prints their identities. "
        "Query files are *.tfquery.hcl beside the configuration. Changes nothing.",
        {}, groups_of_query, examples_of_query},
    {"refresh", works_on::configuration, refresh, "Update state to match the present objects",
        "Reads the present objects and updates state. The same as \"iacctl apply -refresh-only -auto-approve\".", {},
        groups_of_refresh},
    {"show", works_on::state, show, "Show a state or a saved plan",
        "Shows the state of the workspace, or the content of FILE, which is a saved plan or a state in Terraform's "
        "format.",
        {"[FILE]", 1, completion::file}, groups_of_show},
    {"simulate", works_on::configuration, simulate, "Predict the duration of an apply",
        "Makes a plan, and applies it in virtual time: each operation takes as long as in earlier runs. Shows the "
        "duration for "
        "several parallelisms and the critical path. Changes nothing.",
        {}, groups_of_simulate, examples_of_simulate},
    {"state", works_on::state, nullptr, "Inspect and change state", {}},
    {"state history", works_on::state, state_history, "List the commands that changed state",
        "Lists the commands that changed the state of the workspace, newest first.", {}, groups_of_backend_json},
    {"state identities", works_on::state, state_identities, "List the identities of instances in state",
        "Prints a JSON object with the identity of each instance in state, or of those that belong to ADDRESS. Only "
        "instances to which their provider has given an identity are listed. Requires -json.",
        {"[ADDRESS...]", any_number, completion::address}, groups_of_state_identities},
    {"state list", works_on::state, state_list, "List the instances in state",
        "Lists the addresses of all instances in state, or of those that belong to ADDRESS.",
        {"[ADDRESS...]", any_number, completion::address}, groups_of_state_list},
    {"state locks", works_on::state, state_locks, "List the locks on state",
        "Lists the locks on the workspace and their holders.", {}, groups_of_backend_json},
    {"state log", works_on::state, state_log, "List the entries of the history of state",
        "Lists the entries of the journal of the workspace with their sequence numbers.", {}, groups_of_backend_json},
    {"state mv", works_on::state, state_mv, "Change addresses in state",
        "Changes the addresses of objects in state, so that a renamed resource is not replaced.",
        {"SOURCE DESTINATION", any_number, completion::address}, groups_of_state_change, examples_of_mv},
    {"state pull", works_on::state, state_pull, "Print state in Terraform's format",
        "Prints the state of the workspace in Terraform's format, version 4.", {}, groups_of_backend},
    {"state push", works_on::state, state_push, "Replace state with a file",
        "Replaces the state of the workspace with the state in FILE, which has Terraform's format. \"-\" is standard "
        "input.",
        {"FILE", any_number, completion::file}, groups_of_state_push},
    {"state repair", works_on::state, state_repair, "Rebuild a damaged state",
        "Shows the losses of each source from which state can be rebuilt. With -salvage, replaces state with the state "
        "from SOURCE: rows (the records), backup (the newest backup) or replay (the journal); for a state on a server, "
        "mirror (the copy on this machine) or server (its document).",
        {"[SOURCE]", 1, completion::nothing, false, "rows backup replay mirror server"}, groups_of_state_repair},
    {"state replace-provider", works_on::state, state_replace_provider, "Change the provider of objects in state",
        "Changes the provider of all objects in state that belong to FROM.", {"FROM TO", any_number},
        groups_of_replace_provider},
    {"state resolve", works_on::state, state_resolve, "Settle an operation with an unknown outcome",
        "Records the outcome of an operation that was interrupted before its outcome was known. Without ADDRESS, lists "
        "such "
        "operations.",
        {"[ADDRESS]", 1, completion::address}, groups_of_resolve, examples_of_resolve},
    {"state restore", works_on::state, state_restore, "Restore a backup of state",
        "Replaces the state of the workspace with a backup, the newest one by default, or with the records of a "
        "damaged "
        "database.",
        {"[DATABASE]", 1, completion::file}, groups_of_restore},
    {"state rm", works_on::state, state_rm, "Remove objects from state",
        "Removes objects from state without destroying them.", {"ADDRESS...", any_number, completion::address},
        groups_of_state_change},
    {"state serve", works_on::state, state_serve, "Serve states to the backend \"http\"",
        "Runs a server of states for the backend \"http\" of iacctl, Terraform or OpenTofu.", {}, groups_of_serve},
    {"state show", works_on::state, state_show, "Show an instance in state", "Shows the attributes of one instance.",
        {"ADDRESS", any_number, completion::address}, groups_of_state_show},
    {"state verify", works_on::state, state_verify, "Check the integrity of state",
        "Checks each record, the sum of all records, the journal, and the structure of the database.", {},
        groups_of_backend_json},
    {"taint", works_on::state, taint, "Mark an instance for replacement",
        "Marks an instance in state, so that the next apply replaces its object. \"iacctl apply -replace=ADDRESS\" "
        "does the "
        "same without a change of state.",
        {"ADDRESS", any_number, completion::address}, groups_of_taint},
    {"test", works_on::configuration, test, "Run the tests of the configuration",
        "Executes the runs of the test files *.tftest.hcl and *.tftest.json, or *.tofutest.hcl and *.tofutest.json, in "
        "the "
        "current directory and in \"tests\": "
        "each plans or applies the configuration, or another module, and checks assertions. At the end of each file, "
        "destroys the objects that its runs have created. State is kept in memory; the state of the workspace is not "
        "used.",
        {}, groups_of_test, examples_of_test},
    {"untaint", works_on::state, untaint, "Remove the mark of \"taint\"",
        "Removes the mark from an instance, so that the next apply does not replace its object.",
        {"ADDRESS", any_number, completion::address}, groups_of_taint},
    {"version", works_on::program, version, "Show the version",
        "Shows the version of iacctl, and the version of Terraform that it is compatible with.", {}, groups_of_json},
    {"watch", works_on::configuration, watch, "Report changes that were made outside of the program",
        "Reads all objects at intervals, without a change of state, and prints a line when an object starts to differ "
        "from state, or matches it again. Runs until it is interrupted.",
        {}, groups_of_watch, examples_of_watch},
    {"why", works_on::configuration, why, "Explain the order of two operations",
        "Shows why a resource is created, updated or destroyed before another: the shortest path of dependencies, with "
        "a "
        "reason for each.",
        {"ADDRESS ADDRESS", 2, completion::address}, groups_of_why, examples_of_why},
    {"workspace", works_on::state, nullptr, "Manage workspaces", {}},
    {"workspace delete", works_on::state, workspace_delete, "Delete a workspace",
        "Deletes a workspace that has no objects.", {"NAME", any_number, completion::workspace},
        groups_of_workspace_delete},
    {"workspace list", works_on::state, workspace_list, "List workspaces",
        "Lists all workspaces; an asterisk marks the current one.", {}, groups_of_workspace_list},
    {"workspace new", works_on::state, workspace_new, "Create a workspace", "Creates a workspace, and selects it.",
        {"NAME", any_number}, groups_of_workspace_new},
    {"workspace select", works_on::state, workspace_select, "Select a workspace",
        "Makes a workspace the current one of this directory.", {"NAME", any_number, completion::workspace},
        groups_of_workspace_select},
    {"workspace show", works_on::state, workspace_show, "Show the current workspace",
        "Prints the name of the current workspace.", {}, groups_of_backend},
    // -executor=slurm starts this command on nodes.
    {"__worker", works_on::configuration, serve_commands, {}, {}, {"ADDRESS", 1}},
    // For the scripts of "completion".
    {"__complete", works_on::configuration, complete, {}, {}, {"LINE", 1}},
};

}  // namespace

auto all_commands() noexcept -> std::span<command const>
{
    return commands_table;
}

auto count_of_main_commands() noexcept -> std::size_t
{
    return main_commands;
}

auto global_options() noexcept -> std::span<option const>
{
    return global;
}

auto common_options() noexcept -> std::span<option const>
{
    return common;
}

auto find_command(std::string_view name) noexcept -> command const*
{
    auto const found = std::ranges::find(commands_table, name, &command::name);
    return found == std::end(commands_table) ? nullptr : &*found;
}

auto has_subcommands(std::string_view name) noexcept -> bool
{
    return std::ranges::any_of(commands_table, [&](command const& one) {
        return one.name.size() > name.size() && one.name.starts_with(name) && one.name[name.size()] == ' ';
    });
}

auto find_option(command const& of, std::string_view name) noexcept -> option const*
{
    option const* found = nullptr;
    for_each_option(of, [&](option const& one) {
        if (one.name == name) found = &one;
    });
    return found;
}

}  // namespace iacctl::commands
