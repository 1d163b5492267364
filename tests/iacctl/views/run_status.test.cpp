// SPDX-License-Identifier: BSL-1.0
#include "views/run_status.hpp"
#include "views/live_display.hpp"
#include "views/progress.hpp"

#include "base/unicode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace iacctl::views;
using namespace std::chrono_literals;
using infra::operation_kind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr run_status::clock::time_point start{};
painter const plain(false);

TEST(RunStatus, ShowsTheLongestOperationsFirstAndCountsAll)
{
    run_status status({3, 0, 1, 0}, start);
    status.started(operation_kind::create, "a.young", start + 5s);
    status.started(operation_kind::update, "a.old", start + 1s);
    status.started(operation_kind::create, "a.gone", start);
    status.ended(operation_kind::create, "a.gone", true);

    EXPECT_THAT(status.lines(start + 70s, {100, 24}, plain, 95s),
        ElementsAre("[======                  ] 1 of 4, 2 running, 1 failed, 1m10s elapsed, about 1m35s left",
            "create 1/3, update 0/1", "  ~  modifying     1m9s  a.old", "  +  creating      1m5s  a.young"));
}

TEST(RunStatus, FitsEveryTerminal)
{
    run_status status({200, 0, 0, 0}, start);
    for (int i = 0; i < 100; ++i)
        status.started(
            operation_kind::create, "module.a_long_name[\"with a key\"].type.name[" + std::to_string(i) + "]", start);

    for (std::size_t columns : {20U, 40U, 80U, 200U})
        for (std::size_t rows : {2U, 6U, 24U, 100U}) {
            auto const lines = status.lines(start + 3s, {columns, rows}, plain, 1000s);
            EXPECT_LE(lines.size(), std::max<std::size_t>(rows / 2, 3));
            EXPECT_THAT(lines.back(), testing::StartsWith("  ... and "));
            for (auto const& line : lines) EXPECT_LT(line.size(), std::max<std::size_t>(columns, 28)) << line;
        }
    EXPECT_THAT(status.lines(start, {60, 24}, plain, {})[1], AllOf(HasSubstr("module.a_"), HasSubstr("type.name[0]")))
        << "both ends of an address stay";
    EXPECT_EQ(status.most_running(), 100);
    EXPECT_THAT(status.lines(start, {100, 24}, plain, 0s)[0], Not(HasSubstr("left"))) << "an estimate of nothing";
}

TEST(RunStatus, CountsTwoColumnsForAWideCharacter)
{
    std::string name = "aws_instance.web[\"";
    for (int i = 0; i < 40; ++i) name += "\u6771";
    run_status status({1, 0, 0, 0}, start);
    status.started(operation_kind::create, name + "-end\"]", start);

    for (std::size_t columns : {40U, 41U, 60U, 80U}) {
        auto const line = status.lines(start, {columns, 24}, plain, {})[1];
        EXPECT_LT(iacctl::column_count(line), columns) << "a line that wraps cannot be erased";
        EXPECT_THAT(line, testing::EndsWith("-end\"]"));
    }
}

TEST(RunStatus, CountsWithoutAPlan)
{
    run_status status({}, start);
    status.started(operation_kind::read, "a.b", start);
    status.started(operation_kind::read, "a.c", start);
    status.ended(operation_kind::read, "a.b", false);

    EXPECT_THAT(status.lines(start + 2s, {80, 24}, plain, {}),
        ElementsAre("1 done, 1 running, 2s elapsed", "  <= reading         2s  a.c"));
}

// A terminal that understands what the display writes: the rows of its screen, without the part that scrolled away.
class screen {
public:
    void write(std::string const& text)
    {
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n') rows_.emplace_back();
            else if (text[i] == '\033') i = escape(text, i);
            else rows_.back() += text[i];
        }
    }
    [[nodiscard]] auto rows() const -> std::vector<std::string> const& { return rows_; }

private:
    auto escape(std::string const& text, std::size_t at) -> std::size_t
    {
        std::size_t const end = text.find_first_of("FJhlm", at);
        if (text[end] == 'F') {
            auto const up = static_cast<std::size_t>(std::stoul(text.substr(at + 2)));
            EXPECT_LT(up, rows_.size());
            above_ = up;
        } else if (text[end] == 'J') rows_.resize(rows_.size() - above_);
        if (text[end] == 'J') {
            rows_.back().clear();
            above_ = 0;
        }
        return end;
    }
    std::vector<std::string> rows_{""};
    std::size_t above_ = 0;
};

TEST(LiveDisplay, KeepsTheLogAndErasesItsOwnLines)
{
    std::ostringstream out;
    {
        live_display display(out,
            {.colour = true,
                .planned = {2, 0, 0, 0},
                .size = [] { return terminal_size{40, 10}; },
                .delay = 0ms,
                .period = 1ms});
        display.started(operation_kind::create, "a.one");
        display.flush();
        EXPECT_THAT(out.str(), HasSubstr("a.one"));
        display.print("first");
        std::this_thread::sleep_for(5ms);
        display.started(operation_kind::create, "a.two");
        display.print("second\n");
        display.flush();
        display.ended(operation_kind::create, "a.one", false);
        display.print("last");
    }
    screen shown;
    shown.write(out.str());
    EXPECT_THAT(shown.rows(), ElementsAre("first", "second", "last", ""));
}

TEST(LiveDisplay, DrawsNothingInAShortRun)
{
    std::ostringstream out;
    {
        live_display display(out, {.size = [] { return terminal_size{}; }, .delay = 1h, .period = 1ms});
        display.started(operation_kind::create, "a.one");
        display.print("a.one: done");
    }
    EXPECT_EQ(out.str(), "a.one: done\n");
}

TEST(LiveDisplay, ErasesLinesThatANarrowerTerminalHasWrapped)
{
    std::ostringstream out;
    std::size_t columns = 60;
    {
        live_display display(out,
            {.planned = {2, 0, 0, 0}, .size = [&] { return terminal_size{columns, 10}; }, .delay = 0ms, .period = 1h});
        display.started(operation_kind::create, std::string(30, 'x'));
        display.flush();
        columns = 30;  // the second line now takes two rows
        display.flush();
        EXPECT_THAT(out.str(), HasSubstr("\033[4F"));
    }
}

TEST(Durations, ShowTheCriticalPathAndTheSlowestOperations)
{
    run_summary const of{75.4, 2, {{operation_kind::create, "a.b", 1.25}, {operation_kind::destroy, "a.c", 70}},
        {{operation_kind::destroy, "a.c", 70}}};

    EXPECT_EQ(durations_block(of),
        "\nDuration: 1m15s, at most 2 at once\n\nCritical path (1m11s)\n      1.2s  create a.b\n     1m10s  destroy "
        "a.c\n"
        "\nSlowest operations (1m10s)\n     1m10s  destroy a.c\n");
    EXPECT_THAT(durations_block({2, 1, std::vector<timed_line>(20), {}}),
        AllOf(HasSubstr("... and 8 more"), Not(HasSubstr("Slowest"))));
}

}  // namespace
