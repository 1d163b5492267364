// SPDX-License-Identifier: BSL-1.0
#include "formatted.hpp"

#include <fmt/format.h>

namespace iacctl {

std::string detail::formatted(fmt::string_view pattern, fmt::format_args arguments)
{
    return fmt::vformat(pattern, arguments);
}

}  // namespace iacctl
