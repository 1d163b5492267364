// SPDX-License-Identifier: BSL-1.0
#include "providers/plugin/private_data.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace iacctl::plugin {
namespace {

auto read(std::string_view text) -> private_data
{
    return private_data::read(strider::infra::document(std::string(text)));
}

TEST(PrivateData, HasOneText)
{
    private_data data;
    EXPECT_EQ(data.write().text(), "");

    data.bytes = "b";
    EXPECT_EQ(data.write().text(), R"({"private":"Yg=="})");

    data.identity = R"({"id":"\u003ca\u003e","n":0.10})";
    data.identity_version = 3;
    EXPECT_EQ(data.write().text(),
        R"({"identity":{"id":"\u003ca\u003e","n":0.10},"identity_schema_version":3,"private":"Yg=="})");
}

TEST(PrivateData, IsReadAsItWasWritten)
{
    private_data data;
    data.bytes = std::string("\0\xff", 2);
    data.identity = R"({"id":"\u003ca\u003e","n":0.10})";
    data.identity_version = 3;

    auto const again = private_data::read(data.write());

    EXPECT_EQ(again.bytes, data.bytes);
    EXPECT_EQ(again.identity, data.identity);
    EXPECT_EQ(again.identity_version, 3U);
}

TEST(PrivateData, MembersThatCannotBeReadAreIgnored)
{
    auto const some = read(R"({"private":"?","identity":null,"identity_schema_version":"3"})");

    EXPECT_EQ(some.bytes, "");
    EXPECT_EQ(some.identity, "");
    EXPECT_EQ(some.identity_version, 0U);
    EXPECT_EQ(read("no JSON").bytes, "");
    EXPECT_EQ(read("[]").identity, "");
}

}  // namespace
}  // namespace iacctl::plugin
