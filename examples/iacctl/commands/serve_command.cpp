// SPDX-License-Identifier: BSL-1.0
// A server of states, and its users.
#include "commands.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "server/http_server.hpp"
#include "server/users.hpp"

#include <utility>

namespace iacctl::commands {

namespace {

auto add_user(session const& s, serve_request const& requested) -> int
{
    if (requested.users.empty()) return s.report(make_error(messages::serve_options_missing, {"users"}));
    if (requested.role != "read" && requested.role != "write")
        return s.report(make_error(messages::user_role_invalid, {requested.role}));
    auto const password = s.read_answer(true);
    auto const may = requested.role == "read" ? server::role::read : server::role::write;
    auto const failed = server::add_user(requested.users, requested.add_user, may, password.value_or(std::string()));
    return failed ? s.report(*failed) : 0;
}

}  // namespace

auto state_serve(session const& s) -> int
{
    serve_request const& requested = s.requested().serve;
    if (!requested.add_user.empty()) return add_user(s, requested);
    for (auto const& [name, text] :
        {std::pair("listen", &requested.listen), std::pair("directory", &requested.directory)})
        if (text->empty()) return s.report(make_error(messages::serve_options_missing, {name}));
    server::server_options with;
    with.listen = requested.listen;
    with.directory = requested.directory;
    with.users = requested.users;
    with.tls_certificate = requested.tls_certificate;
    with.tls_key = requested.tls_key;
    with.client_ca = requested.client_ca;
    with.allow_plain_text = requested.allow_plain_text;
    with.log = [&s](std::string const& line) { s.out() << line << std::endl; };
    auto serving = server::http_server::open(std::move(with));
    if (!serving) return s.report(serving.error());
    s.out() << "Serving states at " << serving->address() << std::endl;
    serving->run();
    return 0;
}

}  // namespace iacctl::commands
