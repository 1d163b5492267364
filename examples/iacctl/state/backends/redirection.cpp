// SPDX-License-Identifier: BSL-1.0
#include "redirection.hpp"

#include "base/http/url.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"

#include <algorithm>

namespace iacctl::backends {

auto redirection_failure(std::string const& place, std::string const& method, http::response const& got)
    -> std::optional<state::infra::failure>
{
    auto const location = got.headers.find("Location");
    if (got.status < 300 || got.status > 399 || location == got.headers.end()) return std::nullopt;
    auto const whole = http::url::parse(location->second);
    std::string target = whole ? whole->text() : location->second.substr(location->second.rfind('@') + 1);
    target.erase(std::min(target.find('?'), target.size()));
    return state::make_failure(
        messages::remote_request_redirected, {place, method, target, std::to_string(got.status)});
}

}  // namespace iacctl::backends
