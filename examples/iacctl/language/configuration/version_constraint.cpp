// SPDX-License-Identifier: BSL-1.0
#include "version_constraint.hpp"

#include "base/version.hpp"

namespace iacctl::language {

auto satisfies(std::string_view version, std::string_view constraints) -> std::optional<bool>
{
    auto const given = iacctl::version::parse(version);
    auto const desired = version_constraints::parse(constraints);
    if (!given || !desired) return std::nullopt;
    return desired->allow_module(*given);
}

auto fits_terraform(std::string_view constraints) -> bool
{
    return satisfies(language_version, constraints) != false
        || satisfies(newest_terraform_version, constraints) != false;
}

auto fits_opentofu(std::string_view constraints) -> bool
{
    return satisfies(newest_opentofu_version, constraints) != false;
}

}  // namespace iacctl::language
