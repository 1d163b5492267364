// SPDX-License-Identifier: BSL-1.0
#include "object_response.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace iacctl::backends {

auto header_of(http::response const& got, char const* name) -> std::string
{
    auto const found = got.headers.find(name);
    return found == got.headers.end() ? std::string() : found->second;
}

auto base64_md5(std::string_view text) -> std::string
{
    return base64(digest(text, digest_kind::md5));
}

}  // namespace iacctl::backends
