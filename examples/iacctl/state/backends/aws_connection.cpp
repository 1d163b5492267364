// SPDX-License-Identifier: BSL-1.0
#include "aws_connection.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>

namespace iacctl::backends {

namespace {

// Returns whether a service refuses a request because there are too many. S3 answers with the status 503 then, which is
// repeated as any other one above 500; STS and DynamoDB answer with 400 and a code.
// \source AWS, "AWS SDKs and Tools Reference Guide", "Retry behavior"
auto is_throttled(http::response const& got) -> bool
{
    static constexpr std::array<std::string_view, 5> codes{
        "Throttling", "ProvisionedThroughputExceeded", "RequestLimitExceeded", "RequestThrottled", "TooManyRequests"};
    return got.status == 400
        && std::ranges::any_of(codes, [&](std::string_view code) { return got.body.find(code) != std::string::npos; });
}

}  // namespace

auto aws_connection::send(http::blocking_client& by, http::request r) const -> http::response
{
    r.insecure = insecure;
    r.trusted_pem = trusted_pem;
    r.via = via;
    r.retries = retries;
    auto wait = retries.least_wait;
    for (std::int64_t left = retries.most;; --left) {
        auto got = by.send(r);
        if (left <= 0 || !is_throttled(got)) return got;
        std::this_thread::sleep_for(wait);
        wait = std::min(wait * 2, retries.longest_wait);
    }
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

}  // namespace iacctl::backends
