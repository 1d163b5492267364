// SPDX-License-Identifier: BSL-1.0
#include "server/origin_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace iacctl::server::test {
namespace {

namespace http = boost::beast::http;
using fields = std::vector<std::pair<std::string, std::string>>;

// The status with which a request is refused; 200 if it is allowed.
auto status(origin_rules const& rules, fields const& f, http::verb method = http::verb::post, unsigned version = 11)
    -> unsigned
{
    http::request_header<> header;
    header.method(method);
    header.version(version);
    for (auto const& [name, text] : f) header.insert(name, text);
    auto const refused = rules.refusal(header);
    return refused ? refused->status : 200;
}

TEST(OriginRules, AllowOnlyOwnNamesOfAServerWithoutUsers)
{
    origin_rules const rules("Build.internal");

    for (char const* const host : {"localhost", "LOCALHOST:8080", "localhost.", "states.localhost:8080", "127.0.0.1",
             "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:8080", "build.internal:8080", "BUILD.internal."})
        EXPECT_EQ(status(rules, {{"Host", host}}), 200) << host;
    for (char const* const host : {"evil.example", "evil.example:8080", "localhost.evil.example",
             "127.0.0.1.evil.example", "evillocalhost", "192.0.2.1", "0.0.0.0:8080", "[2001:db8::1]",
             "localhost@evil.example", "evil.example/localhost", "", ":80"})
        EXPECT_EQ(status(rules, {{"Host", host}}), 403) << host;
}

TEST(OriginRules, RequireOneHost)
{
    origin_rules const rules("127.0.0.1");

    EXPECT_EQ(status(rules, {}), 400);
    EXPECT_EQ(status(rules, {{"Host", "localhost"}, {"Host", "evil.example"}}), 400);
    EXPECT_EQ(status(rules, {}, http::verb::get, 10), 200);
    EXPECT_EQ(status(rules, {{"Host", "evil.example"}}, http::verb::get, 10), 403);
    EXPECT_EQ(status(origin_rules(), {}), 400);
}

TEST(OriginRules, AllowAnyNameOfAServerWithUsers)
{
    EXPECT_EQ(status(origin_rules(), {{"Host", "states.example.org"}}), 200);
}

TEST(OriginRules, RefusePagesOfOtherOrigins)
{
    for (origin_rules const& rules : {origin_rules(), origin_rules("127.0.0.1")}) {
        auto const from = [&](fields more, http::verb method = http::verb::post) {
            more.emplace_back("Host", "localhost:8080");
            return status(rules, more, method);
        };
        EXPECT_EQ(from({{"Origin", "http://localhost:8080"}, {"Sec-Fetch-Site", "same-origin"}}), 200);
        EXPECT_EQ(from({{"Origin", "https://LOCALHOST:8080"}}), 200);
        EXPECT_EQ(from({{"Sec-Fetch-Site", "none"}}), 200);
        for (char const* const origin : {"http://evil.example", "http://localhost:3000", "http://localhost", "null", "",
                 "localhost:8080", "http://localhost:8080.evil.example"})
            for (auto const method : {http::verb::get, http::verb::post, http::verb::lock, http::verb::options})
                EXPECT_EQ(from({{"Origin", origin}}, method), 403) << origin;
        EXPECT_EQ(from({{"Origin", "http://localhost:8080"}, {"Origin", "http://evil.example"}}), 403);
        for (char const* const site : {"cross-site", "same-site", "something-new"}) {
            EXPECT_EQ(from({{"Sec-Fetch-Site", site}}), 403) << site;
            EXPECT_EQ(from({{"Sec-Fetch-Site", site}}, http::verb::get), 403) << site;
        }
    }
}

TEST(OriginRules, AllowLinksToAServerWithUsers)
{
    fields const link{{"Host", "states.localhost"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"},
        {"Sec-Fetch-Dest", "document"}};
    fields const frame{{"Host", "states.localhost"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"},
        {"Sec-Fetch-Dest", "iframe"}};

    EXPECT_EQ(status(origin_rules(), link, http::verb::get), 200);
    EXPECT_EQ(status(origin_rules(), link, http::verb::post), 403);
    EXPECT_EQ(status(origin_rules(), frame, http::verb::get), 403);
    EXPECT_EQ(status(origin_rules("127.0.0.1"), link, http::verb::get), 403);
}

}  // namespace
}  // namespace iacctl::server::test
