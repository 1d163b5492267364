// SPDX-License-Identifier: BSL-1.0
#include "url.hpp"

#include "base/characters.hpp"
#include "base/encoding.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace iacctl::http {

namespace {

// The length of "scheme:" at the front; 0 for a relative reference.
auto scheme_length(std::string_view text) -> std::size_t
{
    auto const end =
        std::ranges::find_if_not(text, [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; });
    bool const found = end != text.begin() && end != text.end() && *end == ':';
    return found ? static_cast<std::size_t>(end - text.begin()) + 1 : 0;
}

// Returns whether a text contains no blanks, control characters or other refused characters.
auto is_free_of(std::string_view refused, std::string_view text) -> bool
{
    return std::ranges::all_of(text, [&](char c) {
        return static_cast<unsigned char>(c) > ' ' && c != '\x7f' && refused.find(c) == std::string_view::npos;
    });
}

auto as_target(std::string_view text) -> std::string
{
    std::string made = text.starts_with('/') ? "" : "/";
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte > 0x20U && byte < 0x7FU && c != '"' && c != '<' && c != '>') made += c;
        else append_percent(made, c);
    }
    return made;
}

// \source RFC 3986 5.2.4
auto without_dot_segments(std::string_view path) -> std::string
{
    std::string made;
    while (!path.empty()) {
        std::size_t const end = std::min(path.find('/', 1), path.size());
        std::string_view const segment = path.substr(0, end);
        bool const last = end == path.size();
        if (segment == "/." || segment == "/..") {
            if (segment == "/..") made.resize(made.empty() ? 0 : made.rfind('/'));
            if (last) made += '/';
        } else made += segment;
        path.remove_prefix(end);
    }
    return made;
}

}  // namespace

auto url::parse(std::string_view text) -> std::optional<url>
{
    url made;
    auto const scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    std::string const name = ascii_lower_case(text.substr(0, scheme));
    if (name != "http" && name != "https") return std::nullopt;
    made.secure = name == "https";
    text.remove_prefix(scheme + 3);
    text = text.substr(0, text.find('#'));
    auto const end = std::min(text.find('/'), text.find('?'));
    std::string_view server = text.substr(0, end);
    made.target = end >= text.size() ? "/" : as_target(text.substr(end));
    if (auto const at = server.rfind('@'); at != std::string_view::npos) {
        made.user_info = server.substr(0, at);
        server.remove_prefix(at + 1);
    }
    bool const bracketed = server.starts_with('[');
    auto const host_end = bracketed ? server.find(']') : server.find(':');
    if (bracketed && host_end == std::string_view::npos) return std::nullopt;
    made.host = ascii_lower_case(server.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0)));
    std::string_view rest = host_end >= server.size() ? "" : server.substr(host_end + (bracketed ? 1 : 0));
    std::string const refused = "\"#/<>?[\\]^`{|}";
    bool const fine =
        is_free_of(refused, made.user_info) && is_free_of(bracketed ? refused : refused + "%:", made.host);
    if (!fine || made.host.empty() || (!rest.empty() && !rest.starts_with(':'))) return std::nullopt;
    if (!rest.empty()) rest.remove_prefix(1);
    std::uint16_t number = made.secure ? 443 : 80;
    if (!rest.empty()) {
        auto const [last, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc() || last != rest.data() + rest.size() || number == 0) return std::nullopt;
    }
    made.port = std::to_string(number);
    return made;
}

auto url::resolve(std::string_view reference) const -> std::optional<url>
{
    if (scheme_length(reference) > 0) return parse(reference);
    if (reference.starts_with("//")) return parse((secure ? "https:" : "http:") + std::string(reference));
    reference = reference.substr(0, reference.find('#'));
    url made = *this;
    if (reference.empty()) return made;
    std::string const path = target.substr(0, target.find('?'));
    auto const query = std::min(reference.find('?'), reference.size());
    std::string_view const there = reference.substr(0, query);
    std::string const whole = there.empty() ? path
        : there.starts_with('/')            ? std::string(there)
                                            : path.substr(0, path.rfind('/') + 1) + std::string(there);
    made.target = as_target(without_dot_segments(whole) + std::string(reference.substr(query)));
    return made;
}

auto url::authority() const -> std::string
{
    std::string const name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == (secure ? "443" : "80") ? name : name + ":" + port;
}

auto url::origin() const -> std::string
{
    return (secure ? "https://" : "http://") + authority();
}

auto percent_encoded(std::string_view text, std::string_view kept) -> std::string
{
    std::string made;
    for (char const c : text) {
        bool const stays = is_alphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos
            || kept.find(c) != std::string_view::npos;
        if (stays) made += c;
        else append_percent(made, c);
    }
    return made;
}

auto percent_decoded(std::string_view text) -> std::string
{
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const escape =
            text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
        if (!escape) made += text[i];
        else {
            made += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        }
    }
    return made;
}

}  // namespace iacctl::http
