// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STORED_NAME_HPP
#define IACCTL_STATE_STORED_NAME_HPP

#include <strider/infra/model/address.hpp>

#include <string>
#include <string_view>

namespace iacctl::state {

namespace infra = strider::infra;

/// The name of an object in rows of a state, in locks and in the parts of a plan. The hashes of rows include it, so it must not
/// change: it does not depend on the syntax of addresses that users see.
[[nodiscard]] inline auto stored_name(infra::address const& a) -> std::string
{
    return to_string(a, infra::key_syntax::verbatim);
}

/// Reads a result of `stored_name`. \return graph_errc::invalid_value if it is not the name of an object
[[nodiscard]] inline auto read_stored_name(std::string_view name) -> strider::result<infra::address>
{
    return infra::parse_address(name, infra::key_syntax::verbatim);
}

}  // namespace iacctl::state

#endif  // IACCTL_STATE_STORED_NAME_HPP
