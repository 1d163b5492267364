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

auto add_user(session const& s, serve_request const& asked) -> int
{
    if (asked.users.empty()) return s.tell(make_error(messages::serve_options_missing, {"users"}));
    if (asked.role != "read" && asked.role != "write")
        return s.tell(make_error(messages::user_role_invalid, {asked.role}));
    auto const password = s.read_answer(true);
    auto const may = asked.role == "read" ? server::role::read : server::role::write;
    auto const failed = server::add_user(asked.users, asked.add_user, may, password.value_or(std::string()));
    return failed ? s.tell(*failed) : 0;
}

}  // namespace

auto state_serve(session const& s) -> int
{
    serve_request const& asked = s.asked().serve;
    if (!asked.add_user.empty()) return add_user(s, asked);
    for (auto const& [name, text] : {std::pair("listen", &asked.listen), std::pair("directory", &asked.directory)})
        if (text->empty()) return s.tell(make_error(messages::serve_options_missing, {name}));
    server::server_options with;
    with.listen = asked.listen;
    with.directory = asked.directory;
    with.users = asked.users;
    with.tls_certificate = asked.tls_certificate;
    with.tls_key = asked.tls_key;
    with.client_ca = asked.client_ca;
    with.allow_plain_text = asked.allow_plain_text;
    with.log = [&s](std::string const& line) { s.out() << line << std::endl; };
    auto serving = server::http_server::open(std::move(with));
    if (!serving) return s.tell(serving.error());
    s.out() << "Serving states at " << serving->address() << std::endl;
    serving->run();
    return 0;
}

}  // namespace iacctl::commands
