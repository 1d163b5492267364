// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_POSITIONS_HPP
#define IACCTL_LSP_POSITIONS_HPP

#include "base/json.hpp"
#include "language/syntax/source.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

/// The units in which characters of a line are counted.
enum class position_encoding : std::uint8_t { utf8, utf16, utf32 };

[[nodiscard]] auto name_of(position_encoding encoding) noexcept -> std::string_view;
/// Nothing if there is no encoding with that name.
[[nodiscard]] auto encoding_named(std::string_view name) noexcept -> std::optional<position_encoding>;

/// A place in a text: line and character, both from 0.
struct position {
    std::uint32_t line = 0;
    std::uint32_t character = 0;

    friend auto operator==(position const&, position const&) -> bool = default;
    friend auto operator<=>(position const&, position const&) = default;
};

struct range {
    position start;
    position end;

    friend auto operator==(range const&, range const&) -> bool = default;
    friend auto operator<=>(range const&, range const&) = default;
};

/// The lines of a text. They end with "\n", "\r\n" or "\r".
class text_lines {
public:
    /// \pre the text lives as long as this object
    explicit text_lines(std::string_view text);

    [[nodiscard]] auto text() const noexcept -> std::string_view { return text_; }
    /// The offset of a position. A character after the end of its line means that end, a line after the last one the
    /// end of the text, and a position inside a code point the beginning of the code point.
    [[nodiscard]] auto offset_of(position p, position_encoding encoding) const -> std::uint32_t;
    /// \pre offset <= text().size()
    [[nodiscard]] auto position_of(std::uint32_t offset, position_encoding encoding) const -> position;
    [[nodiscard]] auto range_of(language::byte_range br, position_encoding encoding) const -> range
    {
        return {position_of(br.begin, encoding), position_of(br.end, encoding)};
    }

private:
    std::string_view text_;
    std::vector<std::uint32_t> starts_;
};

[[nodiscard]] auto position_json(position p) -> std::string;
[[nodiscard]] auto range_json(range const& r) -> std::string;
/// Nothing if it is invalid.
[[nodiscard]] auto position_in(json const* j) -> std::optional<position>;
[[nodiscard]] auto range_in(json const* j) -> std::optional<range>;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_POSITIONS_HPP
