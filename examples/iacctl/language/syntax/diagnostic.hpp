// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP
#define IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP

#include "messages/message.hpp"
#include "source.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

enum class severity : std::uint8_t { error, warning };

/// A report of one problem, with its place and the values involved.
struct diagnostic {
    severity level = severity::error;
    std::string summary;
    std::string detail;
    source_range subject;
    /// A larger range of the source to show, if the subject alone is not clear.
    source_range context;
    /// The address of the object that was processed ("terraform_data.a[0]"), if the problem occurs only there.
    std::string address;
    /// Values in the failing expression: `local.m is object with 1 attribute "a"`.
    std::vector<std::string> notes;
    /// The code of its message in the catalogue.
    std::string_view code;

    friend bool operator==(diagnostic const&, diagnostic const&) = default;
};

[[nodiscard]] diagnostic make_diagnostic(severity level, messages::message_text const& of,
    std::span<std::string_view const> with, source_range subject, source_range context);

/// A message of the catalogue about a place in the source: `error(messages::unknown_variable, {name}, range)`.
[[nodiscard]] inline diagnostic error(
    messages::message<0> const& of, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::error, of, {}, subject, context);
}
template <std::size_t N>
[[nodiscard]] diagnostic error(
    messages::message<N> const& of, messages::arguments<N> with, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::error, of, with, subject, context);
}
[[nodiscard]] inline diagnostic warning(
    messages::message<0> const& of, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::warning, of, {}, subject, context);
}
template <std::size_t N>
[[nodiscard]] diagnostic warning(
    messages::message<N> const& of, messages::arguments<N> with, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::warning, of, with, subject, context);
}

/// Diagnostics in the order in which they were found. All errors are counted; only the first thousand errors and the
/// first thousand warnings are stored, and one error says so, which bounds the memory for any input.
class diagnostics {
public:
    static constexpr std::size_t most_kept = 1000;

    void add(diagnostic found);
    void add(diagnostics const& more);

    [[nodiscard]] bool has_errors() const noexcept { return errors_ > 0; }
    [[nodiscard]] std::size_t error_count() const noexcept { return errors_; }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
    [[nodiscard]] auto end() const noexcept { return all_.end(); }
    [[nodiscard]] auto begin() noexcept { return all_.begin(); }
    [[nodiscard]] auto end() noexcept { return all_.end(); }
    [[nodiscard]] diagnostic const& operator[](std::size_t index) const { return all_[index]; }
    /// Sorts warnings before errors, and by place, as Terraform shows them.
    void sort();

private:
    std::vector<diagnostic> all_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
};

/// The lines of a problem. As in Terraform, a range that ends in a newline includes the next line, and blank lines are
/// omitted. If there are more than `most_shown` bytes, only those around the start of the problem.
struct shown_lines {
    std::size_t first_line = 0;
    std::uint32_t begin = 0;  // where the text begins in the file
    std::string text;  // with a newline between two lines
    std::size_t subject = std::string::npos;  // where the problem begins in the text, if it begins there

    static constexpr std::uint32_t most_shown = 4096;
};
[[nodiscard]] shown_lines lines_of(source_range const& subject, source_range const& context);

/// The text of a diagnostic as Terraform prints it without colour, starting with an empty line;
/// the detail is wrapped at `width` columns (0: not at all), lines that start with a space are not.
[[nodiscard]] std::string render(diagnostic const& of, std::size_t width = 78);

/// Breaks lines at spaces so that none is longer than `width`, as far as words allow.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP
