// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP
#define IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP

#include "base/expected.hpp"
#include "base/http/client.hpp"

#include <string>
#include <string_view>

namespace iacctl::backends {

/// A header of a response; empty if it has none. \param name  as in "Content-Type"
[[nodiscard]] auto header_of(http::response const& got, char const* name) -> std::string;

/// The MD5 of a text in base64, as servers of objects send it.
[[nodiscard]] auto base64_md5(std::string_view text) -> std::string;

/// The failure if a response is not one of the server of an object.
/// \param what  the response has
[[nodiscard]] auto invalid_response(std::string const& place, std::string_view method, std::string_view what)
    -> strider::infra::failure;

/// The failure if a request was not performed.
/// \param why     the reason that the server has sent; empty: none \param remedy  if the server has refused the request
[[nodiscard]] auto refused_request(http::response const& got, std::string const& place, std::string const& method,
    std::string const& why, std::string_view remedy) -> strider::infra::failure;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP
