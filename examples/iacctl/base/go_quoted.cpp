// SPDX-License-Identifier: BSL-1.0
#include "go_quoted.hpp"

#include "formatted.hpp"
#include "unicode.hpp"

#include <cstdint>

namespace iacctl {

auto go_quoted(std::string_view text) -> std::string
{
    std::string out = "\"";
    while (!text.empty()) {
        auto const [code, length] = code_point(text);
        std::string_view const written = text.substr(0, length);
        text.remove_prefix(length);
        switch (code) {
        case U'"': out += "\\\""; continue;
        case U'\\': out += "\\\\"; continue;
        case U'\a': out += "\\a"; continue;
        case U'\b': out += "\\b"; continue;
        case U'\f': out += "\\f"; continue;
        case U'\n': out += "\\n"; continue;
        case U'\r': out += "\\r"; continue;
        case U'\t': out += "\\t"; continue;
        case U'\v': out += "\\v"; continue;
        default: break;
        }
        auto const number = static_cast<std::uint32_t>(code);
        bool const is_byte = length == 1 && code > 0x7F;
        if (is_byte) out += formatted("\\x{:02x}", static_cast<unsigned char>(written.front()));
        else if (is_printable(code)) out += written;
        else if (number < 0x80) out += formatted("\\x{:02x}", number);
        else if (number < 0x10000) out += formatted("\\u{:04x}", number);
        else out += formatted("\\U{:08x}", number);
    }
    return out + '"';
}

}  // namespace iacctl
