// SPDX-License-Identifier: BSL-1.0
#include "login.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"
#include "base/random.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

using fields = std::vector<std::pair<std::string_view, std::string>>;

// Encodes fields as application/x-www-form-urlencoded.
auto encoded(fields const& all) -> std::string
{
    std::string made;
    for (auto const& [name, value] : all) {
        made += made.empty() ? "" : "&";
        made += name;
        made += '=';
        for (char const c : value) {
            bool const plain = is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
            if (plain) made += c;
            else append_percent(made, c);
        }
    }
    return made;
}

// The fields of a query.
auto decoded(std::string_view query) -> std::map<std::string, std::string, std::less<>>
{
    std::map<std::string, std::string, std::less<>> made;
    while (!query.empty()) {
        auto const end = std::min(query.find('&'), query.size());
        auto const one = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        auto const equals = std::min(one.find('='), one.size());
        made.insert_or_assign(http::percent_decoded(one.substr(0, equals)),
            equals < one.size() ? http::percent_decoded(one.substr(equals + 1)) : std::string());
    }
    return made;
}

auto failed(std::string const& host, std::string const& why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::login_failed, {host, why}));
}

// Waits for the browser to deliver the response of the authorization server.
class callback_listener {
public:
    // False if no port in the range is free.
    [[nodiscard]] auto listen(std::uint16_t first, std::uint16_t last) -> bool
    {
        for (unsigned port = first; port <= last; ++port) {
            boost::system::error_code error;
            tcp::endpoint const at(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
            acceptor_ = tcp::acceptor(context_);
            acceptor_.open(at.protocol(), error);
            if (!error) acceptor_.bind(at, error);
            if (!error) acceptor_.listen(8, error);
            if (!error) return true;
        }
        return false;
    }

    [[nodiscard]] auto port() const -> std::uint16_t { return acceptor_.local_endpoint().port(); }

    // The query of the first request for /login; nothing after the timeout.
    [[nodiscard]] auto wait(std::chrono::seconds longest) -> std::optional<std::string>
    {
        std::optional<std::string> query;
        auto const end = std::chrono::steady_clock::now() + longest;
        while (!query && std::chrono::steady_clock::now() < end) {
            tcp::socket socket(context_);
            asio::streambuf request(std::size_t{1} << 16U);
            acceptor_.async_accept(socket, [&](boost::system::error_code const& refused) {
                if (refused) return;
                asio::async_read_until(
                    socket, request, "\r\n\r\n", [&](boost::system::error_code const& lost, std::size_t) {
                        if (!lost) query = answer(socket, request);
                    });
            });
            context_.restart();
            context_.run_until(end);
            boost::system::error_code ignored;
            acceptor_.cancel(ignored);
            socket.close(ignored);
            context_.restart();
            context_.run();
        }
        return query;
    }

private:
    static auto answer(tcp::socket& socket, asio::streambuf& request) -> std::optional<std::string>
    {
        std::istream lines(&request);
        std::string method;
        std::string target;
        lines >> method >> target;
        bool const ours = method == "GET" && (target == "/login" || target.starts_with("/login?"));
        std::string const body = ours ? "The answer has been received. This window can be closed.\n" : "Not found.\n";
        std::string const text = std::string("HTTP/1.1 ") + (ours ? "200 OK" : "404 Not Found")
            + "\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size())
            + "\r\n\r\n" + body;
        boost::system::error_code ignored;
        asio::write(socket, asio::buffer(text), ignored);
        if (!ours) return std::nullopt;
        auto const question = target.find('?');
        return question == std::string::npos ? std::string() : target.substr(question + 1);
    }

    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_};
};

class login_flow {
public:
    login_flow(service_client& client, std::string const& host, login_dialog const& dialog, service_document service)
        : client_(client),
          host_(host),
          dialog_(dialog),
          service_(std::move(service))
    {}

    auto run() -> expected<std::string>
    {
        std::vector<std::string> grants;
        if (auto const* const listed = service_.content.find("grant_types");
            listed != nullptr && listed->elements() != nullptr)
            for (json const& one : *listed->elements())
                if (one.text() != nullptr) grants.push_back(*one.text());
        auto const has = [&](std::string_view grant) { return std::ranges::find(grants, grant) != grants.end(); };
        if (grants.empty() || has("authz_code")) return by_browser();
        if (has("password")) return by_password();
        return failed(host_, "the host offers no supported login method");
    }

private:
    [[nodiscard]] auto text(std::string_view name) const -> std::string
    {
        auto const* const member = service_.content.find(name);
        return member == nullptr || member->text() == nullptr ? std::string() : *member->text();
    }

    auto by_browser() -> expected<std::string>
    {
        auto const place = resolved(service_.url, text("authz"));
        if (!place || text("authz").empty()) return failed(host_, "it has no URL for authorization");
        std::uint16_t first = 1024;
        std::uint16_t last = 65535;
        if (auto const* const ports = service_.content.find("ports");
            ports != nullptr && ports->elements() != nullptr && ports->elements()->size() == 2) {
            auto const low = ports->elements()->front().natural();
            auto const high = ports->elements()->back().natural();
            if (!low || !high || *low < 1024 || *high > 65535 || *low > *high)
                return failed(host_, "its range of ports is invalid");
            first = static_cast<std::uint16_t>(*low);
            last = static_cast<std::uint16_t>(*high);
        }
        callback_listener listener;
        if (!listener.listen(first, last)) return failed(host_, "no port of its range is free on this machine");
        std::string const redirect = "http://localhost:" + std::to_string(listener.port()) + "/login";
        std::string const state = random_uuid();
        std::string const verifier = random_hex(64);
        fields all{{"client_id", text("client")}, {"code_challenge", base64_url(digest(verifier, digest_kind::sha256))},
            {"code_challenge_method", "S256"}, {"redirect_uri", redirect}, {"response_type", "code"}, {"state", state}};
        if (auto const* const scopes = service_.content.find("scopes");
            scopes != nullptr && scopes->elements() != nullptr) {
            std::string joined;
            for (json const& one : *scopes->elements())
                if (one.text() != nullptr) joined += (joined.empty() ? "" : " ") + *one.text();
            all.emplace_back("scope", joined);
        }
        bool const has_query = place->find('?') != std::string::npos;
        dialog_.show("\nOpen this URL in a browser to log in:\n    " + *place + (has_query ? "&" : "?") + encoded(all)
            + "\n\nWaiting for the host to confirm the login ...\n");
        auto const query = listener.wait(std::chrono::minutes(10));
        if (!query) return failed(host_, "there was no response within ten minutes");
        auto const answer = decoded(*query);
        auto const value = [&](std::string_view name) {
            auto const at = answer.find(name);
            return at == answer.end() ? std::string() : at->second;
        };
        if (value("state") != state) return failed(host_, "the response belongs to another request");
        if (value("code").empty()) return failed(host_, "it refused: " + value("error"));
        return exchange({{"client_id", text("client")}, {"code", value("code")}, {"code_verifier", verifier},
            {"grant_type", "authorization_code"}, {"redirect_uri", redirect}});
    }

    auto by_password() -> expected<std::string>
    {
        auto const user = dialog_.ask("Username for " + host_ + ": ", false);
        auto const password = dialog_.ask("Password for " + host_ + ": ", true);
        if (user.empty() || password.empty()) return failed(host_, "it needs a user name and a password");
        return exchange(
            {{"client_id", text("client")}, {"grant_type", "password"}, {"password", password}, {"username", user}});
    }

    auto exchange(fields const& all) -> expected<std::string>
    {
        auto const place = resolved(service_.url, text("token"));
        if (!place || text("token").empty()) return failed(host_, "it has no URL for tokens");
        http::request request;
        request.method = "POST";
        request.url = *place;
        request.follows = http::redirections::same_origin;
        request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
        request.body = encoded(all);
        request.longest_body = std::size_t{1} << 20U;
        auto const response = client_.client().send(std::move(request));
        if (!response) return failed(host_, response.error);
        if (response.status != 200)
            return failed(host_, "the status of its response is " + std::to_string(response.status));
        auto const document = parse_json(response.body);
        auto const* const token = document ? document->find("access_token") : nullptr;
        if (token == nullptr || token->text() == nullptr || token->text()->empty())
            return failed(host_, "its response has no token");
        return *token->text();
    }

    service_client& client_;
    std::string const& host_;
    login_dialog const& dialog_;
    service_document service_;
};

}  // namespace

auto obtain_token(service_client& client, std::string const& host, login_dialog const& dialog) -> expected<std::string>
{
    auto login = client.service_entry(host, "login.v1");
    if (!login) return login.error();
    if (login->content.members() != nullptr) return login_flow(client, host, dialog, std::move(*login)).run();
    auto const tokens = client.service_entry(host, "tfe.v2");
    if (!tokens) return tokens.error();
    if (tokens->content.is_null()) return failed(host, "it offers no login service");
    dialog.show("\nCreate a token at https://" + host + "/app/settings/tokens?source=terraform-login\n");
    auto token = dialog.ask("Token for " + host + ": ", true);
    auto const blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    std::erase_if(token, blank);
    if (token.empty()) return failed(host, "no token was given");
    return token;
}

}  // namespace iacctl::packages
