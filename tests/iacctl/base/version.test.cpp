// SPDX-License-Identifier: BSL-1.0
#include "base/version.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace {

using iacctl::version;
using iacctl::version_constraints;

auto allow(std::string_view constraints, std::string_view candidate) -> bool
{
    return version_constraints::parse(constraints)->allow(*version::parse(candidate));
}

TEST(Version, IsOrderedBySemanticVersioning)
{
    std::string_view const in_order[]{"0.9", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1",
        "1.0.0-alpha.beta", "1.0.0-rc.2", "1.0.0", "1.0.1", "1.2", "1.10.0", "2"};
    for (auto const* one = std::begin(in_order); one + 1 != std::end(in_order); ++one)
        EXPECT_LT(*version::parse(one[0]), *version::parse(one[1])) << one[0] << " and " << one[1];
    EXPECT_EQ(*version::parse("1.0"), *version::parse("1.0.0+build"));
}

TEST(Version, RejectsInvalidTexts)
{
    for (auto const* text :
        {"", ".", "1.", ".1", "1..2", "v1", "1.x", "1-", "1+", "1.0-a..b", "-1", "1 .0", "99999999999999999999"})
        EXPECT_FALSE(version::parse(text)) << text;
    EXPECT_TRUE(version::parse("v1.2.3", true));
}

TEST(VersionConstraints, AllowReleasesBetweenTheirBounds)
{
    EXPECT_TRUE(allow("~> 1.2", "1.9.0"));
    EXPECT_FALSE(allow("~> 1.2", "2.0.0"));
    EXPECT_FALSE(allow("~> 1.2", "1.1.9"));
    EXPECT_TRUE(allow("~> 1.2.3", "1.2.9"));
    EXPECT_FALSE(allow("~> 1.2.3", "1.3.0"));
    EXPECT_TRUE(allow("~> 2", "2.5.0"));
    EXPECT_FALSE(allow("~> 2", "3.0.0"));
    EXPECT_TRUE(allow(">= 1, < 2, != 1.5", "1.4.0"));
    EXPECT_FALSE(allow(">= 1, < 2, != 1.5", "1.5.0"));
    EXPECT_FALSE(allow("> 1.0", "1.0.0"));
    EXPECT_TRUE(allow("<= 1.0", "1.0.0"));
}

TEST(VersionConstraints, AllowPrereleasesOfProvidersOnlyByTheirExactVersion)
{
    EXPECT_TRUE(allow("3.1.0-beta1", "3.1.0-beta1"));
    EXPECT_FALSE(allow(">= 3.1.0-beta1", "3.1.0-beta2"));
    EXPECT_FALSE(allow("~> 3.1.0-beta1", "3.1.0-beta1"));
    EXPECT_FALSE(allow("3.1.0-beta1, >= 3.1", "3.1.0-beta1"));
    EXPECT_TRUE(allow(">= 3.1.0-beta1", "3.1.0"));
}

TEST(VersionConstraints, AllowPrereleasesOfModulesOfTheSameNumbers)
{
    auto const allow_module = [](std::string_view constraints, std::string_view candidate) {
        return version_constraints::parse(constraints)->allow_module(*version::parse(candidate));
    };
    EXPECT_TRUE(allow_module(">= 1.0.0-beta1", "1.0.0-beta2"));
    EXPECT_FALSE(allow_module(">= 1.0.0-beta1", "1.1.0-beta2"));
    EXPECT_FALSE(allow_module(">= 1.0.0", "1.1.0-beta2"));
    EXPECT_TRUE(allow_module("1.1.0-beta2", "1.1.0-beta2"));
    EXPECT_TRUE(allow_module("~> 1", "7.0.0"));
}

TEST(VersionConstraints, AreWrittenAsInLockFiles)
{
    auto const text = [](std::string_view constraints) { return version_constraints::parse(constraints)->text(); };
    EXPECT_EQ(text(">=2,~>2.0,<=2.5.0,<3,!=2.0.1,2.5.0"), ">= 2.0.0, ~> 2.0, != 2.0.1, 2.5.0, <= 2.5.0, < 3.0.0");
    EXPECT_EQ(text("~> 2"), "~> 2.0");
    EXPECT_EQ(text("~> 2.0.0, ~> 2.0"), "~> 2.0.0, ~> 2.0");
    EXPECT_EQ(text(">= 2, >= 2.0, >= 2.0.0"), ">= 2.0.0");
    EXPECT_EQ(text("= 3.1.0-beta1"), "3.1.0-beta1");
}

TEST(VersionConstraints, RejectInvalidTexts)
{
    for (auto const* text : {"", ",", ">= ", "~> x", "=> 1", ">= v2", "1.0,", "1 2"})
        EXPECT_FALSE(version_constraints::parse(text)) << text;
}

}  // namespace
