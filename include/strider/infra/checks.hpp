// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_CHECKS_HPP
#define STRIDER_INFRA_CHECKS_HPP

#include <strider/infra/address.hpp>
#include <strider/infra/diagnostics.hpp>

#include <string>
#include <utility>

namespace strider::infra {

/// Data of a check that could not be read, and why.
struct unread_data {
    address target;
    std::string why;
};

/// Data of a check that cannot be read are no error of the plan or apply: the check fails.
[[nodiscard]] inline auto as_unread(address target, diagnostics& problems) -> unread_data
{
    std::string why;
    for (diagnostic& d : problems) {
        if (d.level == severity::error && why.empty()) why = d.summary + ": " + d.detail;
        d.level = severity::warning;
    }
    return {std::move(target), std::move(why)};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_CHECKS_HPP
