// SPDX-License-Identifier: BSL-1.0
#include "aws_signature.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace iacctl::backends {

namespace {

auto sha256(std::string_view text) -> std::string
{
    return hex(digest(text, digest_kind::sha256));
}

// The parameters by name and value; each has a value, which may be empty.
auto canonical_query(std::string_view query) -> std::string
{
    std::vector<std::string> all;
    while (!query.empty()) {
        std::string one(query.substr(0, query.find('&')));
        query.remove_prefix(std::min(query.size(), one.size() + 1));
        if (one.find('=') == std::string::npos) one += '=';
        all.push_back(std::move(one));
    }
    std::ranges::sort(all);
    std::string joined;
    for (std::string const& one : all) joined += (joined.empty() ? "" : "&") + one;
    return joined;
}

}  // namespace

auto aws_encoded(std::string_view text, std::string_view kept) -> std::string
{
    return http::percent_encoded(text, kept);
}

void sign(http::request& r, aws_credentials const& by, std::string_view region, std::string_view service,
    std::string const& time)
{
    auto const where = http::url::parse(r.url);
    if (!where) return;  // `send` refuses the request
    r.headers["X-Amz-Date"] = time;
    if (!by.token.empty()) r.headers["X-Amz-Security-Token"] = by.token;

    std::map<std::string, std::string> headers{{"host", where->authority()}};
    for (auto const& [name, text] : r.headers) headers[ascii_lower_case(name)] = text;
    std::string lines;
    std::string names;
    for (auto const& [name, text] : headers) {
        lines += name + ":" + text + "\n";
        names += (names.empty() ? "" : ";") + name;
    }
    std::string_view const target = where->target;
    auto const mark = std::min(target.find('?'), target.size());
    std::string const request = r.method + "\n" + std::string(target.substr(0, mark)) + "\n"
        + canonical_query(target.substr(std::min(mark + 1, target.size()))) + "\n" + lines + "\n" + names + "\n"
        + sha256(r.body.value_or(std::string()));

    std::string const day = time.substr(0, 8);
    std::string const scope = day + "/" + std::string(region) + "/" + std::string(service) + "/aws4_request";
    std::string const text = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + sha256(request);
    std::string const key = hmac_sha256(
        hmac_sha256(hmac_sha256(hmac_sha256("AWS4" + by.secret_key, day), region), service), "aws4_request");
    r.headers["Authorization"] = "AWS4-HMAC-SHA256 Credential=" + by.access_key + "/" + scope
        + ",SignedHeaders=" + names + ",Signature=" + hex(hmac_sha256(key, text));
}

}  // namespace iacctl::backends
