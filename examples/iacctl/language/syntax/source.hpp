// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_SOURCE_HPP
#define IACCTL_LANGUAGE_SYNTAX_SOURCE_HPP

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language {

/// Bytes `begin` to `end` (exclusive) of a file.
struct byte_range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    friend bool operator==(byte_range const&, byte_range const&) noexcept = default;
};

[[nodiscard]] constexpr auto between(byte_range first, byte_range last) noexcept -> byte_range
{
    return {first.begin, last.end < first.begin ? first.end : last.end};
}

/// Line and column, both from 1. Columns count grapheme clusters.
struct source_position {
    std::size_t line = 1;
    std::size_t column = 1;
};

/// The text of one file, with its name for messages.
class source_file {
public:
    /// \param first_line  the number of its first line, greater than 1 for an excerpt
    source_file(std::string name, std::string text, std::size_t first_line = 1)
        : name_(std::move(name)),
          text_(std::move(text)),
          first_line_(first_line)
    {}

    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    [[nodiscard]] auto text() const noexcept -> std::string_view { return text_; }
    [[nodiscard]] auto text(byte_range range) const noexcept -> std::string_view;

    [[nodiscard]] auto line_of(std::uint32_t offset) const -> std::size_t;
    [[nodiscard]] auto position(std::uint32_t offset) const -> source_position;
    /// The bytes of a line (from 1), without its end.
    [[nodiscard]] auto line_range(std::size_t line) const -> byte_range;
    [[nodiscard]] auto last_line() const -> std::size_t { return first_line_ + line_starts().size() - 1; }

    /// Returns whether this is JSON syntax, in which references and types are strings.
    [[nodiscard]] auto is_json() const noexcept -> bool { return json_; }
    void set_json() noexcept { json_ = true; }

    /// Names a region, `resource "a" "b"`, for the "in …" of messages. Regions are added in ascending order.
    void add_region(byte_range range, std::string header)
    {
        regions_.push_back({range, {}, std::make_unique<std::string>(std::move(header))});
    }
    /// The same for a region whose name is the text of a range at its beginning.
    void add_region(byte_range range, byte_range header) { regions_.push_back({range, header, nullptr}); }
    /// The name of the region around `offset`, or nothing. In JSON it is the path of the object or array around it,
    /// `resource.a.b`.
    [[nodiscard]] auto region_at(std::uint32_t offset) const -> std::string;
    /// The range of the name of the region around `offset`; an empty range if it has none.
    [[nodiscard]] auto header_around(std::uint32_t offset) const -> byte_range;

private:
    struct region {
        byte_range range;
        byte_range header;
        std::unique_ptr<std::string> other;  // the name, if it is not the text of `header`
    };

    [[nodiscard]] auto find_region(std::uint32_t offset) const -> region const*;
    /// Line starts are found on the first call, since only messages need them.
    [[nodiscard]] auto line_starts() const -> std::vector<std::uint32_t> const&;

    std::string name_;
    std::string text_;
    std::size_t first_line_;
    mutable std::once_flag lines_found_;
    mutable std::vector<std::uint32_t> line_starts_;
    std::vector<region> regions_;
    bool json_ = false;
};

/// A place in a file; a default one is nowhere.
struct source_range {
    source_file const* file = nullptr;
    byte_range bytes;

    [[nodiscard]] explicit operator bool() const noexcept { return file != nullptr; }
    /// "main.tf:9,1-31", or "main.tf:9,1-11,2" if it ends on another line.
    [[nodiscard]] auto text() const -> std::string;

    friend bool operator==(source_range const&, source_range const&) noexcept = default;
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_SOURCE_HPP
