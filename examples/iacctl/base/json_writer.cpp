// SPDX-License-Identifier: BSL-1.0
#include "json_writer.hpp"

#include "json_text.hpp"

namespace iacctl {

auto json_object::raw(std::string_view key, std::string_view json) -> json_object&
{
    if (out_.size() > 1) out_ += ',';
    append_json_string(out_, key);
    out_ += ':';
    out_ += json;
    return *this;
}

auto json_object::text(std::string_view key, std::string_view content) -> json_object&
{
    return raw(key, json_string(content));
}

auto json_array::raw(std::string_view json) -> json_array&
{
    if (out_.size() > 1) out_ += ',';
    out_ += json;
    return *this;
}

auto json_array::text(std::string_view content) -> json_array&
{
    return raw(json_string(content));
}

auto json_string(std::string_view content) -> std::string
{
    std::string out;
    append_json_string(out, content);
    return out;
}

void append_indented(std::string& out, std::string_view compact, unsigned level)
{
    std::size_t depth = level;
    bool quoted = false;
    auto const new_line = [&] { out += '\n' + std::string(2 * depth, ' '); };
    for (std::size_t i = 0; i < compact.size(); ++i) {
        char const c = compact[i];
        if (quoted) {
            out += c;
            if (c == '\\' && i + 1 < compact.size()) out += compact[++i];
            else if (c == '"') quoted = false;
            continue;
        }
        switch (c) {
        case '"':
            quoted = true;
            out += c;
            break;
        case '{':
        case '[':
            out += c;
            if (i + 1 < compact.size() && compact[i + 1] == c + 2) {
                out += compact[++i];
            } else {
                ++depth;
                new_line();
            }
            break;
        case '}':
        case ']':
            if (depth > 0) --depth;
            new_line();
            out += c;
            break;
        case ',':
            out += c;
            new_line();
            break;
        case ':': out += ": "; break;
        default: out += c;
        }
    }
}

auto indented_json(std::string_view compact) -> std::string
{
    std::string out;
    append_indented(out, compact, 0);
    return out;
}

}  // namespace iacctl
