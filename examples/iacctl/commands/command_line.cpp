// SPDX-License-Identifier: BSL-1.0
#include "command_line.hpp"

#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "support/characters.hpp"
#include "support/duration.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl::commands {

namespace {

namespace infra = strider::infra;

using language::variable_option;

// Options that have a value: the next argument, unless it is part of this one.
std::set<std::string, std::less<>> const with_value{"chdir", "parallelism", "target", "exclude", "replace", "var",
    "var-file", "out", "plan", "type", "generate-config-out", "lock-timeout", "emergency-dir", "created", "id",
    "backend-config", "state", "module-depth", "lockfile", "plugin-dir", "platform", "fs-mirror", "net-mirror",
    "from-module", "test-directory", "listen", "directory", "users", "add-user", "role", "tls-certificate", "tls-key",
    "client-ca"};

// Two dashes for every long option, and its value in one piece with it.
auto normalized(std::vector<std::string> const& arguments) -> std::vector<std::string>
{
    std::vector<std::string> result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view argument = arguments[i];
        if (argument == "--") {
            result.insert(result.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
            break;
        }
        bool const is_option =
            argument.size() > 2 && argument[0] == '-' && (argument[1] == '-' || is_letter(argument[1]));
        if (!is_option) {
            result.emplace_back(argument);
            continue;
        }
        argument.remove_prefix(argument[1] == '-' ? 2 : 1);
        std::string option = "--" + std::string(argument);
        auto const equals = argument.find('=');
        bool const of_next =
            equals == std::string_view::npos && with_value.contains(argument) && i + 1 < arguments.size();
        if (of_next) option += "=" + arguments[++i];
        // An empty value is an argument of its own: CLI11 takes an option that ends with "=" to have none.
        bool const is_empty = option.ends_with('=') && with_value.contains(argument.substr(0, equals));
        if (is_empty) option.pop_back();
        result.push_back(std::move(option));
        if (is_empty) result.emplace_back();
    }
    return result;
}

// "10s", "1m30s", "500ms" in seconds.
auto duration(std::string const& text) -> double
{
    auto const read = parse_duration(text);
    if (!read || read->count() < 0)
        throw CLI::ValidationError("-lock-timeout", "\"" + text + "\" is not a duration such as 10s or 1m30s");
    return std::chrono::duration<double>(*read).count();
}

// A larger limit is none: each operation at once takes memory of its own.
constexpr std::uint32_t most_at_once = 100'000;

// "10", or with types of resources that have limits of their own: "10,local_file=2".
void read_parallelism(std::string const& text, strider::infra::execution_limits& limits)
{
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view const piece = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
        auto const equals = piece.find('=');
        bool const of_type = equals != std::string_view::npos;
        std::string_view const digits = of_type ? piece.substr(equals + 1) : piece;
        std::uint32_t number = 0;
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        bool const is_number = error == std::errc() && end == digits.data() + digits.size();
        if (!is_number || (of_type && (equals == 0 || number == 0)))
            throw CLI::ValidationError("-parallelism",
                "\"" + text + "\" is not a number such as 10 (0 means the default of 10), alone or followed by "
                    + "limits of single types as in 10,local_file=2");
        if (of_type) limits.of_type[std::string(piece.substr(0, equals))] = std::min(number, most_at_once);
        else if (number != 0) limits.parallelism = std::min(number, most_at_once);
    }
}

class parser {
public:
    auto parse(std::vector<std::string> arguments) -> std::variant<request, help_text, infra::diagnostic>
    {
        app_.name("iacctl");
        app_.description("Plans and applies infrastructure that is described in Terraform's language.");
        app_.require_subcommand(1);
        app_.add_option("--chdir", r_.directory, "Switch to this directory before anything else");
        define();
        std::vector<std::string> reversed = normalized(arguments);
        if (reversed == std::vector<std::string>{"--version"} || reversed == std::vector<std::string>{"-v"})
            reversed = {"version"};
        std::reverse(reversed.begin(), reversed.end());
        try {
            app_.parse(reversed);
        } catch (CLI::CallForHelp const&) {
            return help_text{help()};
        } catch (CLI::ParseError const& e) {
            return mistake(e);
        }
        if (r_.arguments.size() > most_) return too_many_arguments(r_.command);
        return std::move(r_);
    }

private:
    // \param options  adds the options of the command; called only where the command is given: a process has one command
    void command(CLI::App& under, std::string const& name, std::string const& description,
        std::function<void(CLI::App&)> options = {})
    {
        CLI::App* const sub = under.add_subcommand(name, description);
        std::string const whole = &under == &app_ ? name : under.get_name() + " " + name;
        sub->preparse_callback([this, sub, options = std::move(options)](std::size_t) {
            sub->add_flag("--no-color{false}", r_.colour, "Do not colour output");
            if (options) options(*sub);
        });
        sub->callback([this, whole, sub] {
            if (sub->get_subcommands().empty()) r_.command = whole;
        });
    }
    // Commands that share their first word.
    static auto group(CLI::App& under, std::string const& name, std::string const& description) -> CLI::App&
    {
        CLI::App* const sub = under.add_subcommand(name, description);
        sub->require_subcommand(1);
        return *sub;
    }
    // An option that may be given again and again.
    static void many(CLI::App& c, std::string const& name, std::vector<std::string>& to, std::string const& what)
    {
        c.add_option(name, to, what)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->expected(1)
            ->allow_extra_args(false);
    }
    void variables(CLI::App& c)
    {
        auto const take = [this](variable_option::option_kind kind) {
            return [this, kind](std::string const& text) { r_.variables.push_back({kind, text}); };
        };
        c.add_option_function<std::string>(
             "--var", take(variable_option::option_kind::assignment), "Set a variable: name=value")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->trigger_on_parse();
        c.add_option_function<std::string>(
             "--var-file", take(variable_option::option_kind::file), "Set variables from a file")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->trigger_on_parse();
    }
    void at(CLI::App& c) { c.add_option("--at", r_.at, "As state was after the entry with this sequence"); }
    void locking(CLI::App& c)
    {
        c.add_flag("--lock", r_.lock, "Lock state (-lock=false: do not)");
        c.add_option_function<std::string>(
            "--lock-timeout", [this](std::string const& text) { r_.lock_timeout = duration(text); },
            "How long to wait for the lock, as 10s");
        c.add_flag("--ignore-remote-version", accepted_, "Without effect: no other program keeps state");
        c.add_option("--emergency-dir", r_.emergency_directory, "Where state is written if it cannot be saved");
    }
    void planning(CLI::App& c)
    {
        variables(c);
        locking(c);
        c.add_flag("--destroy", r_.destroy, "Destroy everything");
        c.add_flag("--refresh", r_.refresh, "Ask providers for the present state of objects (-refresh=false: do not)");
        c.add_flag("--refresh-only", r_.refresh_only, "Only update state with what has changed outside");
        many(c, "--target", r_.targets, "Only this resource or module, and what it depends on");
        many(c, "--exclude", r_.excludes, "All but this resource or module, and what depends on it");
        many(c, "--replace", r_.replace, "Make this instance anew");
        parallelism(c);
        c.add_flag("--input", r_.input, "Ask for what is missing (-input=false: do not)");
        c.add_flag("--compact-warnings", r_.compact_warnings, "Show warnings in one line each");
        c.add_flag("--detailed-exitcode", r_.detailed_exit_code, "Exit with 2 if there are changes");
    }
    void streaming(CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON, one object a line, as things happen"); }
    void applying(CLI::App& c)
    {
        streaming(c);
        c.add_flag("--auto-approve", r_.auto_approve, "Do not ask");
        c.add_flag("--stop-on-failure", r_.limits.stop_on_first_failure,
            "Start nothing new once something has failed; without it, what does not depend on it goes on");
    }
    void parallelism(CLI::App& c)
    {
        c.add_option_function<std::string>(
             "--parallelism", [this](std::string const& text) { read_parallelism(text, r_.limits); },
             "How many operations run at once (10), and of one type of resource: 10,local_file=2")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->trigger_on_parse();
    }
    // \param most  more than that the command would not even look at
    void positional(CLI::App& c, std::string const& name, std::string const& description, std::size_t most = any_number)
    {
        c.add_option(name, r_.arguments, description)->expected(0, any_number);
        most_ = most;
    }
    void define()
    {
        command(app_, "init", "Prepare a directory: the backend, and the providers of the configuration",
            [this](CLI::App& c) {
                c.add_flag("--input", r_.input, "Ask for what is missing");
                locking(c);
                c.add_flag("--backend", r_.backend, "Initialize the backend (-backend=false: do not)");
                many(c, "--backend-config", r_.backend_options,
                    "An argument of the backend, name=value, or a file of them");
                c.add_flag(
                    "--reconfigure", r_.reconfigure, "Use the backend as it is configured now, and copy no state");
                c.add_flag("--migrate-state", r_.migrate, "Copy the states of the backend that was used before");
                c.add_flag("--force-copy", r_.force_copy, "The same, with \"yes\" as the answer to every question");
                c.add_flag("--upgrade", r_.upgrade, "Install the newest versions that the constraints accept");
                c.add_flag("--get", r_.get, "Install modules (-get=false: do not)");
                c.add_option(
                    "--from-module", r_.from_module, "Copy this module into the directory before anything else");
                c.add_option("--lockfile", r_.lock_file_mode, "\"readonly\": do not change the dependency lock file");
                many(c, "--plugin-dir", r_.plugin_directories,
                    "Install providers from this directory only; a mirror in one of Terraform's layouts");
                c.add_option("--test-directory", ignored_, "Without effect: tests are not read");
            });
        command(app_, "validate", "Check a configuration without looking at state", [this](CLI::App& c) {
            c.add_flag("--json", r_.json, "Print JSON");
            c.add_flag("--no-tests", accepted_, "Without effect: tests are not read");
            c.add_option("--test-directory", ignored_, "Without effect: tests are not read");
        });
        command(app_, "fmt", "Bring configuration files into the usual form", [this](CLI::App& c) {
            c.add_flag("--list", r_.list, "List files that change (-list=false: do not)");
            c.add_flag("--write", r_.write, "Write files (-write=false: do not)");
            c.add_flag("--diff", r_.diff, "Show what changes");
            c.add_flag("--check", r_.check, "Change nothing; exit with 3 if something would change");
            c.add_flag("--recursive", r_.recursive, "Directories below too");
            positional(c, "target", "Files and directories; - is standard input", 100'000);
        });
        command(app_, "console", "Evaluate expressions, one a line", [this](CLI::App& c) {
            variables(c);
            locking(c);
        });
        command(group(app_, "metadata", "Describe the language"), "functions", "List all functions",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(app_, "plan", "Show what apply would do", [this](CLI::App& c) {
            planning(c);
            streaming(c);
            c.add_option("--out", r_.out, "Save the plan to this file");
            c.add_option("--generate-config-out", r_.generated,
                "A new file for the resources that import blocks name and nothing declares");
        });
        command(app_, "apply", "Do what a plan says", [this](CLI::App& c) {
            planning(c);
            applying(c);
            positional(c, "plan_file", "A saved plan", 1);
        });
        command(app_, "import", "Take an object that exists into state", [this](CLI::App& c) {
            variables(c);
            locking(c);
            parallelism(c);
            c.add_flag("--input", r_.input, "Ask for what is missing (-input=false: do not)");
            positional(c, "address_and_id", "Where to, and the id that its provider knows it by");
        });
        command(app_, "destroy", "Destroy everything", [this](CLI::App& c) {
            planning(c);
            applying(c);
        });
        command(app_, "refresh", "Update state with what has changed outside", [this](CLI::App& c) {
            planning(c);
            streaming(c);
        });
        command(app_, "graph", "Print a graph as DOT", [this](CLI::App& c) {
            variables(c);
            c.add_option("--type", r_.graph_type, "plan or apply; without it, resources only");
            c.add_option("--plan", r_.plan, "Of this saved plan");
            c.add_flag("--draw-cycles", accepted_, "Without effect: of cycles the path is told");
            c.add_option("--module-depth", ignored_, "Without effect");
        });
        command(app_, "why", "Tell why one thing runs before another", [this](CLI::App& c) {
            planning(c);
            c.add_option("--plan", r_.plan, "Of this saved plan");
            positional(c, "address", "Two addresses", 2);
        });
        command(app_, "show", "Show state, or a saved plan", [this](CLI::App& c) {
            c.add_flag("--json", r_.json, "Print JSON");
            positional(c, "plan_file", "A saved plan", 1);
            at(c);
        });
        command(app_, "output", "Show output values", [this](CLI::App& c) {
            c.add_flag("--json", r_.json, "Print JSON");
            c.add_flag("--raw", r_.raw, "Print one value as it is");
            positional(c, "name", "One output", 1);
        });
        command(
            app_, "version", "Print the version", [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        installation();
        command(app_, "get", "Install modules", [this](CLI::App& c) {
            c.add_flag("--update", r_.update, "Install again what is installed, in the newest versions");
            c.add_option("--test-directory", ignored_, "Without effect: tests are not read");
        });
        command(app_, "modules", "List the modules of the configuration",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        workspaces();
        states();
    }
    void installation()
    {
        command(app_, "providers", "Show which providers are asked for");
        CLI::App& providers = *app_.get_subcommand("providers");
        auto const platforms = [this](CLI::App& c) {
            many(c, "--platform", r_.platforms, "An operating system and an architecture, as linux_amd64");
        };
        command(providers, "lock", "Write checksums of packages into the dependency lock file",
            [this, platforms](CLI::App& c) {
                platforms(c);
                c.add_option("--fs-mirror", r_.filesystem_mirror, "Take packages from this directory");
                c.add_option("--net-mirror", r_.network_mirror, "Take packages from this network mirror");
                c.add_flag("--enable-plugin-cache", accepted_, "Without effect: packages are verified each time");
                positional(c, "provider", "Sources of providers; without any, all of the configuration");
            });
        command(providers, "mirror", "Copy packages into a directory, as a mirror", [this, platforms](CLI::App& c) {
            platforms(c);
            c.add_flag(
                "--lock-file", r_.lock, "Select the versions of the dependency lock file (-lock-file=false: newest)");
            positional(c, "directory", "Of the mirror", 1);
        });
        command(providers, "schema", "Print the schemas of providers",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(app_, "login", "Store a token for a host",
            [this](CLI::App& c) { positional(c, "host", "Of a registry", 1); });
        command(app_, "logout", "Remove the stored token for a host",
            [this](CLI::App& c) { positional(c, "host", "Of a registry", 1); });
    }
    void states()
    {
        CLI::App& state = group(app_, "state", "Look at and mend state");
        command(state, "list", "List what state has", [this](CLI::App& c) {
            positional(c, "address", "Only these");
            c.add_option("--id", r_.id, "Only those with this id");
        });
        command(state, "show", "Show one object", [this](CLI::App& c) {
            positional(c, "address", "Which");
            at(c);
        });
        command(state, "verify", "Check state: every record, their sum, its history, and SQLite's own check",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(state, "repair", "Make a state from what a damaged one still has", [this](CLI::App& c) {
            positional(c, "source", "rows, backup or replay; without it, what each of them loses is shown", 1);
            locking(c);
            c.add_flag(
                "--salvage", r_.salvage, "Replace the damaged state by one made of SOURCE, with the losses shown");
        });
        command(state, "history", "List the commands that changed state",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(state, "locks", "List the locks that are held on state",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(state, "log", "List the entries of the history of state",
            [this](CLI::App& c) { c.add_flag("--json", r_.json, "Print JSON"); });
        command(state, "pull", "Print state in Terraform's format");
        command(state, "push", "Put a state in Terraform's format in the place of this one", [this](CLI::App& c) {
            positional(c, "path", "Of the file; - is standard input");
            locking(c);
            c.add_flag("--force", r_.force, "Even if it is older, or another state altogether");
        });
        for (auto const& [name, description] : {std::pair("taint", "Have an object replaced by the next apply"),
                 std::pair("untaint", "Keep an object that was to be replaced")})
            command(app_, name, description, [this](CLI::App& c) {
                positional(c, "address", "Of the instance");
                locking(c);
                c.add_flag("--allow-missing", r_.allow_missing, "It is no error if there is no such instance");
            });
        for (auto const& [name, description] : {std::pair("rm", "Forget objects without destroying them"),
                 std::pair("mv", "Say that objects are at other addresses now")})
            command(state, name, description, [this](CLI::App& c) {
                positional(c, "address", "Of instances, resources or modules");
                locking(c);
                c.add_flag("--dry-run", r_.dry_run, "Only print what would be done");
            });
        command(state, "replace-provider", "Say that another provider has the objects of one", [this](CLI::App& c) {
            positional(c, "provider", "From, to");
            locking(c);
            c.add_flag("--auto-approve", r_.auto_approve, "Do not ask");
        });
        command(state, "restore", "Go back to a backup of state, or to what a damaged database still has",
            [this](CLI::App& c) {
                positional(c, "database", "The backup, or state.db itself; the newest backup if it is not given", 1);
                locking(c);
            });
        command(state, "serve", "Serve states to the backend \"http\" of other machines", [this](CLI::App& c) {
            serve_request& to = r_.serve;
            c.add_option("--listen", to.listen, "The address: HOST:PORT or unix:PATH");
            c.add_option("--directory", to.directory, "The directory of the states");
            c.add_option("--users", to.users, "The file of users and hashes of their passwords");
            c.add_option(
                "--add-user", to.add_user, "Add a user to that file; the password is read from standard input");
            c.add_option("--role", to.role, "The role of that user: read or write");
            c.add_option("--tls-certificate", to.tls_certificate, "The certificate of the server, a PEM file");
            c.add_option("--tls-key", to.tls_key, "Its private key, a PEM file");
            c.add_option("--client-ca", to.client_ca, "Authorities of certificates that clients need, a PEM file");
            c.add_flag("--allow-plain-text", to.allow_plain_text, "Allow passwords to cross a network without TLS");
        });
        command(state, "resolve", "Say what became of an interrupted operation", [this](CLI::App& c) {
            positional(c, "address", "Of the instance, or the operation", 1);
            locking(c);
            c.add_flag("--not-created,--not-done", r_.not_created, "It was not carried out");
            c.add_option("--created", r_.created, "It was: the object as JSON attributes, or its id");
        });
    }
    void workspaces()
    {
        CLI::App& workspace = group(app_, "workspace", "Keep several states of one configuration");
        command(workspace, "list", "List workspaces");
        command(workspace, "show", "Print the name of the current one");
        auto const named = [this](CLI::App& c) {
            positional(c, "name", "Of the workspace");
            locking(c);
        };
        command(workspace, "new", "Make one, and select it", [this, named](CLI::App& c) {
            named(c);
            c.add_option("--state", r_.state, "Begin with the state in this file of Terraform's format");
        });
        command(workspace, "select", "Work in another one", [this, named](CLI::App& c) {
            named(c);
            c.add_flag("--or-create", r_.or_create, "Make it if there is none");
        });
        command(workspace, "delete", "Delete one", [this, named](CLI::App& c) {
            named(c);
            c.add_flag("--force", r_.force, "Even if objects are lost track of");
        });
        command(app_, "force-unlock", "Say who holds the lock of a workspace", [this](CLI::App& c) {
            positional(c, "lock_id", "Of the lock");
            c.add_flag("--force", r_.force, "Do not ask");
        });
    }
    auto help() const -> std::string
    {
        for (CLI::App const* sub : app_.get_subcommands()) {
            for (CLI::App const* below : sub->get_subcommands()) return below->help("iacctl " + sub->get_name());
            return sub->help("iacctl");
        }
        return app_.help();
    }
    // The command as far as it was understood: "", "state", "state list".
    auto understood() const -> std::string
    {
        std::string name;
        for (CLI::App const* at = &app_; !at->get_subcommands().empty();) {
            at = at->get_subcommands().front();
            name += (name.empty() ? "" : " ") + at->get_name();
        }
        return name;
    }
    // Is what was understood of the command only the first word of several commands?
    auto expects_command() const -> bool
    {
        CLI::App const* at = &app_;
        while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
        return at->get_require_subcommand_min() > 0;
    }
    static auto too_many_arguments(std::string const& command) -> infra::diagnostic
    {
        if (command == "output") return make_error(messages::unexpected_output_argument);
        return make_error(messages::too_many_arguments, {command});
    }
    auto mistake(CLI::ParseError const& e) const -> infra::diagnostic
    {
        auto const command = understood();
        auto const below = command.empty() ? std::string() : " " + command;
        auto const rest = app_.remaining(true);
        bool const is_option = !rest.empty() && rest.front().starts_with("--");
        if (!rest.empty() && is_option && dynamic_cast<CLI::ExtrasError const*>(&e) != nullptr)
            return make_error(messages::unknown_option, {rest.front().substr(1, rest.front().find('=') - 1), below});
        if (!rest.empty() && !is_option && !expects_command()) return too_many_arguments(command);
        if (!rest.empty() && !is_option) return make_error(messages::unknown_command, {below, rest.front()});
        if (dynamic_cast<CLI::RequiredError const*>(&e) != nullptr)
            return make_error(messages::command_missing, {below});
        return make_error(messages::invalid_option, {e.what(), below});
    }

    static constexpr int any_number = 100'000;

    CLI::App app_;
    request r_;
    std::size_t most_ = any_number;  // of the arguments of the command
    bool accepted_ = false;
    std::vector<std::string> ignored_;
};

}  // namespace

auto parse_command_line(std::vector<std::string> arguments) -> std::variant<request, help_text, infra::diagnostic>
{
    return parser().parse(std::move(arguments));
}

}  // namespace iacctl::commands
