// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"
#include "support.hpp"

#include "state/record/sqlite_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

using namespace providers_test;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

auto sh(std::string_view script) -> value
{
    return texts({"/bin/sh", "-c", std::string(script)});
}

auto result_of(result_or_error<value> const& error, std::string_view key) -> std::string
{
    return text_at(at(*error, "result"), key);
}

}  // namespace

TEST(LocalFileData, ReturnsTheContentOfAFile)
{
    scratch_directory const scratch;
    std::ofstream(scratch.path("f"), std::ios::binary) << "a\xFFz";

    auto const read = read_data("local_file", {{"filename", text(scratch.path("f"))}});

    EXPECT_EQ(text_at(*read, "content"), "a\xEF\xBF\xBDz");
    EXPECT_EQ(text_at(*read, "content_base64"), "Yf96");
    EXPECT_EQ(text_at(*read, "id"), "f78bbc8eca85ee96ab04fae0f935975062f70345");
    EXPECT_TRUE(read->wholly_known());
}

TEST(LocalFileData, NamesTheFileThatCannotBeRead)
{
    EXPECT_THAT(read_data("local_file", {{"filename", text("/nonexistent/f")}}).error(),
        AllOf(HasSubstr("\"/nonexistent/f\" cannot be read: No such file or directory"),
            HasSubstr("[local_file_data_unreadable]")));
    EXPECT_THAT(read_data("local_file", {{"filename", text("/")}}).error(), HasSubstr("Is a directory"));
}

TEST(NullData, ReturnsItsInputs)
{
    auto const read = read_data("null_data_source", {{"inputs", pairs({{"k", text("v")}})}});
    auto const given = read_data("null_data_source", {{"has_computed_default", text("mine")}});

    EXPECT_EQ(text_at(at(*read, "outputs"), "k"), "v");
    EXPECT_EQ(text_at(*read, "has_computed_default"), "default");
    EXPECT_EQ(text_at(*read, "id"), "static");
    EXPECT_NE(text_at(*read, "random"), text_at(*given, "random"));
    EXPECT_TRUE(at(*given, "outputs").is_null());
    EXPECT_EQ(text_at(*given, "has_computed_default"), "mine");
}

TEST(ExternalData, RejectsOutputThatIsNotText)
{
    EXPECT_THAT(read_data("external", {{"program", sh("printf '{\"a\":\"\\377\"}'")}}).error(),
        StartsWith("Unexpected External Program Results"));
}

TEST(ExternalData, SendsItsQueryAndReadsTheResult)
{
    auto const read = read_data("external",
        {{"program",
             sh(R"(read q; echo "noise" >&2; echo "{\"dir\":\"$(pwd)\",\"got\":$(echo "$q" | sed 's/.*"k":\([^}]*\).*/\1/')}")")},
            {"query", pairs({{"k", text("v w")}, {"none", value::null(iacctl::language::type::string())}})},
            {"working_dir", text("/")}});

    EXPECT_EQ(read.error(), "");
    EXPECT_EQ(result_of(read, "got"), "v w");
    EXPECT_EQ(result_of(read, "dir"), "/");
    EXPECT_EQ(text_at(*read, "id"), "-");
}

TEST(ExternalData, DoesNotWaitForAProgramThatReadsNothing)
{
    auto const read = read_data("external",
        {{"program", sh("echo '{\"a\":null}'")}, {"query", pairs({{"k", text(std::string(200'000, 'x'))}})}});

    EXPECT_EQ(read.error(), "");
    EXPECT_TRUE(at(*read, "result").find("a")->has_data());
}

TEST(ExternalData, ReportsMistakesOfTheProgram)
{
    auto const read_with = [](value program) {
        return read_data("external", {{"program", std::move(program)}}).error();
    };

    EXPECT_THAT(read_with(sh("echo broken >&2; exit 3")),
        AllOf(StartsWith("External Program Execution Failed"), HasSubstr("exit status 3"),
            EndsWith("\n\n  broken [external_program_failed]")));
    EXPECT_THAT(read_with(sh("kill -9 $$")),
        AllOf(HasSubstr("signal: Killed"), EndsWith("  (nothing) [external_program_failed]")));
    EXPECT_THAT(read_with(texts({"no-such-program-anywhere"})), EndsWith("[external_program_not_found]"));
    EXPECT_THAT(read_with(texts({"/nonexistent/program"})), EndsWith("[external_program_not_started]"));
    EXPECT_THAT(read_with(texts({""})), EndsWith("[external_program_missing]"));
    EXPECT_THAT(read_with(sh("true")), HasSubstr("it printed nothing"));
    EXPECT_THAT(read_with(sh("echo '[]'")), HasSubstr("it printed an array"));
    EXPECT_THAT(read_with(sh("echo '{\"a\":1}'")), HasSubstr("the value of \"a\" is a number"));
    EXPECT_THAT(read_with(sh("echo '{'")), EndsWith("[external_result_invalid]"));
}

TEST(ExternalData, WithholdsVariablesOfTheEnvironment)
{
    ::setenv("TF_VAR_secret", "s3cret", 1);
    ::setenv("TF_VAR_plain", "plain", 1);
    value const program = sh("echo \"{\\\"s\\\":\\\"$TF_VAR_secret\\\",\\\"p\\\":\\\"$TF_VAR_plain\\\"}\"");

    auto const all = read_data("external", {{"program", program}});
    auto const fewer = read_data("external", {{"program", program}}, {"TF_VAR_secret"});
    ::unsetenv("TF_VAR_secret");
    ::unsetenv("TF_VAR_plain");

    EXPECT_EQ(result_of(all, "s"), "s3cret");
    EXPECT_EQ(result_of(fewer, "s"), "");
    EXPECT_EQ(result_of(fewer, "p"), "plain");
}

TEST(ExternalData, StopsAProgramThatPrintsForever)
{
    EXPECT_THAT(read_data("external", {{"program", texts({"yes"})}}).error(), EndsWith("[external_output_too_long]"));
}

TEST(ExternalData, LimitsTheShownPartOfStandardError)
{
    auto const error =
        read_data("external", {{"program", sh("head -c 40000000 /dev/zero | tr '\\0' x >&2; exit 3")}}).error();

    EXPECT_THAT(error, HasSubstr("exit status 3"));
    EXPECT_LT(error.size(), std::size_t{17} << 20U);
}

TEST(HttpData, ReturnsTheResponseOfAServer)
{
    asked got;
    http_server const server([&](asked const& q) {
        got = q;
        return answer{418, "short", {{"X-thing", "1"}, {"content-type", "text/plain"}}};
    });

    auto const read = read_data("http",
        {{"url", text(server.url() + "/pot?tea")}, {"method", text("POST")}, {"request_body", text("ask")},
            {"request_headers", pairs({{"Accept", text("text/*")}})}});

    ASSERT_EQ(read.error(), "");
    EXPECT_EQ(number_at(*read, "status_code"), 418);
    EXPECT_EQ(text_at(*read, "response_body"), "short");
    EXPECT_EQ(warnings_about("http", *read), "");
    EXPECT_EQ(text_at(*read, "body"), "short");
    EXPECT_EQ(text_at(*read, "response_body_base64"), "c2hvcnQ=");
    EXPECT_EQ(text_at(at(*read, "response_headers"), "X-Thing"), "1");
    EXPECT_EQ(text_at(*read, "id"), server.url() + "/pot?tea");
    EXPECT_EQ(got.body, "ask");
    EXPECT_EQ(got.headers["Accept"], "text/*");
}

TEST(HttpData, FollowsRedirectsAndStopsCircularOnes)
{
    http_server const server([](asked const& q) {
        if (q.target == "/a") return answer{302, "", {{"Location", "b"}}};
        if (q.target == "/loop") return answer{301, "", {{"Location", "/loop"}}};
        return answer{200, q.method};
    });

    auto const read = read_data("http", {{"url", text(server.url() + "/a")}, {"method", text("POST")}});
    auto const circle = read_data("http", {{"url", text(server.url() + "/loop")}});
    auto const head = read_data("http", {{"url", text(server.url() + "/x")}, {"method", text("HEAD")}});

    EXPECT_EQ(text_at(*read, "response_body"), "GET");
    EXPECT_THAT(circle.error(), HasSubstr("stopped after 10 redirects"));
    EXPECT_EQ(text_at(*head, "response_body"), "");
    EXPECT_EQ(number_at(*head, "status_code"), 200);
}

TEST(HttpData, RetriesOnlyIfConfigured)
{
    int failures = 2;
    http_server const server([&](asked const&) { return failures-- > 0 ? answer{503} : answer{200, "ok"}; });
    value const retry = value::object({{"attempts", whole(3)}, {"min_delay_ms", whole(1)}, {"max_delay_ms", whole(5)}});

    auto const once = read_data("http", {{"url", text(server.url())}});
    auto const patient = read_data("http", {{"url", text(server.url())}, {"retry", retry}});

    EXPECT_EQ(number_at(*once, "status_code"), 503);
    EXPECT_EQ(text_at(*patient, "response_body"), "ok");
    EXPECT_THAT(server.log(), ElementsAre("GET /", "GET /", "GET /"));
}

TEST(HttpData, ReportsWhyThereIsNoResponse)
{
    http_server const slow([](asked const&) { return answer{.status = 200, .delay_ms = 200}; });
    auto const read_with = [](entries e) { return read_data("http", std::move(e)).error(); };

    EXPECT_THAT(read_with({{"url", text(slow.url())}, {"request_timeout_ms", whole(30)}}),
        AllOf(HasSubstr("no complete response within 30 ms"), EndsWith("[http_request_timed_out]")));
    EXPECT_THAT(read_with({{"url", text(dead_url())}}),
        AllOf(HasSubstr("Connection refused"), EndsWith("[http_request_failed]")));
    EXPECT_THAT(read_with({{"url", text("gopher://a")}}), EndsWith("[http_url_invalid]"));
    EXPECT_THAT(read_with({{"url", text("http://a")}, {"method", text("PUT")}}), EndsWith("[http_method_invalid]"));
    EXPECT_THAT(
        read_with({{"url", text("http://a")}, {"request_timeout_ms", whole(0)}}), EndsWith("[attribute_out_of_range]"));
}

TEST(HttpData, KeepsTheBytesOfABodyThatIsNotText)
{
    http_server const server([](asked const&) { return answer{200, "a\xFFz", {{"X-Name", "\xE9t\xE9"}}}; });

    auto const read = read_data("http", {{"url", text(server.url())}});

    EXPECT_THAT(warnings_about("http", *read), EndsWith("[http_body_not_utf8]"));
    EXPECT_EQ(text_at(*read, "response_body_base64"), "Yf96");
    EXPECT_EQ(text_at(*read, "response_body"), "a\xEF\xBF\xBDz");
    EXPECT_EQ(text_at(at(*read, "response_headers"), "X-Name"), "\xEF\xBF\xBDt\xEF\xBF\xBD");
}

constexpr char const* some_state =
    R"({"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","resources":[],)"
    R"("outputs":{"a":{"value":["x"],"type":["list","string"]}}})";

TEST(RemoteStateData, RejectsStatesThatAreNotText)
{
    http_server const server([](asked const&) {
        return answer{200, "{\"version\":4,\"outputs\":{\"a\":{\"value\":\"\xFF\",\"type\":\"string\"}}}"};
    });

    auto const found = read_data("terraform_remote_state",
        {{"backend", text("http")}, {"config", value::object({{"address", text(server.url())}})}});

    EXPECT_THAT(found.error(), EndsWith("[state_file_not_json]"));
}

TEST(RemoteStateData, ReadsOutputsOverHttp)
{
    asked got;
    http_server const server([&](asked const& q) {
        got = q;
        if (q.target == "/none") return answer{404};
        if (q.target == "/secret") return answer{401};
        return answer{200, some_state};
    });
    auto const read_with = [&](std::string_view path, entries more = {}, std::string_view workspace = {}) {
        more.push_back({"address", text(server.url() + std::string(path))});
        return read_data("terraform_remote_state",
            {{"backend", text("http")}, {"config", value::object(std::move(more))},
                {"defaults", value::object({{"b", text("default")}})}, {"workspace", text(workspace)}});
    };

    auto const found =
        read_with("/state", {{"username", text("u")}, {"password", text("p")}, {"retry_max", text("0")}});

    ASSERT_EQ(found.error(), "");
    EXPECT_EQ(at(*found, "outputs"), value::object({{"a", texts({"x"})}, {"b", text("default")}}));
    EXPECT_EQ(got.headers["Authorization"], "Basic dTpw");
    EXPECT_THAT(read_with("/none").error(), EndsWith("[remote_state_not_found]"));
    EXPECT_THAT(read_with("/secret").error(), EndsWith("[remote_state_needs_login]"));
    EXPECT_THAT(read_with("/state", {}, "blue").error(), EndsWith("[backend_without_workspaces]"));
    EXPECT_THAT(
        read_with("/state", {{"adress", text("x")}}).error(), EndsWith("[remote_state_config_attribute_unknown]"));
    EXPECT_THAT(
        read_with("/state", {{"retry_max", text("x")}}).error(), EndsWith("[remote_state_config_attribute_wrong]"));
}

TEST(RemoteStateData, ReadsTheStateOfThisProgramBeforeAFileOfTerraform)
{
    scratch_directory const scratch;
    std::string const file = scratch.path("a.tfstate");
    std::ofstream(file) << some_state;
    auto const outputs = [&] {
        auto const found = read_data(
            "terraform_remote_state", {{"backend", text("local")}, {"config", value::object({{"path", text(file)}})}});
        return found.error().empty() ? at(*found, "outputs") : text(found.error());
    };

    EXPECT_EQ(outputs(), value::object({{"a", texts({"x"})}}));

    {
        iacctl::state::sqlite_store store(file + ".iacctl/default", iacctl::state::open_mode::read_write);
        ASSERT_TRUE(store.read_now());
        ASSERT_TRUE(store.begin_generation("apply"));
        infra::snapshot ours;
        ours.outputs["a"] = {infra::document("1"), infra::document("\"number\""), false};
        std::vector const changes{infra::journal_entry::output("a", ours.outputs["a"])};
        ASSERT_TRUE(store.append_now(changes, ours));
        ASSERT_TRUE(store.end_generation("complete"));
    }
    EXPECT_EQ(outputs(), value::object({{"a", whole(1)}}));
}
