// SPDX-License-Identifier: BSL-1.0
// A provider for tests, which is started like any other. The environment variable FAKE_PROVIDER has its modes,
// separated by spaces:
//
//   protocol=N         version of the protocol: 5 or 6 (usual); others only in the handshake
//   handshake=LINE     prints that line instead of its handshake; '_' stands for a space
//   silent             prints no handshake
//   mute               listens, and does not accept connections
//   exit=N             ends at once with that status
//   certificate=none|other   its handshake has no certificate, or one that it does not show
//   flood              writes 8 MB to standard error first, and 1 MB with each call
//   stubborn           ignores SIGTERM and Shutdown
//   record=FILE        appends the name of each call to a file
//   large=N            its schema has N resource types more
//   lie=HOW            breaks the rules of values: planned, applied, unknown, msgpack, type, legacy,
//                      planned_secret, applied_secret, deferred, deferred_read, no_meta
//
// and what goes wrong in a call, by its name in version 6 ("*": any), from its Nth time on (1 if missing):
//
//   status=N           of refused calls; 2 by default
//   crash=CALL:N  hang=CALL:N  refuse=CALL:N  garbage=CALL:N  huge=CALL:N  compressed=CALL:N  twice=CALL:N
//   unfinished=CALL:N  disconnect=CALL:N  goaway=CALL:N  slow=CALL:N (answered after 200 ms)
#include "grpc_server.hpp"
#include "resources.hpp"

#include "base/encoding.hpp"
#include "providers/plugin/certificate.hpp"
#include "providers/plugin/methods.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <unistd.h>

namespace {

namespace asio = boost::asio;
namespace plugin = iacctl::plugin;
namespace protocol = plugin::protocol;

auto variable(char const* name) -> std::string
{
    char const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

class modes {
public:
    explicit modes(std::string const& text)
    {
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            auto const equals = std::min(word.find('='), word.size());
            set_.emplace(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
        }
    }
    [[nodiscard]] auto has(std::string const& name) const -> bool { return set_.contains(name); }
    [[nodiscard]] auto value(std::string const& name, std::string const& otherwise = "") const -> std::string
    {
        auto const found = set_.find(name);
        return found == set_.end() ? otherwise : found->second;
    }
    [[nodiscard]] auto number(std::string const& name, int otherwise) const -> int
    {
        return has(name) ? std::atoi(value(name).c_str()) : otherwise;
    }

private:
    std::map<std::string, std::string> set_;
};

void flood(std::size_t bytes)
{
    std::string const line = std::string(999, 'x') + "\n";
    for (std::size_t written = 0; written < bytes; written += line.size()) std::cerr << line;
    std::cerr.flush();
}

[[noreturn]] void panic()
{
    std::cerr << "panic: a fake defect\n\ngoroutine 1 [running]:\nmain.main()\n" << std::flush;
    std::_Exit(2);
}

// The answers of the provider, with their faults.
class provider {
public:
    explicit provider(modes m)
        : what_(std::move(m)),
          version_(what_.number("protocol", 6) == 5 ? 5 : 6),
          resources_(version_, what_.number("large", 0), what_.value("lie"))
    {
        add<protocol::ApplyResourceChange>();
        add<protocol::CallFunction>();
        add<protocol::CloseEphemeralResource>();
        add<protocol::ConfigureProvider>();
        add<protocol::GetProviderSchema>();
        add<protocol::GetResourceIdentitySchemas>();
        add<protocol::ImportResourceState>();
        add<protocol::MoveResourceState>();
        add<protocol::OpenEphemeralResource>();
        add<protocol::PlanAction>();
        add<protocol::PlanResourceChange>();
        add<protocol::ReadDataSource>();
        add<protocol::ReadResource>();
        add<protocol::RenewEphemeralResource>();
        add<protocol::StopProvider>();
        add<protocol::UpgradeResourceIdentity>();
        add<protocol::UpgradeResourceState>();
        add<protocol::ValidateActionConfig>();
        add<protocol::ValidateDataResourceConfig>();
        add<protocol::ValidateEphemeralResourceConfig>();
        add<protocol::ValidateListResourceConfig>();
        add<protocol::ValidateProviderConfig>();
        add<protocol::ValidateResourceConfig>();
        add_stream<protocol::InvokeAction>();
        add_stream<protocol::ListResource>();
    }

    auto handle(fake::grpc_server& from, std::string const& path, std::string const& message) -> fake::answer
    {
        if (path == protocol::Shutdown::name.path(version_)) {
            if (what_.has("stubborn")) return {};
            std::_Exit(0);
        }
        if (path == protocol::StreamStdio::name.path(version_)) return standard_output();
        auto const found = calls_.find(path);
        if (found == calls_.end()) return {"", 12, "unknown method " + path};
        auto const& [name, run] = found->second;
        if (what_.has("record")) std::ofstream(what_.value("record"), std::ios::app) << name << '\n';
        if (what_.has("flood")) flood(std::size_t{1} << 20U);
        ++counts_[name];
        ++counts_["*"];
        if (goes_wrong("crash", name)) panic();
        if (goes_wrong("hang", name)) return {.never = true};
        if (goes_wrong("refuse", name)) return {"", what_.number("status", 2), "refused 100%25, as asked"};
        if (goes_wrong("garbage", name)) return {"\xff\xff\xff\xff"};
        if (goes_wrong("huge", name)) return {.raw = std::string("\0\x40\0\0\0", 5) + "the rest is missing"};
        if (goes_wrong("compressed", name)) return {.raw = std::string("\1\0\0\0\1x", 6)};
        if (goes_wrong("twice", name)) return {.raw = std::string(10, '\0')};
        if (goes_wrong("unfinished", name)) return {.without_status = true};
        if (goes_wrong("disconnect", name)) {
            from.close();
            return {.never = true};
        }
        if (goes_wrong("goaway", name)) from.go_away();
        fake::answer made = run(message);
        if (goes_wrong("slow", name)) made.delay = std::chrono::milliseconds(200);
        return made;
    }

private:
    [[nodiscard]] auto goes_wrong(std::string const& mode, std::string const& call) const -> bool
    {
        std::string const text = what_.value(mode);
        auto const colon = std::min(text.find(':'), text.size());
        std::string const about = text.substr(0, colon);
        int const first = colon == text.size() ? 1 : std::atoi(text.c_str() + colon + 1);
        return !about.empty() && (about == "*" || about == call) && counts_.at(about) >= first;
    }
    template <class Call>
    void add()
    {
        add_as<Call>([this](typename Call::Request const& request) -> fake::answer {
            return {resources_.reply(Call{}, request).SerializeAsString()};
        });
    }
    // A call that is answered with a stream of events.
    template <class Call>
    void add_stream()
    {
        add_as<Call>([this](typename Call::Request const& request) {
            fake::answer made;
            made.raw.emplace();
            for (auto const& event : resources_.events(Call{}, request))
                *made.raw += fake::with_prefix(event.SerializeAsString());
            return made;
        });
    }
    template <class Call, class Reply>
    void add_as(Reply reply)
    {
        auto const& name = Call::name;
        auto run = [reply](std::string const& message) -> fake::answer {
            typename Call::Request request;
            if (!request.ParseFromString(message)) return {"", 13, "not the message of the protocol"};
            try {
                return reply(request);
            } catch (std::exception const& failed) {
                return {"", 13, failed.what()};
            }
        };
        calls_.emplace(name.path(version_), std::pair(std::string(name.version_6), std::move(run)));
    }
    static auto standard_output() -> fake::answer
    {
        protocol::StreamStdio::Event said;
        said.set_channel(protocol::StreamStdio::Event::STDOUT);
        said.set_data("printed by the fake\n");
        return {.message = said.SerializeAsString(), .stays_open = true};
    }

    modes what_;
    int version_;
    fake::resources resources_;
    std::map<std::string, std::pair<std::string, std::function<fake::answer(std::string const&)>>> calls_;
    std::map<std::string, int> counts_;
};

auto serve(asio::local::stream_protocol::acceptor& acceptor, provider& p, std::optional<plugin::certificate> const& own,
    std::optional<plugin::certificate> const& client) -> asio::awaitable<void>
{
    while (true) {
        auto accepting = acceptor.async_accept(asio::use_awaitable);
        auto socket = co_await std::move(accepting);
        std::optional<asio::ssl::context> security;
        if (client) security = plugin::tls_context(asio::ssl::context::tls_server, *own, *client);
        auto const stream =
            std::make_shared<iacctl::net::byte_stream>(std::move(socket), security ? &*security : nullptr);
        auto shaking = stream->handshake(asio::ssl::stream_base::server);
        auto const refused = co_await std::move(shaking);
        if (refused) continue;
        auto const known = std::make_shared<std::weak_ptr<fake::grpc_server>>();
        auto handle = [&p, known](std::string const& path, std::string const& message) -> fake::answer {
            auto const from = known->lock();
            return p.handle(*from, path, message);
        };
        auto const server = std::make_shared<fake::grpc_server>(stream, std::move(handle));
        *known = server;
        server->open();
    }
}

auto without_padding(std::string text) -> std::string
{
    while (text.ends_with('=')) text.pop_back();
    return text;
}

}  // namespace

int main()
{
    if (variable("TF_PLUGIN_MAGIC_COOKIE").empty()) {
        std::cerr << "This is a provider: it is not run by hand.\n";
        return 1;
    }
    modes const what(variable("FAKE_PROVIDER"));
    if (what.has("stubborn")) std::signal(SIGTERM, SIG_IGN);
    if (what.has("flood")) flood(std::size_t{8} << 20U);
    std::cerr << R"({"@level":"info","@message":"the fake starts","@module":"fake","pid":)" << ::getpid() << "}\n";
    if (what.has("exit")) {
        std::cerr << "it ends as asked\n";
        return what.number("exit", 0);
    }
    asio::io_context context(1);
    std::filesystem::path const directory(variable("PLUGIN_UNIX_SOCKET_DIR"));
    std::string const path = (directory.empty() ? std::filesystem::temp_directory_path() : directory)
        / ("fake-" + std::to_string(::getpid()));
    std::filesystem::remove(path);  // left by a killed process with the same process id
    asio::local::stream_protocol::acceptor acceptor(context, asio::local::stream_protocol::endpoint(path));
    auto const client = plugin::certificate::from_pem(variable("PLUGIN_CLIENT_CERT"));
    auto const own = plugin::certificate::make();
    auto const shown = what.value("certificate") == "other" ? plugin::certificate::make() : std::nullopt;
    provider with(what);
    if (!what.has("mute")) asio::co_spawn(context, serve(acceptor, with, own, client), asio::detached);
    std::string line = "1|" + what.value("protocol", "6") + "|unix|" + path + "|grpc|";
    if (client && what.value("certificate") != "none")
        line += without_padding(iacctl::base64((shown ? *shown : *own).der()));
    if (what.has("handshake")) line = what.value("handshake");
    std::ranges::replace(line, '_', what.has("handshake") ? ' ' : '_');
    if (!what.has("silent")) std::cout << line << std::endl;
    if (what.has("mute")) ::pause();
    context.run();
}
