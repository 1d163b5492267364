// SPDX-License-Identifier: BSL-1.0
#include "version_constraint.hpp"

#include "base/version.hpp"

namespace iacctl::language {

std::optional<bool> satisfies(std::string_view version, std::string_view constraints)
{
    auto const given = iacctl::version::parse(version);
    auto const desired = version_constraints::parse(constraints);
    if (!given || !desired) return std::nullopt;
    return desired->allow_module(*given);
}

bool fits_terraform(std::string_view constraints)
{
    return satisfies(language_version, constraints) != false
        || satisfies(newest_terraform_version, constraints) != false;
}

bool fits_opentofu(std::string_view constraints)
{
    return satisfies(newest_opentofu_version, constraints) != false;
}

}  // namespace iacctl::language
