// SPDX-License-Identifier: BSL-1.0
// A server of states, and its users.
#include "commands.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "server/http_server.hpp"
#include "server/users.hpp"
#include "session.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct serve_options : options_with<> {
    std::string listen;
    std::string directory;
    std::string users;
    std::string added_user;
    std::string role = "write";
    std::string tls_certificate;
    std::string tls_key;
    std::string client_ca;
    std::vector<std::string> projects;
    bool allow_plain_text = false;

    void declare(option_list& to)
    {
        to.with_value("listen", "HOST:PORT|unix:PATH", "Listen at this address.", listen);
        to.with_value("directory", "DIR", "Keep the states in this directory.", directory, completion::directory);
        to.with_value("users", "FILE", "Read users, their roles, and hashes of their passwords from FILE.", users,
            completion::file);
        to.with_value("add-user", "NAME",
            "Add a user to the file of users, and exit. Reads the password from standard input.", added_user);
        to.with_choice(
            "role", "ROLE", "\"read\" or \"write\" (default): the permission of the added user.", role, "read write");
        to.with_value("tls-certificate", "FILE", "The certificate of the server, in PEM format.", tls_certificate,
            completion::file);
        to.with_value(
            "tls-key", "FILE", "The private key of the certificate, in PEM format.", tls_key, completion::file);
        to.with_value("client-ca", "FILE", "Require certificates of clients that one of these authorities has signed.",
            client_ca, completion::file);
        to.with_value("project", "DIR",
            "Show the states of the configuration in DIR in the console, too. May be repeated.", projects,
            completion::directory);
        to.on("allow-plain-text", "Accept passwords without TLS from other machines.", allow_plain_text);
        options_with::declare(to);
    }
};

auto add_user(session const& s, serve_options const& options) -> int
{
    if (options.users.empty()) return s.report(make_error(messages::serve_options_missing, {"users"}));
    if (options.role != "read" && options.role != "write")
        return s.report(make_error(messages::user_role_invalid, {options.role}));
    auto const password = s.read_answer(true);
    auto const may = options.role == "read" ? server::role::read : server::role::write;
    auto const added = server::add_user(options.users, options.added_user, may, password.value_or(std::string()));
    return added ? 0 : s.report(added.error());
}

// A name for paths, which no other source has: that of the directory.
auto name_of(std::string const& directory, std::vector<server::served_project> const& others) -> std::string
{
    std::error_code unknown;
    std::string name = std::filesystem::weakly_canonical(directory, unknown).filename().string();
    for (char& c : name)
        if (!state::is_workspace_name(std::string{'a', c})) c = '-';
    if (!state::is_workspace_name(name)) name = "project";
    std::string made = name;
    auto const is_taken = [&] {
        return made == "states" || std::ranges::find(others, made, &server::served_project::name) != others.end();
    };
    for (int number = 2; is_taken(); ++number) made = name + "-" + std::to_string(number);
    return made;
}

// The backends of the configurations in these directories.
auto projects_of(session const& s, std::vector<std::string> const& directories)
    -> expected<std::vector<server::served_project>>
{
    std::vector<server::served_project> made;
    for (std::string const& directory : directories) {
        std::error_code error;
        if (!std::filesystem::is_directory(directory, error))
            return infra::failure(make_error(messages::served_project_missing,
                {directory, error ? error.message() : std::string("it is not a directory")}));
        auto with = s.workspace().options();
        with.directory = directory;
        auto states = workspace::workspace(std::move(with)).backend();
        if (!states) return states.error();
        made.push_back({name_of(directory, made), std::move(*states)});
    }
    return made;
}

auto state_serve(serve_options const& options, session const& s) -> int
{
    if (!options.added_user.empty()) return add_user(s, options);
    for (auto const& [name, text] : {std::pair("listen", &options.listen), std::pair("directory", &options.directory)})
        if (text->empty()) return s.report(make_error(messages::serve_options_missing, {name}));
    server::server_options with;
    with.listen = options.listen;
    with.directory = options.directory;
    with.users = options.users;
    with.tls_certificate = options.tls_certificate;
    with.tls_key = options.tls_key;
    with.client_ca = options.client_ca;
    with.allow_plain_text = options.allow_plain_text;
    auto projects = projects_of(s, options.projects);
    if (!projects) return s.report(projects.error());
    with.projects = std::move(*projects);
    with.known = s.workspace().options().providers;
    with.log = [&s](std::string const& line) { s.out() << line << std::endl; };
    auto serving = server::http_server::open(std::move(with));
    if (!serving) return s.report(serving.error());
    s.out() << "Serving states at " << serving->address() << std::endl;
    if (auto const address = serving->address(); !address.starts_with("unix:"))
        s.out() << "The console is at " << address << "/console/" << std::endl;
    serving->run();
    return 0;
}

}  // namespace

constinit command const state_serve_command{"state serve", {.backend = true}, begin<state_serve>,
    "Serve states to the backend \"http\", and a console",
    "Runs a server of states for the backend \"http\" of iacctl, Terraform or OpenTofu, with a console in the "
    "browser."};

}  // namespace iacctl::commands
