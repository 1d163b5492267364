// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP
#define IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP

#include "base/http/client.hpp"

#include <string>
#include <string_view>

namespace iacctl::backends {

/// A header of a response; empty if it has none. \param name  as in "Content-Type"
[[nodiscard]] auto header_of(http::response const& got, char const* name) -> std::string;

/// The MD5 of a text in base64, as servers of objects send it.
[[nodiscard]] auto base64_md5(std::string_view text) -> std::string;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OBJECT_RESPONSE_HPP
