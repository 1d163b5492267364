// SPDX-License-Identifier: BSL-1.0
#include "aws_connection.hpp"

#include <algorithm>

namespace iacctl::backends {

void aws_connection::apply(http::request& r) const
{
    r.insecure = insecure;
    r.trusted_pem = trusted_pem;
    r.via = via;
    r.retries = retries;
}

auto aws_connection::endpoint(std::string_view service, std::string const& region) const -> std::string
{
    bool const is_chinese = region.starts_with("cn-");
    std::string const name = std::string(service) + (use_fips ? "-fips" : "");
    if (!use_dualstack) return "https://" + name + "." + region + ".amazonaws.com" + (is_chinese ? ".cn" : "");
    if (service == "s3")
        return "https://" + name + ".dualstack." + region + ".amazonaws.com" + (is_chinese ? ".cn" : "");
    return "https://" + name + "." + region + (is_chinese ? ".api.amazonwebservices.com.cn" : ".api.aws");
}

auto elements(std::string_view document, std::string const& name) -> std::vector<std::string>
{
    std::vector<std::string> all;
    std::string const open = "<" + name + ">";
    for (auto at = document.find(open); at != document.npos; at = document.find(open, at)) {
        at += open.size();
        all.emplace_back(document.substr(at, std::min(document.find('<', at), document.size()) - at));
    }
    return all;
}

auto element(std::string_view document, std::string const& name) -> std::string
{
    auto const all = elements(document, name);
    return all.empty() ? std::string() : all.front();
}

}  // namespace iacctl::backends
