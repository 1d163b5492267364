// SPDX-License-Identifier: BSL-1.0
#include "request.hpp"

#include "base/http/url.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::server {

auto error_reply(unsigned status, std::string_view text) -> reply
{
    reply made;
    made.status = status;
    made.body = std::string(text) + '\n';
    return made;
}

auto json_reply(std::string document) -> reply
{
    return {200, std::move(document) + '\n', std::string(json_type)};
}

request_target::request_target(std::string_view whole)
{
    auto const mark = std::min(whole.find('?'), whole.size());
    path = whole.substr(0, mark);
    query = whole.substr(std::min(mark + 1, whole.size()));
}

auto query_parameter(std::string_view query, std::string_view name) -> std::string
{
    while (!query.empty()) {
        std::string_view const one = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), one.size() + 1));
        auto const equals = std::min(one.find('='), one.size());
        if (one.substr(0, equals) == name) return http::percent_decoded(one.substr(std::min(equals + 1, one.size())));
    }
    return {};
}

auto state_name_in(std::string_view part) -> std::optional<std::string>
{
    constexpr std::size_t longest = 200;
    std::string name = http::percent_decoded(part);
    return state::is_workspace_name(name) && name.size() <= longest ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace iacctl::server
