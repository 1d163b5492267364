// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP
#define IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP

#include "messages/report.hpp"
#include "source.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::language {

using strider::infra::diagnostic;
using strider::infra::diagnostics;
using strider::infra::severity;
using strider::infra::source_excerpt;

/// A place in a file with the lines to show for it. As in Terraform, a range that ends in a newline includes the next line,
/// and blank lines are omitted. Of more than 4096 bytes, only those around the start of the problem are shown.
/// \param context  a larger range to show, if the subject alone is not clear
[[nodiscard]] source_excerpt excerpt_of(source_range subject, source_range context = {});

/// The place without its text: "main.tf:9,1-31", or "main.tf:9,1-11,2" if it ends on another line.
[[nodiscard]] auto place_text(source_excerpt const& place) -> std::string;

[[nodiscard]] auto make_diagnostic(severity level, messages::message_text const& text,
    std::span<std::string_view const> arguments, source_range subject, source_range context) -> diagnostic;

/// A message of the catalogue about a place in the source: `error(messages::unknown_variable, {name}, range)`.
[[nodiscard]] inline diagnostic error(
    messages::message<0> const& m, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::error, m, {}, subject, context);
}
template <std::size_t N>
[[nodiscard]] diagnostic error(
    messages::message<N> const& m, messages::arguments<N> a, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::error, m, a, subject, context);
}
[[nodiscard]] inline diagnostic warning(
    messages::message<0> const& m, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::warning, m, {}, subject, context);
}
template <std::size_t N>
[[nodiscard]] diagnostic warning(
    messages::message<N> const& m, messages::arguments<N> a, source_range subject = {}, source_range context = {})
{
    return make_diagnostic(severity::warning, m, a, subject, context);
}

/// Sorts warnings before errors, and by place, as Terraform shows them.
void sort_by_place(diagnostics& found);

/// The text of a diagnostic as Terraform prints it without colour, starting with an empty line;
/// the detail is wrapped at `width` columns (0: not at all), lines that start with a space are not.
[[nodiscard]] auto render(diagnostic const& problem, std::size_t width = 78) -> std::string;

/// Breaks lines at spaces so that none is longer than `width`, as far as words allow.
[[nodiscard]] auto wrapped(std::string_view text, std::size_t width) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_DIAGNOSTIC_HPP
