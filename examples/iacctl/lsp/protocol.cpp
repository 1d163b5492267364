// SPDX-License-Identifier: BSL-1.0
#include "protocol.hpp"

#include "base/characters.hpp"
#include "base/json_writer.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace iacctl::lsp {

namespace {

constexpr std::string_view length_field = "content-length:";
constexpr std::string_view header_end = "\r\n\r\n";

// The length in a header; nothing if it is malformed.
auto length_in(std::string_view header) -> std::optional<std::size_t>
{
    std::optional<std::size_t> length;
    while (!header.empty()) {
        auto line = header.substr(0, header.find("\r\n"));
        header.remove_prefix(std::min(header.size(), line.size() + 2));
        auto const colon = line.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        if (ascii_lower_case(line.substr(0, colon + 1)) != length_field) continue;
        line.remove_prefix(colon + 1);
        while (line.starts_with(' ')) line.remove_prefix(1);
        while (line.ends_with(' ')) line.remove_suffix(1);
        std::size_t number = 0;
        auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (error != std::errc() || end != line.data() + line.size() || length) return std::nullopt;
        length = number;
    }
    return length;
}

// The id of a request as JSON; nothing if it is not a number or string.
auto id_of(json const& j) -> std::optional<std::string>
{
    if (j.text() == nullptr && !j.integer()) return std::nullopt;
    return compact_text(j);
}

}  // namespace

auto parse_message(std::string_view content) -> std::variant<message, malformed_message>
{
    auto parsed = parse_json(content);
    if (!parsed)
        return malformed_message{
            {error_code::parse_error, std::string("The content is not JSON: ") + parsed.error().what()}};
    auto const refused = [](std::string text, std::string id = "null") {
        return malformed_message{{error_code::invalid_request, std::move(text)}, std::move(id)};
    };
    if (parsed->members() == nullptr) return refused("A message must be an object.");
    message made;
    if (auto const* const id = parsed->find("id")) {
        auto text = id_of(*id);
        // The response to an unreadable message has the id null.
        if (!text && !(id->is_null() && parsed->find("method") == nullptr))
            return refused("The id of a request must be an integer or a string.");
        made.id = text.value_or("null");
    }
    auto const* const version = parsed->find("jsonrpc");
    std::string const id = made.id.empty() ? "null" : made.id;
    if (version == nullptr || version->text() == nullptr || *version->text() != "2.0")
        return refused("The member jsonrpc of a message must be \"2.0\".", id);
    if (auto const* const method = parsed->find("method")) {
        if (method->text() == nullptr || method->text()->empty()) return refused("The method must be a string.", id);
        made.method = *method->text();
    } else if (made.id.empty() || (parsed->find("result") == nullptr && parsed->find("error") == nullptr)) {
        return refused("A message must have a method, or be a response with an id and a result.", id);
    }
    if (auto const* const params = parsed->find("params")) {
        if (params->members() == nullptr && params->elements() == nullptr && !params->is_null())
            return refused("The member params must be an object or an array.", id);
        made.params = *params;
    }
    return made;
}

auto result_message(std::string_view id, std::string_view result) -> std::string
{
    return json_object().text("jsonrpc", "2.0").raw("id", id).raw("result", result).done();
}

auto error_message(std::string_view id, request_error const& why) -> std::string
{
    json_object error;
    error.raw("code", std::to_string(static_cast<int>(why.code))).text("message", why.text);
    return json_object().text("jsonrpc", "2.0").raw("id", id).raw("error", error.done()).done();
}

auto notification_message(std::string_view method, std::string_view params) -> std::string
{
    return json_object().text("jsonrpc", "2.0").text("method", method).raw("params", params).done();
}

auto request_message(std::string_view id, std::string_view method, std::string_view params) -> std::string
{
    return json_object().text("jsonrpc", "2.0").raw("id", id).text("method", method).raw("params", params).done();
}

auto framed(std::string_view content) -> std::string
{
    return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

void message_reader::add(std::string_view bytes)
{
    auto const skipped = std::min(skipped_, bytes.size());
    skipped_ -= skipped;
    bytes.remove_prefix(skipped);
    if (at_ > bytes_.size() / 2) {
        bytes_.erase(0, at_);
        at_ = 0;
    }
    bytes_ += bytes;
}

auto message_reader::refuse(std::string text) -> std::variant<std::string, request_error>
{
    lost_ = true;
    return request_error{error_code::parse_error, std::move(text)};
}

auto message_reader::next() -> std::optional<std::variant<std::string, request_error>>
{
    auto rest = std::string_view(bytes_).substr(at_);
    if (lost_) {
        auto const found = std::search(rest.begin(), rest.end(), length_field.begin(), length_field.end(),
            [](char a, char b) { return ascii_lower_case(a) == b; });
        lost_ = found == rest.end();
        // The field may have begun at the end of the bytes.
        auto const gone = lost_ ? rest.size() - std::min(rest.size(), length_field.size() - 1)
                                : static_cast<std::size_t>(found - rest.begin());
        at_ += gone;
        rest.remove_prefix(gone);
        if (lost_) return std::nullopt;
    }
    auto const header = rest.find(header_end);
    if (header == std::string_view::npos) {
        if (rest.size() <= longest_header) return std::nullopt;
        at_ += 1;
        return refuse("The header of a message is longer than 16 KiB.");
    }
    auto const length = length_in(rest.substr(0, header));
    if (!length) {
        // The search continues after the beginning of this header, which may itself be the invalid field.
        at_ += 1;
        return refuse("The header of a message has no valid field Content-Length.");
    }
    auto const begin = header + header_end.size();
    if (*length > longest_content) {
        auto const here = std::min(rest.size() - begin, *length);
        at_ += begin + here;
        skipped_ = *length - here;
        return request_error{error_code::parse_error, "The message is longer than 128 MiB."};
    }
    if (rest.size() - begin < *length) return std::nullopt;
    at_ += begin + *length;
    return std::string(rest.substr(begin, *length));
}

}  // namespace iacctl::lsp
