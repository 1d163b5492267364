// SPDX-License-Identifier: BSL-1.0
#include "formatted.hpp"

#include <fmt/format.h>

namespace iacctl {

auto detail::formatted(fmt::string_view pattern, fmt::format_args arguments) -> std::string
{
    return fmt::vformat(pattern, arguments);
}

}  // namespace iacctl
