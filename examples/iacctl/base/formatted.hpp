// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_FORMATTED_HPP
#define IACCTL_BASE_FORMATTED_HPP

#include <fmt/core.h>

#include <string>

namespace iacctl {

namespace detail {

/// As `fmt::vformat`.
[[nodiscard]] auto formatted(fmt::string_view pattern, fmt::format_args arguments) -> std::string;

}  // namespace detail

/// Formats arguments with {fmt}, which checks the pattern during compilation. Only one library of the program contains the
/// code of {fmt}: it takes two seconds to compile.
template <class... Args>
[[nodiscard]] auto formatted(fmt::format_string<Args...> pattern, Args&&... args) -> std::string
{
    return detail::formatted(pattern, fmt::make_format_args(args...));
}

}  // namespace iacctl

#endif  // IACCTL_BASE_FORMATTED_HPP
