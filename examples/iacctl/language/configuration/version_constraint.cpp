// SPDX-License-Identifier: BSL-1.0
#include "version_constraint.hpp"

#include "support/version.hpp"

namespace iacctl::language {

std::optional<bool> satisfies(std::string_view version, std::string_view constraints)
{
    auto const given = iacctl::version::parse(version);
    auto const wanted = version_constraints::parse(constraints);
    if (!given || !wanted) return std::nullopt;
    return wanted->allow_module(*given);
}

}  // namespace iacctl::language
