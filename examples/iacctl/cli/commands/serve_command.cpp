// SPDX-License-Identifier: BSL-1.0
// A server of states, and its users.
#include "commands.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "server/http_server.hpp"
#include "server/users.hpp"
#include "session.hpp"

#include <utility>

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
    with.log = [&s](std::string const& line) { s.out() << line << std::endl; };
    auto serving = server::http_server::open(std::move(with));
    if (!serving) return s.report(serving.error());
    s.out() << "Serving states at " << serving->address() << std::endl;
    serving->run();
    return 0;
}

}  // namespace

constinit command const state_serve_command{"state serve", {.backend = true}, begin<state_serve>,
    "Serve states to the backend \"http\"",
    "Runs a server of states for the backend \"http\" of iacctl, Terraform or OpenTofu."};

}  // namespace iacctl::commands
