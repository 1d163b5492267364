// SPDX-License-Identifier: BSL-1.0
#include "server/sessions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace iacctl::server::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The part of a header Set-Cookie that a browser sends back.
auto sent_back(std::string const& cookie) -> std::string
{
    return cookie.substr(0, cookie.find(';'));
}

TEST(Sessions, AreFoundByTheirCookieAmongOthers)
{
    session_table sessions;
    auto const ann = sent_back(sessions.begin({{"ann", role::read}, "1"}).cookie);
    auto const bob = sent_back(sessions.begin({{"bob", role::write}, "2"}).cookie);

    auto const* const found = sessions.find("theme=dark; " + ann + ";x=y");

    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->by.who.name, "ann");
    EXPECT_NE(found->token, sessions.find(bob)->token);
    for (char const* const other : {"", "iacctl", "iacctl=", "iacctl=0", "other=0", ";;="})
        EXPECT_EQ(sessions.find(other), nullptr) << other;
    EXPECT_EQ(sessions.find("__Host-" + ann), nullptr);
}

TEST(Sessions, EndOnce)
{
    session_table sessions;
    auto const cookie = sent_back(sessions.begin({{"ann", role::read}}).cookie);

    EXPECT_THAT(sessions.end(cookie), HasSubstr("Max-Age=0"));

    EXPECT_EQ(sessions.find(cookie), nullptr);
    EXPECT_THAT(sessions.end("iacctl=0"), HasSubstr("Max-Age=0"));
}

TEST(Sessions, HaveCookiesThatOnlyThisServerReceives)
{
    auto const plain = session_table(false).begin({{"ann", role::read}}).cookie;
    auto const secure = session_table(true).begin({{"ann", role::read}}).cookie;

    for (auto const& one : {plain, secure}) {
        EXPECT_THAT(one, HasSubstr("; Path=/; HttpOnly; SameSite=Strict"));
        EXPECT_THAT(one, Not(HasSubstr("Domain")));
    }
    EXPECT_THAT(plain, Not(HasSubstr("Secure")));
    EXPECT_THAT(secure, StartsWith("__Host-iacctl="));
    EXPECT_THAT(secure, HasSubstr("; Secure"));
}

TEST(Sessions, AreLimitedInTheirNumber)
{
    session_table sessions;
    std::vector<std::string> cookies;
    for (std::size_t i = 0; i < session_table::most + 1; ++i)
        cookies.push_back(sent_back(sessions.begin({{"user-" + std::to_string(i), role::read}}).cookie));

    auto const found = std::ranges::count_if(cookies, [&](auto const& one) { return sessions.find(one) != nullptr; });

    EXPECT_EQ(static_cast<std::size_t>(found), session_table::most);
    EXPECT_NE(sessions.find(cookies.back()), nullptr);
}

TEST(Sessions, OfOneUserDoNotEndThoseOfOthers)
{
    session_table sessions;
    auto const other = sent_back(sessions.begin({{"bob", role::write}}).cookie);
    for (std::size_t i = 0; i < session_table::most + 1; ++i) (void)sessions.begin({{"ann", role::read}});

    EXPECT_NE(sessions.find(other), nullptr);
}

}  // namespace
}  // namespace iacctl::server::test
