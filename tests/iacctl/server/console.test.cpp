// SPDX-License-Identifier: BSL-1.0
// The console without sockets: what it observes and when, and what it makes of reports.
#include "server/console.hpp"

#include "support.hpp"

#include "cli/telemetry/progress_report.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::server::test {
namespace {

using state::document_store;
using telemetry::report_line;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t minute = 60'000;

// A state with a VPC for each name.
auto state_with(std::int64_t serial, std::vector<std::string> const& names) -> std::string
{
    json_array resources;
    for (std::string const& name : names)
        resources.raw(R"({"mode":"managed","type":"aws_vpc","name":")" + name
            + R"(","provider":"provider[\"registry.terraform.io/hashicorp/aws\"]","instances":[{"schema_version":0,)"
            + R"("attributes":{"id":"vpc"}}]})");
    return R"({"version":4,"terraform_version":"1.11.4","serial":)" + std::to_string(serial)
        + R"(,"lineage":"L","outputs":{},"resources":)" + resources.done() + R"(,"check_results":null})";
}

auto addresses_of(json const& run) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (json const& one : run.at("operations").as_elements())
        all.push_back(one.text_of("action") + " " + one.text_of("address"));
    return all;
}

// A source whose observations are those of the test.
class scripted_source final : public state_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string const& override { return name_; }
    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "scripted"; }
    [[nodiscard]] auto thread() noexcept -> state::store_thread& override { return thread_; }
    [[nodiscard]] auto is_shared() const noexcept -> bool override { return false; }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override { return std::vector{name_}; }
    [[nodiscard]] auto observe(std::string const& /*workspace*/, observation_depth depth)
        -> expected<std::optional<workspace_overview>> override
    {
        if (may_read.valid()) may_read.wait();
        depths.push_back(depth);
        workspace_overview made = next;
        made.is_behind = depth == observation_depth::surface;
        return std::optional(std::move(made));
    }
    [[nodiscard]] auto history(std::string const& /*workspace*/) -> expected<std::vector<state_version>> override
    {
        return std::vector<state_version>();
    }
    [[nodiscard]] auto content(std::string const& /*workspace*/, std::optional<std::int64_t> /*version*/)
        -> expected<std::optional<infra::snapshot>> override
    {
        return std::optional<infra::snapshot>();
    }
    [[nodiscard]] auto release(std::string const& /*workspace*/, std::string const& /*id*/) -> expected<bool> override
    {
        return false;
    }

    workspace_overview next;
    std::vector<observation_depth> depths;
    std::shared_future<void> may_read;  // not valid: at once

private:
    std::string name_ = "a";
    state::store_thread thread_;
};

class Console : public testing::Test {
protected:
    template <class T>
    auto result_of(state::task<T> work) -> T
    {
        context.restart();
        auto made = boost::asio::co_spawn(context, std::move(work), boost::asio::use_future);
        context.run();
        return made.get();
    }
    auto get(console& shown, std::string const& path) -> json
    {
        reply const got = result_of(shown.respond({"GET", "/console/api/" + path, {}, {}, {"ann"}}, false));
        EXPECT_EQ(got.status, 200U) << got.body;
        return *parse_json(got.body);
    }
    auto workspace(console& shown) -> json { return get(shown, "workspaces").at("workspaces").at(std::size_t{0}); }
    void report(console& shown, std::string const& target, std::string const& lines)
    {
        reply const got = result_of(shown.report({"POST", "/reports/" + target, {}, lines, {"ann"}}));
        EXPECT_EQ(got.status, 200U) << got.body;
    }
    void observe(console& shown, state_source& source, std::string const& name)
    {
        result_of(shown.observe(source, name));
    }
    [[nodiscard]] auto console_of(state_source& source) -> std::unique_ptr<console>
    {
        return std::make_unique<console>(
            std::vector<state_source*>{&source}, known,
            [](infra::failure const& why) { ADD_FAILURE() << why.why().front().detail; }, [this] { return now; });
    }

    std::int64_t now = std::int64_t{1'800'000'000} * 1000;
    std::shared_ptr<providers::catalog const> known =
        std::make_shared<providers::catalog const>(std::span<std::shared_ptr<providers::provider_source> const>());
    boost::asio::io_context context;
};

class ConsoleOfDocuments : public Console {
protected:
    // The requests of a client, each followed by the observation that the server makes.
    void put(std::string const& text, std::string const& lock)
    {
        auto const header = state::document_header::read(text);
        ASSERT_EQ(store->put("a", text, *header, lock, "ann")->of, document_store::verdict::done);
        observe(*shown, *source, "a");
    }
    void lock(std::string const& id)
    {
        ASSERT_TRUE(store->lock("a", id, R"({"ID":")" + id + R"(","Operation":"OperationTypeApply"})", "ann"));
        observe(*shown, *source, "a");
    }
    void unlock(std::string const& id)
    {
        ASSERT_TRUE(store->unlock("a", id));
        observe(*shown, *source, "a");
    }

    state::test::temporary_directory directory;
    std::shared_ptr<document_store> store = std::make_shared<document_store>(*document_store::open(directory.path()));
    state::store_thread thread;
    std::unique_ptr<state_source> source = make_document_source(store, thread);
    std::unique_ptr<console> shown = console_of(*source);
};

TEST_F(Console, ReadsNoContentWhileNobodyLooks)
{
    scripted_source source;
    auto const shown = console_of(source);

    observe(*shown, source, "a");
    observe(*shown, source, "a");

    EXPECT_THAT(source.depths, Each(observation_depth::surface));
    source.depths.clear();
    (void)workspace(*shown);
    EXPECT_THAT(source.depths, ElementsAre(observation_depth::content)) << "who asks gets everything";
    source.depths.clear();
    console::viewer const viewer(*shown);
    observe(*shown, source, "a");
    EXPECT_THAT(source.depths, ElementsAre(observation_depth::content)) << "a page is open";
}

TEST_F(Console, FollowsAViewerThatComesLater)
{
    scripted_source source;
    auto const shown = console_of(source);
    source.next.resources = 3;
    observe(*shown, source, "a");
    source.depths.clear();

    context.restart();
    boost::asio::co_spawn(context, shown->watch(source), [](std::exception_ptr const&) {});
    context.run_for(std::chrono::milliseconds(100));
    EXPECT_THAT(source.depths, ElementsAre(observation_depth::surface)) << "once at the begin, without a viewer";
    console::viewer viewer(*shown);
    (void)viewer.next();
    context.run_for(std::chrono::milliseconds(200));

    EXPECT_EQ(source.depths.back(), observation_depth::content);
    shown->stop();
    context.run();
}

TEST_F(Console, ShowsWorkspacesBeforeItHasReadThem)
{
    scripted_source source;
    source.next.resources = 3;
    std::promise<void> permission;
    source.may_read = permission.get_future().share();
    auto const shown = console_of(source);
    console::viewer viewer(*shown);

    context.restart();
    boost::asio::co_spawn(context, shown->watch(source), [](std::exception_ptr const&) {});
    context.run_for(std::chrono::milliseconds(100));
    EXPECT_THAT(viewer.next(), HasSubstr(R"("name":"a","locks":[],"unread":true)"));
    permission.set_value();
    context.run_for(std::chrono::milliseconds(200));

    auto const later = viewer.next();
    EXPECT_THAT(later, HasSubstr(R"("resources":3)"));
    EXPECT_THAT(later, Not(HasSubstr("unread")));
    shown->stop();
    context.run();
}

TEST_F(ConsoleOfDocuments, FindsTheVersionThatLastChangedAnObject)
{
    now = now_ms();
    put(state_with(1, {"old"}), "");
    put(state_with(2, {"old", "new"}), "");
    put(state_with(3, {"old", "new", "other"}), "");
    report(*shown, "states/a?run=r1",
        R"({"type":"apply_complete","hook":{"resource":{"addr":"aws_vpc.new"},"action":"create"}})");

    auto const made = get(*shown, "change/states/a?address=aws_vpc.new");
    auto const oldest = get(*shown, "change/states/a?address=aws_vpc.old");

    EXPECT_EQ(made.at("version").at("serial").as_natural(), 2U);
    EXPECT_EQ(made.text_of("action"), "create");
    EXPECT_EQ(made.at("before"), get(*shown, "history/states/a").at("versions").at(std::size_t{2}).at("version"));
    EXPECT_EQ(made.text_of("run"), "r1");
    EXPECT_EQ(oldest.at("version").at("serial").as_natural(), 1U) << "the oldest version has it already";
    EXPECT_EQ(oldest.find("action"), nullptr);
    EXPECT_EQ(oldest.find("run"), nullptr);
    auto const none =
        result_of(shown->respond({"GET", "/console/api/change/states/a?address=aws_vpc.none", {}, {}, {"ann"}}, false));
    EXPECT_EQ(none.status, 404U);
}

TEST_F(ConsoleOfDocuments, FindsTheOperationsOfARunThatNobodyHasWatched)
{
    put(state_with(1, {"old", "kept"}), "");
    lock("one");
    put(state_with(2, {"kept", "new"}), "one");
    put(state_with(3, {"kept", "new", "newer"}), "one");
    unlock("one");
    put(state_with(4, {"kept", "new", "newer", "other"}), "");

    auto const run = get(*shown, "run/states/a");

    EXPECT_THAT(addresses_of(run), ElementsAre("create aws_vpc.new", "destroy aws_vpc.old", "create aws_vpc.newer"))
        << "the last write does not belong to the run";
    EXPECT_NE(run.find("ended"), nullptr);
    auto const now_known = workspace(*shown);
    EXPECT_EQ(now_known.at("resources").as_natural(), 4U);
    EXPECT_EQ(now_known.at("last").at("serial").as_natural(), 4U);
    EXPECT_EQ(get(*shown, "run/states/a"), run) << "nothing is counted twice";
}

TEST_F(ConsoleOfDocuments, ShowsTheSameToAViewerAndToWhoComesLater)
{
    auto const play = [&] {
        put(state_with(1, {"old"}), "");
        lock("one");
        put(state_with(2, {"old", "new"}), "one");
        put(state_with(3, {"new"}), "one");
    };
    std::optional<console::viewer> viewer(std::in_place, *shown);
    play();
    auto const live = addresses_of(get(*shown, "run/states/a"));
    viewer.reset();
    unlock("one");
    ASSERT_TRUE(store->remove("a", "", "ann"));
    observe(*shown, *source, "a");
    put(state_with(1, {"old"}), "");
    lock("two");
    put(state_with(2, {"old", "new"}), "two");
    put(state_with(3, {"new"}), "two");

    EXPECT_THAT(live, ElementsAre("create aws_vpc.new", "destroy aws_vpc.old"));
    EXPECT_EQ(addresses_of(get(*shown, "run/states/a")), live);
}

TEST_F(ConsoleOfDocuments, ComparesTheLastWritesOfALongRun)
{
    lock("one");
    std::vector<std::string> names;
    for (int i = 0; i < 50; ++i) {
        names.push_back("v" + std::to_string(i));
        put(state_with(i + 1, names), "one");
    }

    auto const run = get(*shown, "run/states/a");

    EXPECT_EQ(run.at("done").as_natural(), 50U);
    EXPECT_EQ(run.text_of("id"), "one");
}

TEST_F(ConsoleOfDocuments, ShowsThatADocumentIsEncryptedOnceSomebodyLooks)
{
    put(R"({"serial":1,"lineage":"L","meta":{},"encrypted_data":"AAAA","encryption_version":"v0"})", "");

    EXPECT_EQ(get(*shown, "search?q=x").find("unreadable"), nullptr);
    EXPECT_TRUE(workspace(*shown).at("sealed").as_flag());
}

TEST_F(Console, ReopensARunThatItTookForInterrupted)
{
    scripted_source source;
    auto const shown = console_of(source);
    observe(*shown, source, "a");
    report(*shown, "a/a?run=r", R"({"type":"apply_start","hook":{"resource":{"addr":"x.one"},"action":"create"}})");
    now += 11 * minute;
    observe(*shown, source, "a");
    ASSERT_EQ(get(*shown, "run/a/a").text_of("result"), "interrupted");

    report(*shown, "a/a?run=r", R"({"type":"apply_complete","hook":{"resource":{"addr":"x.one"},"action":"create"}})");

    auto const run = get(*shown, "run/a/a");
    EXPECT_EQ(run.find("ended"), nullptr);
    EXPECT_EQ(run.text_of("result"), "");
    EXPECT_EQ(run.at("done").as_natural(), 1U);
    now += 1000;
    report(*shown, "a/a?run=r&end=complete", "");
    auto const ended = get(*shown, "run/a/a");
    EXPECT_EQ(ended.text_of("result"), "complete");
    EXPECT_EQ(ended.at("ended").as_integer(), now);
}

TEST_F(Console, ReplacesAnAssumedEndByTheReportedOne)
{
    scripted_source source;
    auto const shown = console_of(source);
    report(*shown, "a/a?run=r", R"({"type":"version"})");
    now += 11 * minute;
    observe(*shown, source, "a");
    ASSERT_EQ(get(*shown, "run/a/a").text_of("result"), "interrupted");
    now += minute;

    report(*shown, "a/a?run=r&end=failed", "");

    auto const run = get(*shown, "run/a/a");
    EXPECT_EQ(run.text_of("result"), "failed");
    EXPECT_EQ(run.at("ended").as_integer(), now);
}

TEST_F(Console, ReopensAnObservedRunWithItsNextStep)
{
    scripted_source source;
    auto const shown = console_of(source);
    observed_run seen;
    seen.id = "7";
    seen.operation = "apply";
    seen.ended = now;
    seen.result = "interrupted";
    seen.end_is_assumed = true;
    source.next.run = seen;
    observe(*shown, source, "a");
    ASSERT_EQ(get(*shown, "run/a/a").text_of("result"), "interrupted");

    seen.ended.reset();
    seen.result.clear();
    seen.end_is_assumed = false;
    seen.steps = {{run_step::step_type::begun, "x.one", "create", now}};
    source.next.run = seen;
    observe(*shown, source, "a");

    auto const run = get(*shown, "run/a/a");
    EXPECT_EQ(run.find("ended"), nullptr);
    EXPECT_EQ(run.at("at_once").as_natural(), 1U);
}

TEST_F(Console, NamesTheOperationOfAReport)
{
    scripted_source source;
    auto const shown = console_of(source);
    report(*shown, "a/a?run=r1", R"({"type":"version"})");
    EXPECT_EQ(get(*shown, "run/a/a").text_of("operation"), "apply") << "scripts of Terraform name none";

    report(*shown, "a/a?run=r1&operation=destroy", R"({"type":"version"})");
    EXPECT_EQ(get(*shown, "run/a/a").text_of("operation"), "destroy") << "a saved plan tells it later";

    report(*shown, "a/a?run=r2&operation=destroy", R"({"type":"version"})");
    EXPECT_EQ(get(*shown, "run/a/a").text_of("operation"), "destroy");
    report(*shown, "a/a?run=r3", R"({"type":"change_summary","changes":{"remove":1,"operation":"destroy"}})");
    EXPECT_EQ(get(*shown, "run/a/a").text_of("operation"), "destroy") << "the line of Terraform";
    report(*shown, "a/a?run=r4&operation=" + std::string(5000, 'x'), R"({"type":"version"})");
    EXPECT_LT(get(*shown, "run/a/a").text_of("operation").size(), 200U);
}

TEST_F(Console, KeepsRunsThatAlternateByTheirIds)
{
    scripted_source source;
    auto const shown = console_of(source);
    auto const done = [](std::string const& address) {
        return R"({"type":"apply_complete","hook":{"resource":{"addr":")" + address + R"("},"action":"create"}})";
    };
    for (int i = 0; i < 3; ++i) {
        report(*shown, "a/a?run=one&part=" + std::to_string(i + 1), done("x.one[" + std::to_string(i) + "]"));
        report(*shown, "a/a?run=two&part=" + std::to_string(i + 1), done("x.two[" + std::to_string(i) + "]"));
    }
    report(*shown, "a/a?run=one&part=4&end=complete", "");

    EXPECT_EQ(get(*shown, "run/a/a?id=one").at("done").as_natural(), 3U);
    EXPECT_EQ(get(*shown, "run/a/a?id=one").text_of("result"), "complete");
    EXPECT_EQ(get(*shown, "run/a/a").text_of("id"), "two") << "the last that has begun";
    EXPECT_EQ(get(*shown, "run/a/a?id=two").find("ended"), nullptr);
    auto const known_of = workspace(*shown);
    EXPECT_EQ(known_of.at("run").text_of("id"), "two");
    EXPECT_EQ(known_of.at("other_runs").at(std::size_t{0}).text_of("id"), "one");
    EXPECT_EQ(result_of(shown->respond({"GET", "/console/api/run/a/a?id=x", {}, {}, {"ann"}}, false)).status, 404U);
}

TEST_F(Console, KnowsThatAReportingCommandIsTheOneThatItSees)
{
    scripted_source source;
    auto const shown = console_of(source);
    source.next.run.emplace();
    source.next.run->id = "lock";
    observe(*shown, source, "a");
    ASSERT_EQ(workspace(*shown).at("run").text_of("id"), "lock");

    report(*shown, "a/a?run=r", R"({"type":"version"})");
    observe(*shown, source, "a");

    EXPECT_EQ(workspace(*shown).at("run").text_of("id"), "r");
    EXPECT_EQ(workspace(*shown).find("other_runs"), nullptr);
}

TEST_F(Console, ForgetsTheRunThatEndedFirst)
{
    scripted_source source;
    auto const shown = console_of(source);
    report(*shown, "a/a?run=goes-on", R"({"type":"version"})");
    for (int i = 0; i < 20; ++i) {
        ++now;
        report(*shown, "a/a?run=r" + std::to_string(i) + "&end=complete", R"({"type":"version"})");
    }

    auto const known_of = workspace(*shown);
    EXPECT_EQ(known_of.at("other_runs").as_elements().size(), 7U);
    EXPECT_EQ(get(*shown, "run/a/a?id=goes-on").find("ended"), nullptr);
    EXPECT_EQ(get(*shown, "run/a/a?id=r19").text_of("result"), "complete");
    EXPECT_EQ(result_of(shown->respond({"GET", "/console/api/run/a/a?id=r1", {}, {}, {"ann"}}, false)).status, 404U);
}

TEST_F(Console, IgnoresAPartThatIsRepeated)
{
    scripted_source source;
    auto const shown = console_of(source);
    std::string const line = R"({"type":"apply_complete","hook":{"resource":{"addr":"x.one"},"action":"create"}})";
    report(*shown, "a/a?run=r&part=1", line);
    report(*shown, "a/a?run=r&part=2", line);
    report(*shown, "a/a?run=r&part=2&end=complete", line);

    auto const run = get(*shown, "run/a/a");
    EXPECT_EQ(run.at("done").as_natural(), 2U);
    EXPECT_EQ(run.find("ended"), nullptr);
    report(*shown, "a/a?run=other&part=1", line);
    EXPECT_EQ(get(*shown, "run/a/a").at("done").as_natural(), 1U) << "another run has parts of its own";
    EXPECT_EQ(result_of(shown->report({"POST", "/reports/a/a?run=r&part=x", {}, line, {"ann"}})).status, 400U);
}

TEST(ProgressReport, SendsAgainWhatALostReplyLeavesOpen)
{
    state::test::temporary_directory const directory;
    server_options with;
    with.directory = directory.path() / "states";
    running_server serving(with);
    lossy_relay relay(serving.url());
    std::string const line = R"({"type":"apply_complete","hook":{"resource":{"addr":"x.one"},"action":"create"}})";
    telemetry::progress_report report({relay.url() + "/reports/states/a", {}}, "destroy", {});

    relay.lose_next_reply();
    report.stream() << line << '\n' << std::flush;
    auto const why = report.end(true);

    EXPECT_FALSE(why) << why->detail;
    EXPECT_EQ(relay.lost(), 1);
    auto const got = exchange(
        serving.url(), "GET /console/api/run/states/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(got, HasSubstr("\"done\":1"));
    EXPECT_THAT(got, HasSubstr("\"operation\":\"destroy\""));
    EXPECT_THAT(got, HasSubstr("\"result\":\"complete\""));
}

TEST(ProgressReport, SaysWhyAConsoleRefuses)
{
    state::test::temporary_directory const directory;
    server_options with;
    with.directory = directory.path() / "states";
    running_server serving(with);
    telemetry::progress_report report({serving.url() + "/reports/none/a", {}}, "apply", {});

    report.stream() << "{}\n" << std::flush;
    auto const why = report.end(true);

    ASSERT_TRUE(why);
    EXPECT_THAT(why->detail, HasSubstr("404"));
}

TEST_F(Console, KeepsBoundedTextsOfReports)
{
    scripted_source source;
    auto const shown = console_of(source);
    std::string const huge(900'000, 'x');
    observe(*shown, source, "a");
    for (int i = 0; i < 20; ++i) {
        std::string const address = std::to_string(i) + std::string(300'000, '<');
        report(*shown, "a/a?run=r",
            R"({"type":"apply_start","hook":{"resource":{"addr":")" + address + R"("},"action":")"
                + std::string(500'000, 'a') + "\"}}");
        report(*shown, "a/a?run=r",
            R"({"type":"diagnostic","diagnostic":{"severity":"error","summary":")" + huge + "\"}}");
        report(*shown, "a/a?run=r",
            R"({"type":"diagnostic","diagnostic":{"severity":"error","summary":"s","code":")" + huge + "\"}}");
        report(*shown, "a/a?run=r",
            R"({"type":"diagnostic","diagnostic":{"severity":"error","summary":"s","address":")" + huge + "\"}}");
    }
    report(*shown, "a/a?run=r&end=" + std::string(10'000, 'y'), "");

    std::string event = console::viewer(*shown).next();
    EXPECT_LT(event.size(), 200'000U) << "a page receives it several times per second";
    EXPECT_THAT(event, HasSubstr("\"failed\":0"));
    auto const whole = result_of(shown->respond({"GET", "/console/api/run/a/a", {}, {}, {"ann"}}, false));
    EXPECT_LT(whole.body.size(), 1'000'000U);
    auto const run = *parse_json(whole.body);
    EXPECT_EQ(run.at("problems").as_elements().size(), run_record::most_problems);
    EXPECT_LT(run.at("problems").at(std::size_t{0}).text_of("summary").size(), 9000U);
}

TEST_F(Console, KeepsABoundedDrift)
{
    scripted_source source;
    auto const shown = console_of(source);
    observe(*shown, source, "a");
    json_array objects;
    for (int i = 0; i < 5000; ++i)
        objects.raw(R"({"address":"aws_instance.web[)" + std::to_string(i)
            + R"(]","change":"deleted","attributes":["ami","tags"]})");
    report(*shown, "a/a", R"({"time":"t","drifted":)" + objects.done() + "}");

    auto const drift = workspace(*shown).at("drift");
    auto const count = drift.at("objects").as_elements().size();
    EXPECT_GT(count, 100U);
    EXPECT_EQ(count + drift.at("left_out").as_natural(), 5000U);
    EXPECT_LT(console::viewer(*shown).next().size(), 70'000U);

    json_array names;
    for (int i = 0; i < 3000; ++i) names.text("a" + std::to_string(i));
    names.text(std::string(100'000, 'n'));
    report(*shown, "a/a",
        R"({"time":")" + std::string(50'000, 't') + R"(","left_out":7,"drifted":[{"address":")"
            + std::string(500'000, '<') + R"(","change":")" + std::string(100'000, 'c') + R"(","attributes":)"
            + names.done() + "}]}");

    auto const hostile = workspace(*shown).at("drift");
    auto const& object = hostile.at("objects").at(std::size_t{0});
    EXPECT_LT(object.text_of("address").size(), 1100U);
    EXPECT_EQ(object.text_of("change"), "changed");
    EXPECT_EQ(object.at("attributes").as_elements().size(), 21U);
    EXPECT_EQ(object.at("attributes").at(std::size_t{20}).as_text(), "and 2981 more");
    EXPECT_EQ(hostile.at("left_out").as_natural(), 7U);
    EXPECT_LT(hostile.text_of("time").size(), 200U);
}

TEST(ReportLine, CutsHugeTexts)
{
    std::string const small = "{\"type\":\"apply_start\"}\n";
    EXPECT_EQ(report_line(small), small);
    json_array notes;
    for (int i = 0; i < 100; ++i) notes.text(std::string(10'000, '<'));
    std::string const line = R"({"type":"diagnostic","diagnostic":{"severity":"error","summary":"It failed","detail":")"
        + std::string(2'000'000, 'd') + R"(","snippet":{"values":)" + notes.done() + "}}}\n";

    std::string const made = report_line(line);

    EXPECT_LE(made.size(), 65'536U);
    EXPECT_TRUE(made.ends_with("\n"));
    auto const read = parse_json(made);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->at("diagnostic").text_of("summary"), "It failed");
    EXPECT_THAT(read->at("diagnostic").text_of("detail"), testing::EndsWith("d..."));
}

TEST(ReportLine, LeavesOutLinesThatStayTooLong)
{
    json_object outputs;
    for (int i = 0; i < 10'000; ++i) outputs.text("output_" + std::to_string(i), "value");

    EXPECT_EQ(report_line(R"({"type":"outputs","outputs":)" + outputs.done() + "}\n"), "");
    EXPECT_EQ(report_line(std::string(100'000, 'x')), "") << "no JSON";
}

}  // namespace
}  // namespace iacctl::server::test
