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
    json_object& raw(std::string_view key, std::string_view json);
    json_object& text(std::string_view key, std::string_view content);
    json_object& number(std::string_view key, std::uint64_t of) { return raw(key, std::to_string(of)); }
    json_object& flag(std::string_view key, bool of) { return raw(key, of ? "true" : "false"); }
    /// The same, but omitted if the value is empty.
    json_object& raw_if(std::string_view key, std::string_view json) { return json.empty() ? *this : raw(key, json); }
    json_object& text_if(std::string_view key, std::string_view of) { return of.empty() ? *this : text(key, of); }

    [[nodiscard]] std::string done() const { return out_ + '}'; }

private:
    std::string out_ = "{";
};

/// Writes the elements of a JSON array.
class json_array {
public:
    json_array& raw(std::string_view json);
    json_array& text(std::string_view content);

    [[nodiscard]] bool empty() const noexcept { return out_.size() == 1; }
    [[nodiscard]] std::string done() const { return out_ + ']'; }

private:
    std::string out_ = "[";
};

[[nodiscard]] std::string json_string(std::string_view content);

/// The same JSON on several lines, indented by two spaces.
[[nodiscard]] std::string indented_json(std::string_view compact);

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_WRITER_HPP
