// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace strider::sim::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Recorder : public testing::Test {
protected:
    dag<std::string> g = freeze(strider::test::graph("b: a")).value();
    vertex_id a = strider::test::find(g, "a");
    vertex_id b = strider::test::find(g, "b");
    recorder<dag<std::string>> record{g};

    void visit(vertex_id v)
    {
        record.begin(v);
        record.end(v);
    }
};

TEST_F(Recorder, AcceptsDependenciesFirst)
{
    visit(a);
    visit(b);

    EXPECT_THAT(record.violations(), IsEmpty());
    EXPECT_THAT(record.order(), ElementsAre(a, b));
    EXPECT_EQ(record.peak(), 1U);
}

TEST_F(Recorder, ReportsAVisitBeforeItsDependencyEnded)
{
    record.begin(a);
    record.begin(b);
    record.end(a);
    record.end(b);

    EXPECT_THAT(record.violations(), testing::Contains(HasSubstr("began before its dependency")));
    EXPECT_EQ(record.peak(), 2U);
}

TEST_F(Recorder, ReportsAVisitWhoseDependencyWasNotVisited)
{
    visit(b);

    EXPECT_THAT(record.violations(), testing::Contains(HasSubstr("was not")));
    EXPECT_FALSE(record.visited(a));
}

TEST_F(Recorder, ReportsASecondVisit)
{
    visit(a);
    visit(a);

    EXPECT_THAT(record.violations(), ElementsAre(HasSubstr("was visited 2 times")));
}

TEST_F(Recorder, ReportsAVisitThatNeverEnded)
{
    record.begin(a);

    EXPECT_THAT(record.violations(), ElementsAre(HasSubstr("began and did not end")));
}

TEST_F(Recorder, EndsAVisitThatThrows)
{
    try {
        recorder<dag<std::string>>::visit const guard(record, a);
        throw std::runtime_error("from the visit");
    } catch (std::runtime_error const&) {
        visit(b);
    }

    EXPECT_THAT(record.violations(), IsEmpty());
}

TEST(SeededInterleaving, NamesTheFirstFailingSeed)
{
    testing::internal::CaptureStderr();
    auto const failing =
        seeded_interleaving(0, 10).failing_seed([](manual_context& context) { return context.seed() != 6; });
    std::string const printed = testing::internal::GetCapturedStderr();

    EXPECT_EQ(failing, 6U);
    EXPECT_THAT(printed, HasSubstr("seed 6 failed"));
}

TEST(SeededInterleaving, RunsEverySeedIfNoneFails)
{
    int runs = 0;

    auto const failing = seeded_interleaving(5, 20).failing_seed([&](manual_context&) { return ++runs > 0; });

    EXPECT_EQ(failing, std::nullopt);
    EXPECT_EQ(runs, 20);
}

TEST(SeededInterleaving, PrintsTheSeedOfAnExceptionAndRethrowsIt)
{
    testing::internal::CaptureStderr();
    EXPECT_THROW(
        (void)seeded_interleaving(3, 2).failing_seed([](manual_context&) -> bool { throw std::runtime_error("body"); }),
        std::runtime_error);

    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("seed 3 failed"));
}

TEST_F(Recorder, RecordsAPartOfAGraph)
{
    auto const part = filtered(g, [this](vertex_id v) { return v == b; });
    recorder in_part(part);

    in_part.begin(b);
    in_part.end(b);

    EXPECT_THAT(in_part.order(), ElementsAre(b));
    EXPECT_THAT(in_part.violations(), IsEmpty());
}

}  // namespace
}  // namespace strider::sim::test
