// SPDX-License-Identifier: BSL-1.0
#include "views/progress.hpp"

#include "language/values/value.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace views = iacctl::views;
using namespace std::chrono_literals;
using iacctl::language::mark;
using iacctl::language::value;
using strider::infra::operation_kind;

}  // namespace

TEST(Progress, ReportsStartAndEndOfEachOperation)
{
    views::progress_subject const fresh = {"t.a", "", {}};
    views::progress_subject const made = {"t.a", "", {"id", "7"}};
    views::progress_subject const deposed = {"t.a", "0a1b2c3d", {"id", "7"}};

    EXPECT_EQ(views::refreshing_line(made), "t.a: Refreshing state... [id=7]");
    EXPECT_EQ(views::started_line(operation_kind::create, fresh), "t.a: Creating...");
    EXPECT_EQ(views::finished_line(operation_kind::create, made, 0s), "t.a: Creation complete after 0s [id=7]");
    EXPECT_EQ(views::started_line(operation_kind::update, made), "t.a: Modifying... [id=7]");
    EXPECT_EQ(views::finished_line(operation_kind::update, made, 3s), "t.a: Modifications complete after 3s [id=7]");
    EXPECT_EQ(
        views::started_line(operation_kind::destroy, deposed), "t.a (deposed object 0a1b2c3d): Destroying... [id=7]");
    EXPECT_EQ(views::finished_line(operation_kind::destroy, deposed, 61s), "t.a: Destruction complete after 1m1s");
    EXPECT_EQ(views::started_line(operation_kind::read, fresh), "t.a: Reading...");
    EXPECT_EQ(views::finished_line(operation_kind::read, fresh, 0s), "t.a: Read complete after 0s");
    EXPECT_EQ(views::running_line(operation_kind::create, fresh, 10s), "t.a: Still creating... [10s elapsed]");
    EXPECT_EQ(
        views::running_line(operation_kind::destroy, made, 1h + 5s), "t.a: Still destroying... [id=7, 1h0m5s elapsed]");
}

TEST(Progress, ShowsLinesOfProvisionersUnderTheirName)
{
    EXPECT_EQ(views::provisioning_line("t.a", "local-exec"), "t.a: Provisioning with 'local-exec'...");
    EXPECT_EQ(views::provisioner_output("t.a", "local-exec", "one \n\r\n\ntwo"),
        "t.a (local-exec): one\nt.a (local-exec): two");
    EXPECT_EQ(views::provisioner_output("t.a", "local-exec", "\n"), "");
}

TEST(Progress, ShowsNoControlCharactersOfProviders)
{
    views::progress_subject of{"t.a", "", {"id", "7\x1b[2J\nt.b: Creation complete"}};

    EXPECT_EQ(views::finished_line(strider::infra::operation_kind::create, of, std::chrono::seconds(1)),
        "t.a: Creation complete after 1s [id=7\\x1b[2J\\nt.b: Creation complete]");
    EXPECT_EQ(views::action_line("t.a", "50%\x1b[1A"), "t.a: 50%\\x1b[1A");
    EXPECT_EQ(views::importing_line("t.a", "https://u:s3cret@h/1"), "t.a: Importing... [id=https://***@h/1]");
    EXPECT_EQ(
        views::provisioner_output("t.a", "local-exec", "\x1b[32mok\x1b[0m\x1b[2J\n"), "t.a (local-exec): ok\\x1b[2J");
    EXPECT_NE(
        views::provisioner_output("t.a", "local-exec", "\x1b[32mok\n", views::painter(true)).find("\x1b[32mok\x1b[0m"),
        std::string::npos);
}

TEST(Progress, NamesAnObjectByAValueThatIsNotSensitive)
{
    auto const tags = value::object({{"name", value("tagged")}});

    EXPECT_EQ(views::label_of(value::object({{"id", value("7")}, {"name", value("n")}})).text, "7");
    EXPECT_EQ(
        views::label_of(value::object({{"id", value("7").with_marks(mark::sensitive)}, {"name", value("n")}})).key,
        "name");
    EXPECT_EQ(views::label_of(value::object({{"id", value::unknown()}, {"tags", tags}})).key, "tags.name");
    EXPECT_EQ(views::label_of(value()).key, "");
}

TEST(Progress, SummarizesTheChanges)
{
    EXPECT_EQ(views::apply_summary({1, 2, 3, 0}), "\nApply complete! Resources: 1 added, 2 changed, 3 destroyed.\n");
    EXPECT_EQ(views::apply_summary({1, 2, 3, 4}),
        "\nApply complete! Resources: 4 imported, 1 added, 2 changed, 3 destroyed.\n");
    EXPECT_EQ(views::applied_text({1, 0, 0, 0, 2, 3}),
        "Apply complete! Resources: 1 added, 0 changed, 0 destroyed, 3 forgotten. Actions: 2 invoked.");
    EXPECT_EQ(views::destroy_summary({0, 0, 3, 0}), "\nDestroy complete! Resources: 3 destroyed.\n");
    EXPECT_EQ(views::outputs_block({{"a", value("x"), false}}), "\nOutputs:\n\na = \"x\"\n");
    EXPECT_EQ(views::outputs_block({}), "");
}

TEST(ProgressPrinter, DoesNotMixLinesOfThreads)
{
    std::ostringstream out;
    views::progress_printer printer(out, false);

    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&printer, t] {
            views::progress_subject const subject = {
                "t.a[" + std::to_string(t) + "]", "", {"id", std::string(50, 'x')}};
            for (int i = 0; i < 200; ++i) printer.finished(operation_kind::create, subject, 0s);
        });
    for (auto& thread : threads) thread.join();

    printer.flush();
    std::istringstream lines(out.str());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_THAT(line, testing::MatchesRegex("t\\.a\\[[0-3]\\]: Creation complete after 0s \\[id=x*\\]"));
    EXPECT_EQ(count, 800U);
}

TEST(ProgressPrinter, WritesNothingForEmptyOutput)
{
    std::ostringstream out;
    views::progress_printer printer(out, false);

    printer.finished(operation_kind::update, {"t.a", "", {}}, 0s);
    printer.finished(operation_kind::destroy, {"t.a", "", {}}, 0s);
    printer.finished(operation_kind::read, {"t.a", "", {}}, 0s);
    printer.imported("t.b", "7");
    printer.provisioner_wrote("t.a", "local-exec", "\n");

    printer.flush();
    auto const text = out.str();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(ProgressPrinter, WritesLinesInOrderAtTheEnd)
{
    std::ostringstream out;
    {
        views::progress_printer printer(out, false);
        printer.refreshing({"t.a", "", {}});
        printer.print("now");
        EXPECT_TRUE(out.str().ends_with("now\n"));
        printer.refreshing({"t.b", "", {}});
    }
    EXPECT_LT(out.str().find("t.a: "), out.str().find("now\n"));
    EXPECT_LT(out.str().find("now\n"), out.str().find("t.b: "));
}
