// SPDX-License-Identifier: BSL-1.0
#include "json_text.hpp"

#include "unicode.hpp"

#include <array>

namespace iacctl {

namespace {

// Bytes that may need an escape; 0xE2 begins the two separators.
constexpr auto special = [] {
    std::array<bool, 256> found{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) found[byte] = true;
    for (char const c : {'"', '\\', '<', '>', '&'}) found[static_cast<unsigned char>(c)] = true;
    found[0xE2] = true;
    return found;
}();

// The text that replaces the special characters at the beginning, and their number of bytes; empty: no replacement.
struct replacement {
    std::string_view text;
    std::size_t length = 1;
};

auto replacement_of(std::string_view text) -> replacement
{
    static constexpr std::array<std::string_view, 32> control{"\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004",
        "\\u0005", "\\u0006", "\\u0007", "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010",
        "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019", "\\u001a",
        "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f"};
    switch (text.front()) {
    case '"': return {"\\\""};
    case '\\': return {"\\\\"};
    case '<': return {"\\u003c"};
    case '>': return {"\\u003e"};
    case '&': return {"\\u0026"};
    case '\xE2':
        if (text.starts_with("\xE2\x80\xA8")) return {"\\u2028", 3};
        if (text.starts_with("\xE2\x80\xA9")) return {"\\u2029", 3};
        return {};
    default: return {control[static_cast<unsigned char>(text.front())]};
    }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text)
{
    if (!is_utf8(text)) return append_json_string(out, repaired_utf8(text));
    out += '"';
    std::size_t written = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!special[static_cast<unsigned char>(text[at])]) continue;
        auto const [by, length] = replacement_of(text.substr(at));
        if (by.empty()) continue;
        out.append(text.data() + written, at - written).append(by);
        written = at + length;
        at = written - 1;
    }
    out.append(text.data() + written, text.size() - written);
    out += '"';
}

}  // namespace iacctl
