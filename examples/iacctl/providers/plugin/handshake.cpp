// SPDX-License-Identifier: BSL-1.0
#include "handshake.hpp"

#include "base/encoding.hpp"
#include "base/json.hpp"
#include "base/provider_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace iacctl::plugin {

namespace {

using boost::system::in_place_error;

template <class T>
auto refused(std::string why) -> boost::system::result<T, std::string>
{
    return {in_place_error, std::move(why)};
}

auto integer_of(json const& j, std::string_view name) -> std::int64_t
{
    auto const* const found = j.find(name);
    return found == nullptr ? 0 : found->integer().value_or(0);
}

}  // namespace

auto plugin_socket::of(std::string_view network, std::string text) -> std::optional<plugin_socket>
{
    bool const tcp = network == "tcp";
    if (!tcp && network != "unix") return std::nullopt;
    return plugin_socket{std::move(text), tcp};
}

auto handshake::parse(std::string_view line) -> boost::system::result<handshake, std::string>
{
    std::array<std::string_view, 6> parts{};  // further parts are ignored
    std::size_t count = 0;
    for (std::string_view rest = line; count < parts.size();) {
        auto const bar = rest.find('|');
        parts[count++] = rest.substr(0, bar);
        if (bar == rest.npos) break;
        rest.remove_prefix(bar + 1);
    }
    if (count < 4)
        return refused<handshake>("its first line of output is not that of a plugin: \""
            + std::string(line.substr(0, 200))
            + "\". The program is not a provider, or it is a provider for another platform");
    if (parts[0] != "1")
        return refused<handshake>("it uses version " + std::string(parts[0]) + " of the plugin handshake, not 1");
    handshake made;
    made.protocol_version = parts[1] == "5" ? 5 : parts[1] == "6" ? 6 : 0;
    if (made.protocol_version == 0)
        return refused<handshake>(
            "it uses version " + std::string(parts[1]) + " of the plugin protocol; supported are 5 and 6");
    auto const socket = plugin_socket::of(parts[2], std::string(parts[3]));
    if (!socket)
        return refused<handshake>(
            "it listens on a socket of the kind \"" + std::string(parts[2]) + "\"; supported are unix and tcp");
    made.socket = *socket;
    if (parts[4] != "grpc") return refused<handshake>("it uses \"" + std::string(parts[4]) + "\", not gRPC");
    std::string encoded(parts[5]);
    encoded.resize((encoded.size() + 3) / 4 * 4, '=');
    auto decoded = from_base64(encoded);
    if (!decoded) return refused<handshake>("its certificate is not base64");
    made.certificate = std::move(*decoded);
    return made;
}

auto handshake_environment(std::string const& certificate) -> std::map<std::string, std::string>
{
    return {
        {"TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"},
        {"PLUGIN_PROTOCOL_VERSIONS", "5,6"},
        {"PLUGIN_MIN_PORT", "10000"},
        {"PLUGIN_MAX_PORT", "25000"},
        {"PLUGIN_CLIENT_CERT", certificate},
    };
}

auto parse_reattach(std::string_view text)
    -> boost::system::result<std::map<std::string, reattached_provider>, std::string>
{
    using all = std::map<std::string, reattached_provider>;
    auto const value = parse_json(text);
    if (!value) return refused<all>(value.error().what());
    if (value->members() == nullptr) return refused<all>("it is not a JSON object");
    all made;
    for (auto const& [source, of] : *value->members()) {
        if (!is_provider_source(source)) return refused<all>("\"" + source + "\" is not the address of a provider");
        auto const fail = [&](std::string_view subject) {
            return refused<all>("the entry of " + source + " " + std::string(subject));
        };
        auto const* const where = of.find("Addr");
        if (where == nullptr) return fail("has no \"Addr\"");
        if (of.text_of("Protocol") != "grpc") return fail("does not have the \"Protocol\" \"grpc\"");
        auto const socket = plugin_socket::of(where->text_of("Network"), where->text_of("String"));
        if (!socket) return fail("does not have the \"Network\" \"unix\" or \"tcp\"");
        reattached_provider one;
        one.socket = *socket;
        if (one.socket.text.empty()) return fail("has no \"String\" in its \"Addr\"");
        auto const version = integer_of(of, "ProtocolVersion");
        if (version != 0 && version != 5 && version != 6) return fail("does not have the \"ProtocolVersion\" 5 or 6");
        one.protocol_version = version == 6 ? 6 : 5;
        one.process = static_cast<int>(integer_of(of, "Pid"));
        auto const* const test = of.find("Test");
        one.test = test != nullptr && test->boolean() != nullptr && *test->boolean();
        made.insert_or_assign(provider_address(source), std::move(one));
    }
    return made;
}

}  // namespace iacctl::plugin
