// SPDX-License-Identifier: BSL-1.0
#include "url_secrets.hpp"

#include "characters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace iacctl {

namespace {

struct secret_range {
    std::size_t begin;
    std::size_t end;
};

constexpr std::string_view blank_or_quote = " \t\r\n\"'`<>";

// The position of the first of these characters, or of the end.
auto first_of(std::string_view text, std::string_view characters, std::size_t from) -> std::size_t
{
    return std::min(text.find_first_of(characters, from), text.size());
}

auto scheme_before(std::string_view text, std::size_t colon) -> std::string
{
    auto begin = colon;
    while (begin > 0 && is_alphanumeric(text[begin - 1])) --begin;
    return ascii_lower_case(text.substr(begin, colon - begin));
}

auto is_secret_parameter(std::string_view name) -> bool
{
    static constexpr std::array<std::string_view, 8> parts{
        "token", "secret", "password", "passwd", "signature", "sshkey", "credential", "apikey"};
    auto const lower = ascii_lower_case(name);
    return lower == "sig"
        || std::ranges::any_of(parts, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

auto secrets_in(std::string_view text) -> std::vector<secret_range>
{
    std::vector<secret_range> found;
    for (auto at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
        auto const scheme = scheme_before(text, at);
        at += 3;
        auto const authority_end = first_of(text, std::string("/") + std::string(blank_or_quote), at);
        auto const authority = text.substr(at, authority_end - at);
        if (auto const sign = authority.rfind('@'); sign != std::string_view::npos && sign > 0) {
            auto const colon = authority.substr(0, sign).find(':');
            bool const is_http = scheme == "http" || scheme == "https";
            if (is_http) found.push_back({at, at + sign});
            else if (colon != std::string_view::npos && colon + 1 < sign) found.push_back({at + colon + 1, at + sign});
        }
        auto const end = first_of(text, blank_or_quote, at);
        for (auto sign = first_of(text, "?&", at); sign < end; sign = first_of(text, "?&", sign + 1)) {
            auto const stop = std::min(first_of(text, "&#", sign + 1), end);
            auto const equals = std::min(first_of(text, "=", sign + 1), stop);
            if (equals + 1 < stop && is_secret_parameter(text.substr(sign + 1, equals - sign - 1)))
                found.push_back({equals + 1, stop});
        }
        at = std::max(at, authority_end);
    }
    return found;
}

template <class Replacement>
auto replaced(std::string_view text, Replacement const& replacement) -> std::string
{
    std::string made;
    std::size_t at = 0;
    for (auto const& [begin, end] : secrets_in(text)) {
        if (begin < at) continue;
        made += text.substr(at, begin - at);
        made += replacement(end - begin);
        at = end;
    }
    return made += text.substr(at);
}

}  // namespace

auto without_url_secrets(std::string_view text) -> std::string
{
    return replaced(text, [](std::size_t) { return "***"; });
}

auto with_masked_url_secrets(std::string_view text) -> std::string
{
    return replaced(text, [](std::size_t length) { return std::string(length, '*'); });
}

auto has_url_secrets(std::string_view text) -> bool
{
    return !secrets_in(text).empty();
}

}  // namespace iacctl
