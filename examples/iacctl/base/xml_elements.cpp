// SPDX-License-Identifier: BSL-1.0
#include "xml_elements.hpp"

#include "unicode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace iacctl {

namespace {

using named_reference = std::pair<std::string_view, char>;
constexpr std::array<named_reference, 5> named_references{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

// Appends the character of a reference such as "amp" or "#x41". \return false if it is not one
auto append_referenced(std::string& out, std::string_view reference) -> bool
{
    if (!reference.starts_with('#')) {
        auto const* const found = std::ranges::find(named_references, reference, &named_reference::first);
        if (found == named_references.end()) return false;
        out += found->second;
        return true;
    }
    reference.remove_prefix(1);
    int const base = reference.starts_with('x') ? 16 : 10;
    if (base == 16) reference.remove_prefix(1);
    std::uint32_t number = 0;
    auto const* const end = reference.data() + reference.size();
    auto const [at, error] = std::from_chars(reference.data(), end, number, base);
    bool const is_character = number > 0 && number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
    if (error != std::errc() || at != end || !is_character) return false;
    append_utf8(out, static_cast<char32_t>(number));
    return true;
}

auto without_references(std::string_view text) -> std::string
{
    std::string made;
    while (!text.empty()) {
        auto const begin = std::min(text.find('&'), text.size());
        made += text.substr(0, begin);
        text.remove_prefix(begin);
        auto const end = text.find(';');
        if (text.empty()) break;
        if (end != std::string_view::npos && append_referenced(made, text.substr(1, end - 1))) {
            text.remove_prefix(end + 1);
            continue;
        }
        made += '&';
        text.remove_prefix(1);
    }
    return made;
}

}  // namespace

auto xml_elements(std::string_view document, std::string_view name) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto at = document.find('<'); at != std::string_view::npos; at = document.find('<', at)) {
        ++at;
        if (!document.substr(at).starts_with(name)) continue;
        auto const after = document.substr(at + name.size(), 1);
        bool const is_whole_name = after == ">" || after == " " || after == "\t" || after == "\r" || after == "\n";
        auto const close = document.find('>', at);
        if (!is_whole_name || close == std::string_view::npos || document[close - 1] == '/') continue;
        at = close + 1;
        auto const end = std::min(document.find('<', at), document.size());
        all.push_back(without_references(document.substr(at, end - at)));
    }
    return all;
}

auto xml_element(std::string_view document, std::string_view name) -> std::string
{
    auto const all = xml_elements(document, name);
    return all.empty() ? std::string() : all.front();
}

}  // namespace iacctl
