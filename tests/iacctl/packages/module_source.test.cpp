// SPDX-License-Identifier: BSL-1.0
#include "language/configuration/module_source.hpp"
#include "language/configuration/module_finder.hpp"
#include "packages/modules/git.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using iacctl::language::module_manifest;
using iacctl::language::module_source;
using iacctl::packages::git_revision;

auto text_of(std::string_view source) -> std::string
{
    std::string why;
    auto const made = module_source::parse(source, why);
    return made ? made->text() : "none " + why;
}

TEST(ModuleSource, IsWrittenAsInTerraformsListOfModules)
{
    EXPECT_EQ(text_of("./a"), "./a");
    EXPECT_EQ(text_of("hashicorp/consul/aws"), "registry.terraform.io/hashicorp/consul/aws");
    EXPECT_EQ(text_of("Example.com:8443/acme/network/aws//a/b"), "example.com:8443/acme/network/aws//a/b");
    EXPECT_EQ(text_of("github.com/a/b"), "git::https://github.com/a/b.git");
    EXPECT_EQ(text_of("github.com/a/b//x?ref=1"), "git::https://github.com/a/b.git//x?ref=1");
    EXPECT_EQ(text_of("github.com/a/b/c/d"), "git::https://github.com/a/b.git//c/d");
    EXPECT_EQ(text_of("git@github.com:a/b.git//x?ref=1"), "git::ssh://git@github.com/a/b.git//x?ref=1");
    EXPECT_EQ(text_of("git::https://example.com/a.git//x/../y?depth=1"), "git::https://example.com/a.git//y?depth=1");
    EXPECT_EQ(text_of("https://example.com/a.zip//x"), "https://example.com/a.zip//x");
    EXPECT_EQ(text_of("/srv/modules/a"), "file:///srv/modules/a");
}

TEST(ModuleSource, RejectsInvalidTexts)
{
    for (auto const* text : {"foo", "foo/bar", "a//b", "github.com/a", "hashicorp/consul/AWS", "-a/b/c", "a/b/c/d"})
        EXPECT_EQ(text_of(text), "none ") << text;
    for (auto const* text : {"git::https://a/b//..", "https://a/b.zip//x/../../y", "hashicorp/consul/aws//../x"})
        EXPECT_EQ(text_of(text), "none the subdirectory leads out of the package") << text;
}

TEST(GitRevision, RejectsOptionsOfGit)
{
    auto const fine = git_revision::parse("https://example.com/a.git?ref=v1%2F2&depth=3&x=y");
    ASSERT_TRUE(fine);
    EXPECT_EQ(fine->url, "https://example.com/a.git?x=y");
    EXPECT_EQ(fine->ref, "v1/2");
    EXPECT_EQ(fine->depth, "3");
    for (auto const* address : {"ext::sh -c x", "--upload-pack=x", "ssh://-oProxyCommand=x/y", "https://a/b?ref=-x",
             "https://a/b?ref=a..b", "https://a/b?ref=a:b", "https://a/b?ref=a%20b", "https://a/b?depth=-1",
             "https://a/b?sshkey=x", "https://", "x"})
        EXPECT_FALSE(git_revision::parse(address)) << address;
}

TEST(ModuleManifest, IsWrittenAsItWasRead)
{
    std::string const text =
        R"({"Modules":[{"Key":"","Source":"","Dir":"."},)"
        R"({"Key":"a","Source":"registry.terraform.io/x/y/z","Version":"1.0.0","Dir":".terraform/modules/a"},)"
        R"({"Key":"a.b","Source":"./b","Dir":".terraform/modules/a/b"}]})";
    auto const made = module_manifest::parse(text);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->text(), text);
    EXPECT_FALSE(module_manifest::parse("[]"));
}

}  // namespace
