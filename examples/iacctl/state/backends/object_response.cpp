// SPDX-License-Identifier: BSL-1.0
#include "object_response.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "messages/backends.hpp"
#include "redirection.hpp"
#include "state/state_error.hpp"

namespace iacctl::backends {

using state::make_failure;

auto header_of(http::response const& got, char const* name) -> std::string
{
    auto const found = got.headers.find(name);
    return found == got.headers.end() ? std::string() : found->second;
}

auto base64_md5(std::string_view text) -> std::string
{
    return base64(digest(text, digest_kind::md5));
}

auto invalid_response(std::string const& place, std::string_view method, std::string_view what)
    -> strider::infra::failure
{
    return make_failure(messages::object_response_invalid, {place, method, what});
}

auto refused_request(http::response const& got, std::string const& place, std::string const& method,
    std::string const& why, std::string_view remedy) -> strider::infra::failure
{
    if (auto redirected = redirection_failure(place, method, got)) return *redirected;
    std::string const status = "status " + std::to_string(got.status);
    // An error of another program, such as a proxy, has no reason of the server.
    if (got.status < 400 || (got.status == 404 && why.empty())) return invalid_response(place, method, status);
    return make_failure(messages::object_request_refused, {place, status + (why.empty() ? "" : ", " + why), remedy});
}

}  // namespace iacctl::backends
