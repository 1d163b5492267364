// SPDX-License-Identifier: BSL-1.0
#include "server/run_record.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace iacctl::server::test {
namespace {

auto line(std::string const& type, std::string const& address, std::string const& action) -> json
{
    return *parse_json(
        R"({"type":")" + type + R"(","hook":{"resource":{"addr":")" + address + R"("},"action":")" + action + R"("}})");
}

auto text_of(run_record const& run) -> json
{
    return *parse_json(run.text(run_record::depth::whole));
}

auto count(json const& run, std::string_view name) -> std::uint64_t
{
    return run.at(name).as_natural();
}

TEST(RunRecord, CountsTheOperationsOfItsReports)
{
    run_record run("r", "apply", "ann", 1000, true);
    for (char const* const action : {"create", "replace", "noop"})
        run.note(
            *parse_json(R"({"type":"planned_change","change":{"action":")" + std::string(action) + R"("}})"), 1000);
    run.note(line("apply_start", "a", "create"), 1100);
    run.note(line("apply_start", "b", "delete"), 1200);
    run.note(line("apply_complete", "a", "create"), 1300);
    run.note(line("unknown", "c", "create"), 1300);

    auto const now = text_of(run);
    EXPECT_EQ(count(now, "planned"), 3U) << "a replacement is two operations";
    EXPECT_EQ(count(now, "done"), 1U);
    EXPECT_EQ(count(now, "at_once"), 1U);
    EXPECT_EQ(now.find("ended"), nullptr);
    EXPECT_EQ(now.at("operations").at(std::size_t{1}).text_of("action"), "destroy") << "the word of all views";

    run.note(line("apply_errored", "b", "delete"), 1400);
    run.end(1500, "failed");
    run.end(1600, "complete");

    auto const ended = text_of(run);
    EXPECT_EQ(count(ended, "failed"), 1U);
    EXPECT_EQ(count(ended, "ended"), 1500U);
    EXPECT_EQ(ended.text_of("result"), "failed");
}

TEST(RunRecord, CountsOperationsThatItDoesNotKeep)
{
    run_record run("r", "apply", "ann", 0, false);
    auto const many = run_record::most_operations + 10;
    for (std::size_t i = 0; i < many; ++i) {
        std::string const address = "a[" + std::to_string(i) + "]";
        run.note({run_step::step_type::begun, address, "create", 1});
        run.note({run_step::step_type::done, address, "create", 2});
    }

    auto const whole = text_of(run);
    EXPECT_EQ(count(whole, "done"), many);
    EXPECT_EQ(whole.at("operations").as_elements().size(), run_record::most_operations);
    EXPECT_LT(run.text(run_record::depth::summary).size(), 4000U) << "the summary stays short";
}

TEST(RunRecord, EndsWithTheSummaryOfAnApply)
{
    run_record run("r", "apply", "ann", 0, true);
    run.note(*parse_json(R"({"type":"change_summary","changes":{"add":1,"operation":"plan"}})"), 10);
    EXPECT_FALSE(run.has_ended());

    run.note(*parse_json(R"({"type":"change_summary","changes":{"add":1,"operation":"apply"}})"), 20);

    EXPECT_EQ(text_of(run).text_of("result"), "complete");
}

TEST(RunRecord, GoesOnAfterAnEndThatWasAssumed)
{
    run_record run("r", "apply", "ann", 0, false);
    run.note({run_step::step_type::begun, "a", "update", 5});
    run.assume_end(10, "interrupted");
    EXPECT_TRUE(run.has_ended());

    run.note({run_step::step_type::done, "a", "update", 20});
    EXPECT_FALSE(run.has_ended());
    run.end(30, "complete");
    run.note({run_step::step_type::begun, "b", "update", 40});

    EXPECT_TRUE(run.has_ended()) << "a reported end is one";
    EXPECT_EQ(text_of(run).text_of("result"), "complete");
}

TEST(RunRecord, KnowsTheObjectsThatItHasChanged)
{
    run_record run("r", "apply", "ann", 0, true);
    run.note(line("apply_start", "a", "create"), 10);
    EXPECT_FALSE(run.has_done("a")) << "it runs";
    run.note(line("apply_complete", "a", "create"), 20);
    run.note(line("apply_errored", "b", "create"), 20);

    EXPECT_TRUE(run.has_done("a"));
    EXPECT_FALSE(run.has_done("b")) << "it failed";
    EXPECT_TRUE(run.went_on_at(1'000'000)) << "it has no end yet";
    run.end(500, "failed");
    EXPECT_TRUE(run.went_on_at(60'500));
    EXPECT_FALSE(run.went_on_at(60'501));
    EXPECT_FALSE(run.went_on_at(-60'001));
    EXPECT_EQ(parse_json(run.text(run_record::depth::counts))->find("operations"), nullptr);
}

TEST(RunRecord, KeepsAnEndWithoutABegin)
{
    run_record run("r", "apply", "ann", 0, false);
    run.note({run_step::step_type::failed, "a", "update", 5});

    auto const now = text_of(run);
    EXPECT_EQ(count(now, "failed"), 1U);
    EXPECT_TRUE(now.at("operations").at(std::size_t{0}).at("failed").as_flag());
}

}  // namespace
}  // namespace iacctl::server::test
