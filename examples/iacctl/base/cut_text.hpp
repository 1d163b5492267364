// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_CUT_TEXT_HPP
#define IACCTL_BASE_CUT_TEXT_HPP

#include "unicode.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace iacctl {

/// The beginning of a text in UTF-8; "..." follows it if the text is longer. \param most  the bytes that are kept
[[nodiscard]] inline auto cut_text(std::string_view text, std::size_t most) -> std::string
{
    if (text.size() <= most) return std::string(text);
    return std::string(text.substr(0, character_begin(text, most))) + "...";
}

}  // namespace iacctl

#endif  // IACCTL_BASE_CUT_TEXT_HPP
