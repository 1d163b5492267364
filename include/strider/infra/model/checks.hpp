// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_CHECKS_HPP
#define STRIDER_INFRA_MODEL_CHECKS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <algorithm>
#include <utility>

namespace strider::infra {

/// Data of a check that could not be read, with the diagnostics.
struct unread_data {
    address target;  ///< the instance of the data
    diagnostic why;  ///< the first error, which becomes a finding of the check
};

/// Converts errors of reading data of a check, which are not errors of the plan or apply: the check fails.
[[nodiscard]] inline auto as_unread(address target, diagnostics& problems) -> unread_data
{
    auto const is_error = [](diagnostic const& d) { return d.level == severity::error; };
    auto const first = std::find_if(problems.begin(), problems.end(), is_error);
    unread_data unread{std::move(target), first == problems.end() ? diagnostic{} : *first};
    problems.lower_to_warnings();
    return unread;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_CHECKS_HPP
