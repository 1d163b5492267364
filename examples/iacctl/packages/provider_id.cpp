// SPDX-License-Identifier: BSL-1.0
#include "provider_id.hpp"

#include <sys/utsname.h>

#include <array>
#include <utility>

namespace iacctl::packages {

auto platform::current() -> platform
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> of_go{
        {{"x86_64", "amd64"}, {"i386", "386"}, {"i586", "386"}, {"i686", "386"}, {"aarch64", "arm64"},
            {"armv6l", "arm"}, {"armv7l", "arm"}, {"ppc64le", "ppc64le"}}};
    utsname of{};
    if (::uname(&of) != 0) return {"linux", "amd64"};
    auto const* const known =
        std::ranges::find(of_go, std::string_view(of.machine), [](auto const& item) { return item.first; });
    return {ascii_lower_case(of.sysname), known == of_go.end() ? of.machine : std::string(known->second)};
}

}  // namespace iacctl::packages
