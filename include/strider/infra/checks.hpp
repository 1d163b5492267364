// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_CHECKS_HPP
#define STRIDER_INFRA_CHECKS_HPP

#include <strider/infra/address.hpp>
#include <strider/infra/diagnostics.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

enum class check_status : std::uint8_t { unknown, pass, fail, error };

[[nodiscard]] constexpr auto to_string(check_status status) noexcept -> std::string_view
{
    switch (status) {
    case check_status::unknown: return "unknown";
    case check_status::pass: return "pass";
    case check_status::fail: return "fail";
    case check_status::error: return "error";
    }
    return "";
}

/// What came of the assertions of a check, in one instance of the module that it lies in.
struct check_outcome {
    std::string check;             ///< its name: `module.m.check.c`
    std::vector<module_step> in;   ///< the instance of its module
    check_status status = check_status::unknown;
    std::vector<std::string> failures;
};

/// Data of a check that could not be read, and why.
struct unread_data {
    address target;
    std::string why;
};

/// All of a check: what does not hold is told in warnings; what cannot be asked is an error.
struct assessment {
    std::vector<check_outcome> outcomes;
    diagnostics problems;
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
