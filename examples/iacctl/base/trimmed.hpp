// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_TRIMMED_HPP
#define IACCTL_BASE_TRIMMED_HPP

#include <algorithm>
#include <string_view>

namespace iacctl {

/// The characters that `isspace` accepts in the locale "C".
inline constexpr std::string_view white_space = " \t\n\v\f\r";

/// Removes characters of a set from both ends.
/// \param removed  the set; by default the white space of JSON
/// \return a view of `text`; empty if `text` has only characters of `removed`
[[nodiscard]] constexpr auto trimmed(std::string_view text, std::string_view removed = " \t\r\n") noexcept
    -> std::string_view
{
    text.remove_prefix(std::min(text.find_first_not_of(removed), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(removed) + 1));
    return text;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_TRIMMED_HPP
