// SPDX-License-Identifier: BSL-1.0
#include "packages/cli_configuration.hpp"
#include "packages/lock_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace iacctl::packages;

auto settings_of(std::string const& text) -> cli_configuration
{
    cli_configuration made;
    for (auto const& problem : made.add("file", text)) ADD_FAILURE() << problem.detail;
    return made;
}

auto problem_with(std::string const& text) -> std::string
{
    cli_configuration made;
    auto const problems = made.add("file", text);
    return problems.empty() ? "" : problems.front().detail;
}

TEST(CliConfiguration, HasMethodsInTheirOrder)
{
    auto const made = settings_of(R"(
        # a comment
        plugin_cache_dir = "/cache" // another one
        provider_installation {
          dev_overrides { "acme/dev" = "/dev" }
          filesystem_mirror { path = "/mirror"  include = ["example.com/*/*", "acme/*"] }
          network_mirror {
            url = "https://mirror.example.com/"
            exclude = [
              "hashicorp/*",
            ]
          }
          direct {}
        }
    )");
    ASSERT_TRUE(made.methods);
    ASSERT_EQ(made.methods->size(), 3U);
    auto const thing = *provider_id::parse("example.com/acme/thing");
    auto const null = *provider_id::parse("null");
    EXPECT_TRUE(made.methods->at(0).serves(thing));
    EXPECT_FALSE(made.methods->at(0).serves(null));
    EXPECT_TRUE(made.methods->at(0).serves(*provider_id::parse("acme/other")));
    EXPECT_EQ(made.methods->at(1).location, "https://mirror.example.com/");
    EXPECT_FALSE(made.methods->at(1).serves(null));
    EXPECT_TRUE(made.methods->at(2).serves(null));
    EXPECT_EQ(made.development_overrides.at(*provider_id::parse("acme/dev")), "/dev");
    EXPECT_EQ(made.plugin_cache, "/cache");
}

TEST(CliConfiguration, MayBeWrittenInJson)
{
    auto const made = settings_of(R"({"credentials": {"EXAMPLE.com": {"token": "a\u0062\"c"}},
        "provider_installation": [{"filesystem_mirror": {"path": "/m"}, "direct": {"exclude": ["acme/*"]}}],
        "host": {"example.com": {"services": {"modules.v1": "https://example.com/"}}}})");
    EXPECT_EQ(made.tokens.at("example.com"), "ab\"c");
    ASSERT_TRUE(made.methods);
    EXPECT_EQ(made.methods->size(), 2U);
    EXPECT_EQ(made.services.at("example.com").at("modules.v1"), "https://example.com/");
}

TEST(CliConfiguration, HasPlacesOfTypes)
{
    auto const made = settings_of(R"(
        placement {
          executor = "slurm"
          places   = { "local-exec" = "gpu", "data.external" = "inside" }
        }
    )");
    ASSERT_TRUE(made.placement);
    EXPECT_EQ(made.placement->executor, "slurm");
    EXPECT_EQ(made.placement->places,
        (std::map<std::string, std::string>{{"data.external", "inside"}, {"local-exec", "gpu"}}));
    EXPECT_FALSE(settings_of("").placement);
    EXPECT_NE(problem_with("placement {}").find("needs the argument executor"), std::string::npos);
    EXPECT_NE(problem_with(R"(placement { executor = "cloud" })").find("\"slurm\" or \"local\""), std::string::npos);
    EXPECT_NE(problem_with("placement { executor = \"local\" }\nplacement { executor = \"local\" }")
                  .find("more than one block"),
        std::string::npos);
    EXPECT_NE(problem_with(R"(placement { executor = "slurm" places = { a = ["b"] } })").find("is not a label"),
        std::string::npos);
    EXPECT_NE(problem_with(R"(placement { executor = "slurm" places = { a = "b" a = "c" } })").find("two places"),
        std::string::npos);
}

TEST(CliConfiguration, ValuesAreLiteral)
{
    std::string const why = "line 1: a value must be a string in quotes, a number, true, false, a list or an object";
    for (std::string const value : {"bar", "var.token", "null", "1a", "5+", "-", "[bar]", "{ a = bar }"})
        EXPECT_NE(problem_with("credentials \"a\" { token = " + value + " }").find(why), std::string::npos) << value;

    for (std::string const value : {"true", "false", "12", "-1.5", "1e3", "0x1F"})
        EXPECT_EQ(problem_with("unknown = " + value), "") << value;
}

TEST(CliConfiguration, ValuesOfAnotherKindAreReported)
{
    for (std::string const text :
        {R"(plugin_cache_dir = ["a"])", R"(plugin_cache_dir {})", R"(disable_checkpoint = "maybe")",
            R"(provider_installation = "direct")", R"(provider_installation { direct = true })",
            R"(provider_installation { direct { include = "a/*" } })", R"(credentials { token = "a" })",
            R"(credentials "a" { token = ["a"] })", R"(credentials_helper "a" { args = [["a"]] })",
            R"(host "a" { services = "b" })", R"(host "a" { services { "modules.v1" = ["b"] } })"})
        EXPECT_NE(problem_with(text), "") << text;
}

TEST(CliConfiguration, IsRejectedWithTheReason)
{
    EXPECT_NE(problem_with("provider_installation {\n  direct {\n").find("line 3"), std::string::npos);
    EXPECT_NE(problem_with("provider_installation { network_mirror { url = \"http://x/\" } }").find("https"),
        std::string::npos);
    EXPECT_NE(problem_with("provider_installation { filesystem_mirror {} }").find("path"), std::string::npos);
    EXPECT_NE(problem_with("provider_installation { direct {} dev_overrides {} }").find("before"), std::string::npos);
    EXPECT_NE(problem_with("provider_installation { other {} }").find("other"), std::string::npos);
    EXPECT_NE(problem_with("provider_installation { direct { include = [\"a/b/c/d\"] } }").find("pattern"),
        std::string::npos);
    EXPECT_NE(problem_with("credentials \"a b\" { token = \"x\" }").find("host"), std::string::npos);
    EXPECT_NE(problem_with("a = \"x").find("line 1"), std::string::npos);
    EXPECT_EQ(problem_with("unknown = 1\nother { a = [1, true] }"), "");
}

TEST(LockFile, IsWrittenAsItWasRead)
{
    std::string const text =
        "# This file is maintained automatically by \"terraform init\".\n"
        "# Manual edits may be lost in future updates.\n"
        "\nprovider \"a-b.example.com/acme/zz\" {\n  version = \"1.0.0\"\n}\n"
        "\nprovider \"a.example.com/acme/zz\" {\n  version     = \"2.0.0-beta.1\"\n  constraints = \"2.0.0-beta.1\"\n"
        "  hashes = [\n    \"h1:a\",\n    \"other:b\",\n    \"zh:c\",\n  ]\n}\n";
    auto const made = lock_file::parse("file", text);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->text(), text);
}

TEST(LockFile, IsRejectedWithThePlace)
{
    auto const why = [](std::string const& block) {
        auto const made = lock_file::parse("file", block);
        return made ? std::string() : made.error().why().front().detail;
    };
    EXPECT_NE(why("provider \"null\" {\n  version = \"1.0.0\"\n}\n").find("full address"), std::string::npos);
    EXPECT_NE(why("provider \"a.b/c/d\" {\n}\n").find("\"version\" is missing"), std::string::npos);
    EXPECT_NE(why("provider \"a.b/c/d\" {\n  version = \"x\"\n}\n").find("file:2"), std::string::npos);
    EXPECT_NE(why("provider \"a.b/c/d\" {\n  version = \"1.0.0\"\n  hashes = [\"x\"]\n}\n").find("scheme"),
        std::string::npos);
    EXPECT_NE(why("provider \"a.b/c/d\" {\n  version = \"1.0.0\"\n  constraints = \">=1\"\n}\n").find("form"),
        std::string::npos);
    EXPECT_NE(
        why("provider \"a.b/c/d\" {\n  version = \"1.0.0\"\n}\nprovider \"a.b/c/d\" {\n  version = \"1.0.0\"\n}\n")
            .find("second"),
        std::string::npos);
    EXPECT_NE(why("provider {").find("file"), std::string::npos);
}

}  // namespace
