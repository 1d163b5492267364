// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_JSON_READER_HPP
#define IACCTL_SUPPORT_JSON_READER_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// What a JSON text is made of, told in its order. Each may refuse what it is told and say why; empty is fine.
/// A text that is passed lives until the call returns.
class json_events {
public:
    virtual ~json_events() = default;
    virtual std::string_view null() = 0;
    virtual std::string_view boolean(bool of) = 0;
    /// As it is written: no number is too large or too long, and none is ever rounded.
    virtual std::string_view number(std::string_view text) = 0;
    virtual std::string_view string(std::string_view text) = 0;
    virtual std::string_view open(bool object) = 0;
    /// The name of the member that comes next.
    virtual std::string_view name(std::string_view text) = 0;
    virtual std::string_view close() = 0;
};

struct json_problem {
    std::size_t at = 0;  // the size of the text if that ends too early
    std::string_view why;
};

/// Reads one JSON text. Refused: bytes that are no UTF-8, halves of surrogate pairs, more than 1000 levels, and what the
/// events refuse.
[[nodiscard]] std::optional<json_problem> read_json(std::string_view text, json_events& events);

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_JSON_READER_HPP
