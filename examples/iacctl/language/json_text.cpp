// SPDX-License-Identifier: BSL-1.0
#include "json_text.hpp"

namespace iacctl::language {

void append_json_string(std::string& out, std::string_view text)
{
    static constexpr std::string_view hex = "0123456789abcdef";
    auto const escape = [&out](unsigned code) {
        out += "\\u00";
        out += hex[code >> 4];
        out += hex[code & 0xF];
    };
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        auto const byte = static_cast<unsigned char>(c);
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        case '\t': out += "\\t"; break;
        case '<':
        case '>':
        case '&': escape(byte); break;
        default:
            if (byte < 0x20) {
                escape(byte);
            } else if (text.substr(i, 3) == "\xE2\x80\xA8" || text.substr(i, 3) == "\xE2\x80\xA9") {
                out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
                i += 2;
            } else {
                out += c;
            }
        }
    }
    out += '"';
}

}  // namespace iacctl::language
