// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_JSON_WRITER_HPP
#define IACCTL_BASE_JSON_WRITER_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl {

/// Writes the members of a JSON object in the order of the calls.
class json_object {
public:
    auto raw(std::string_view key, std::string_view json) -> json_object&;
    auto text(std::string_view key, std::string_view content) -> json_object&;
    auto number(std::string_view key, std::uint64_t n) -> json_object& { return raw(key, std::to_string(n)); }
    auto flag(std::string_view key, bool enabled) -> json_object& { return raw(key, enabled ? "true" : "false"); }
    /// The same, but omitted if the value is empty.
    auto raw_if(std::string_view key, std::string_view json) -> json_object&
    {
        return json.empty() ? *this : raw(key, json);
    }
    auto text_if(std::string_view key, std::string_view content) -> json_object&
    {
        return content.empty() ? *this : text(key, content);
    }

    [[nodiscard]] auto done() const -> std::string { return out_ + '}'; }

private:
    std::string out_ = "{";
};

/// Writes the elements of a JSON array.
class json_array {
public:
    auto raw(std::string_view json) -> json_array&;
    auto text(std::string_view content) -> json_array&;

    [[nodiscard]] auto empty() const noexcept -> bool { return out_.size() == 1; }
    [[nodiscard]] auto done() const -> std::string { return out_ + ']'; }

private:
    std::string out_ = "[";
};

[[nodiscard]] auto json_string(std::string_view content) -> std::string;

/// Appends JSON without spaces as JSON with a line per member and element, indented by two spaces.
/// \param level  of the line on which it begins
void append_indented(std::string& out, std::string_view compact, unsigned level);
[[nodiscard]] auto indented_json(std::string_view compact) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_WRITER_HPP
