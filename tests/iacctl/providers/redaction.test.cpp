// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "providers/redaction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace providers_test;
using iacctl::language::mark;
using iacctl::providers::redaction;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

auto secret(std::string_view content) -> value
{
    return text(content).with_marks(mark::sensitive);
}

auto shown(value const& hidden, std::string_view in) -> std::string
{
    redaction made;
    made.hide(hidden);
    return made.redacted(in);
}

}  // namespace

TEST(Redaction, ReplacesMarkedTextsOnly)
{
    value const given = value::object({{"a", secret("hunter2")}, {"b", text("plain")}});

    EXPECT_EQ(shown(given, "plain: xhunter2x"), "plain: x(sensitive value)x");
}

TEST(Redaction, NamesTheMark)
{
    EXPECT_EQ(shown(text("token").with_marks(mark::ephemeral), "a \"token\""), "a \"(ephemeral value)\"");
    EXPECT_EQ(
        shown(text("token").with_marks(mark::ephemeral | mark::sensitive), "a \"token\""), "a \"(sensitive value)\"");
}

TEST(Redaction, ReplacesEverythingInAMarkedValue)
{
    value const map = pairs({{"name", text("value")}}).with_marks(mark::sensitive);
    value const object = value::object({{"name", whole(12345)}}).with_marks(mark::sensitive);

    EXPECT_EQ(shown(map, "name = value"), "(sensitive value) = (sensitive value)");
    EXPECT_EQ(shown(object, "name = 12345"), "name = (sensitive value)") << "names of attributes are not values";
}

TEST(Redaction, ReplacesShortTextsThatAreWords)
{
    EXPECT_EQ(shown(secret("ab"), "ab cab \"ab\" ab_ (ab)"),
        "(sensitive value) cab \"(sensitive value)\" ab_ ((sensitive value))");
    EXPECT_EQ(shown(secret(""), "ab"), "ab");
}

TEST(Redaction, ReplacesTextsWithEscapes)
{
    value const given = secret("a \"b\"\n&\x01");

    EXPECT_EQ(shown(given, "a \"b\"\n&\x01"), "(sensitive value)");
    EXPECT_EQ(shown(given, R"x("a \"b\"\n\u0026\u0001")x"), "\"(sensitive value)\"") << "JSON";
    EXPECT_EQ(shown(given, R"x("a \"b\"\n&\x01")x"), "\"(sensitive value)\"") << "Go";
    EXPECT_EQ(shown(secret("a b/c"), "?q=a%20b%2Fc"), "?q=(sensitive value)");
}

TEST(Redaction, ReplacesLinesOfATextAndTextsWithoutTheirLineEnd)
{
    EXPECT_EQ(shown(secret("first\nsecond\n"), "  first\n  second"), "  (sensitive value)\n  (sensitive value)");
    EXPECT_EQ(shown(secret("password\n"), "password."), "(sensitive value).");
}

TEST(Redaction, ReplacesPartsOfAUrl)
{
    value const url = secret("http://me:pass@Host.example:81/path?query");

    EXPECT_EQ(shown(url, "GET http://host.example:81/path?query: refused"), "GET http://(sensitive value): refused");
    EXPECT_EQ(shown(url, "\"/path\" of \"host.example\""), "\"(sensitive value)\" of \"(sensitive value)\"");
}

TEST(Redaction, ReplacesTextsInJson)
{
    EXPECT_EQ(shown(secret(R"({"id":"value","n":1})"), "\"value\" 1"), "\"(sensitive value)\" 1");
}

TEST(Redaction, ReplacesOverlappingTextsTogether)
{
    value const given = value::tuple({secret("abcdef"), text("defghi").with_marks(mark::ephemeral)});

    EXPECT_EQ(shown(given, "[abcdefghi]"), "[(sensitive value)]");
}

TEST(Redaction, IsAppliedToErrorsOfDataSources)
{
    EXPECT_THAT(read_data("local_file", {{"filename", secret("/nonexistent/hunter2")}}).error(),
        AllOf(HasSubstr("\"(sensitive value)\" cannot be read"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(read_data("http", {{"url", secret("http://127.0.0.1:1/hunter2")}}).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(read_data("http", {{"url", secret("hunter2")}}).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(read_data("terraform_remote_state", {{"backend", secret("hunter2")}}).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
}

TEST(Redaction, IsAppliedToErrorsOfPlansAndApplies)
{
    EXPECT_THAT(plan("time_static", std::nullopt, desired("time_static", {{"rfc3339", secret("hunter2")}})).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(create("local_file", {{"filename", secret("/dev/null/hunter2")}, {"content", text("x")}}).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
}

TEST(Redaction, IsAppliedToErrorsThatShowSettings)
{
    scoped_settings const settings("restapi_object", {{"uri", secret("http://127.0.0.1:1/hunter2")}});

    EXPECT_THAT(create("restapi_object", {{"path", text("/objects")}, {"data", text("{\"id\":\"1\"}")}}).error(),
        AllOf(HasSubstr("(sensitive value)"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(import_object("restapi_object", "/objects/1").error(), Not(HasSubstr("hunter2")));
}

TEST(Redaction, IsAppliedToErrorsFromOtherMachines)
{
    simulated_placement placed;
    placed.fail_with(iacctl::run_obstacle::not_run, "hunter2 is not there");

    EXPECT_THAT(read_data("local_file", {{"filename", secret("hunter2")}}).error(),
        AllOf(HasSubstr("(sensitive value) is not there"), Not(HasSubstr("hunter2"))));
}

TEST(ExternalData, HidesWhatAProgramWithMarkedArgumentsPrints)
{
    auto const script = secret("echo hunter2 >&2; exit 3");
    auto const failed = read_data("external",
        {{"program", value::list(iacctl::language::type::string(), {text("/bin/sh"), text("-c"), script})}});

    EXPECT_THAT(failed.error(),
        AllOf(HasSubstr("(hidden, because the configuration of the data source has sensitive values)"),
            Not(HasSubstr("hunter2"))));
}
