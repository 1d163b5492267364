// SPDX-License-Identifier: BSL-1.0
#include "proxy_connection.hpp"

#include "base/encoding.hpp"
#include "base/input_file.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace iacctl::ssh {

namespace asio = boost::asio;

namespace {

using asio::ip::tcp;
template <class T>
using task = asio::awaitable<T>;

constexpr std::size_t longest_answer = std::size_t{64} << 10U;

auto parse_proxy(std::string_view text) -> http_proxy
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (lines.size() != 5) throw std::runtime_error("the file of the proxy is incomplete");
    http_proxy made{lines[0], lines[1], 0, {}, {}};
    std::from_chars(lines[2].data(), lines[2].data() + lines[2].size(), made.port);
    made.user = from_base64(lines[3]).value_or(std::string());
    made.password = from_base64(lines[4]).value_or(std::string());
    return made;
}

auto request_text(http_proxy const& proxy, std::string const& target) -> std::string
{
    std::string text = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\nUser-Agent: iacctl\r\n";
    if (!proxy.user.empty() || !proxy.password.empty())
        text += "Proxy-Authorization: Basic " + base64(proxy.user + ":" + proxy.password) + "\r\n";
    return text + "\r\n";
}

// Returns whether the first line of an answer has the code 200: "HTTP/1.1 200 Connection established".
auto accepts(std::string_view line) -> bool
{
    auto const space = std::min(line.find(' '), line.size());
    std::string_view const rest = line.substr(space);
    return line.starts_with("HTTP/1.") && (rest == " 200" || rest.starts_with(" 200 "));
}

// Passes on what one stream sends, until its end.
template <class From, class To>
auto pass_on(From& from, To& to) -> task<void>
{
    std::array<char, 16384> buffer{};
    for (;;) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = from.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        if (size > 0) {
            auto writing = asio::async_write(to, asio::buffer(buffer.data(), size), token);
            auto const [failed, written] = co_await std::move(writing);
            if (failed) co_return;
        }
        if (error) co_return;
    }
}

// The connection ends as soon as one side has ended.
template <class Stream>
auto relay(Stream& stream, http_proxy const& proxy, std::string target) -> task<void>
{
    auto const executor = co_await asio::this_coro::executor;
    std::string const request = request_text(proxy, target);
    auto asking = asio::async_write(stream, asio::buffer(request), asio::use_awaitable);
    co_await std::move(asking);
    std::string answer;
    auto reading = asio::async_read_until(
        stream, asio::dynamic_buffer(answer, longest_answer), std::string_view("\r\n\r\n"), asio::use_awaitable);
    auto const size = co_await std::move(reading);
    std::string const line = answer.substr(0, answer.find("\r\n"));
    if (!accepts(line)) throw std::runtime_error("the proxy did not connect to " + target + ": " + line);
    asio::posix::stream_descriptor input(executor, ::dup(STDIN_FILENO));
    asio::posix::stream_descriptor output(executor, ::dup(STDOUT_FILENO));
    auto first = asio::async_write(output, asio::buffer(std::string_view(answer).substr(size)), asio::use_awaitable);
    co_await std::move(first);
    auto ended = [&stream](std::exception_ptr const&) { stream.lowest_layer().close(); };
    asio::co_spawn(executor, pass_on(input, stream), ended);
    auto receiving = pass_on(stream, output);
    co_await std::move(receiving);
    input.close();
    stream.lowest_layer().close();
}

auto connect(http_proxy const& proxy, std::string target) -> task<void>
{
    auto const executor = co_await asio::this_coro::executor;
    tcp::resolver resolver(executor);
    auto resolving = resolver.async_resolve(proxy.host, std::to_string(proxy.port), asio::use_awaitable);
    auto const places = co_await std::move(resolving);
    tcp::socket socket(executor);
    auto connecting = asio::async_connect(socket, places, asio::use_awaitable);
    co_await std::move(connecting);
    if (proxy.scheme != "https") {
        auto relaying = relay(socket, proxy, std::move(target));
        co_await std::move(relaying);
        co_return;
    }
    asio::ssl::context security(asio::ssl::context::tls_client);
    security.set_default_verify_paths();
    security.set_verify_mode(asio::ssl::verify_peer);
    asio::ssl::stream<tcp::socket> secure(std::move(socket), security);
    SSL_ctrl(secure.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
        const_cast<char*>(proxy.host.c_str()));
    secure.set_verify_callback(asio::ssl::host_name_verification(proxy.host));
    auto shaking = secure.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    co_await std::move(shaking);
    auto relaying = relay(secure, proxy, std::move(target));
    co_await std::move(relaying);
}

void print_error(std::string const& why)
{
    std::string const line = "proxy: " + why + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

auto proxy_text(http_proxy const& proxy) -> std::string
{
    return proxy.scheme + "\n" + proxy.host + "\n" + std::to_string(proxy.port) + "\n" + base64(proxy.user) + "\n"
        + base64(proxy.password) + "\n";
}

auto run_proxy_connection(std::vector<std::string> const& arguments) -> int
{
    if (arguments.size() != 3) return 2;
    int code = 0;
    try {
        http_proxy const proxy = parse_proxy(read_input(arguments[0]).value());
        std::string const& host = arguments[1];
        std::string const target = (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + arguments[2];
        asio::io_context context(1);
        asio::co_spawn(context, connect(proxy, target), [&](std::exception_ptr const& thrown) {
            if (!thrown) return;
            code = 1;
            try {
                std::rethrow_exception(thrown);
            } catch (boost::system::system_error const& why) {
                print_error(why.code().message());
            } catch (std::exception const& why) {
                print_error(why.what());
            }
        });
        context.run();
    } catch (std::exception const& why) {
        print_error(why.what());
        return 1;
    }
    return code;
}

}  // namespace iacctl::ssh
