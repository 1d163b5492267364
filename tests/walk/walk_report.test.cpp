// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/walk_report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <concepts>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

namespace strider::test {
namespace {

TEST(VisitOutcome, IsDoneByDefault)
{
    visit_outcome const outcome;

    EXPECT_TRUE(outcome.is_done());
    EXPECT_FALSE(outcome.error());
    EXPECT_EQ(outcome.message(), "");
}

TEST(VisitOutcome, TreatsAnErrorCodeAsFailure)
{
    visit_outcome const failed = error_code(asio::error::timed_out);
    visit_outcome const done = error_code();

    EXPECT_EQ(failed.status(), visit_status::failed);
    EXPECT_EQ(failed.error(), asio::error::timed_out);
    EXPECT_TRUE(done.is_done());
}

TEST(VisitOutcome, NeverFailsWithoutAnError)
{
    auto const by_code = visit_outcome::failure(error_code());
    auto const by_exception = visit_outcome::failure(std::make_exception_ptr(1));

    EXPECT_EQ(by_code.error(), walk_errc::vertex_failed);
    EXPECT_EQ(by_exception.error(), walk_errc::vertex_failed);
}

TEST(VisitOutcome, StoresTheErrorCodeOfAnException)
{
    boost::system::system_error const of_boost(asio::error::connection_reset);
    std::system_error const of_std(std::make_error_code(std::errc::no_space_on_device));

    EXPECT_EQ(visit_outcome::failure(std::make_exception_ptr(of_boost)).error(), asio::error::connection_reset);
    EXPECT_EQ(visit_outcome::failure(std::make_exception_ptr(of_std)).error(), boost::system::errc::no_space_on_device);
}

TEST(VisitOutcome, HasTheMessageOfTheException)
{
    auto const outcome = visit_outcome::failure(std::make_exception_ptr(std::runtime_error("disk is on fire")));

    EXPECT_EQ(outcome.message(), "disk is on fire");
}

TEST(WalkReport, CountsEachStatus)
{
    walk_report const report({visit_outcome::done(), visit_outcome::failure(asio::error::timed_out),
        visit_outcome::skipped(), visit_outcome::cancelled(), visit_outcome::done()});

    EXPECT_EQ(report.size(), 5U);
    EXPECT_EQ(report.done(), 2U);
    EXPECT_EQ(report.failed(), 1U);
    EXPECT_EQ(report.skipped(), 1U);
    EXPECT_EQ(report.cancelled(), 1U);
    EXPECT_THAT(report.root_causes(), testing::ElementsAre(vertex_id(1)));
}

TEST(WalkReport, ReportsAFailureRatherThanACancellation)
{
    walk_report const both({visit_outcome::cancelled(), visit_outcome::failure(asio::error::timed_out)});
    walk_report const cancelled({visit_outcome::cancelled(), visit_outcome::done()});
    walk_report const skipped({visit_outcome::skipped()});

    EXPECT_EQ(both.error(), walk_errc::vertex_failed);
    EXPECT_EQ(cancelled.error(), walk_errc::cancelled);
    EXPECT_FALSE(skipped.error());
}

TEST(WalkReport, GivesItsContentByValueIfItIsTemporary)
{
    auto const ended = [] {
        return walk_report(
            {visit_outcome::done(), visit_outcome::failure(std::make_exception_ptr(std::runtime_error("x")))});
    };

    std::size_t entries = 0;
    for (auto const& [v, outcome] : ended().not_done()) entries += v.index() == 1 && outcome.message() == "x" ? 1U : 0U;
    auto const& outcome = ended()[vertex_id(1)];

    EXPECT_EQ(entries, 1U);
    EXPECT_EQ(outcome.message(), "x");
    static_assert(std::same_as<decltype(ended()[vertex_id(1)]), visit_outcome>);
    static_assert(std::same_as<decltype(ended()[vertex_id(1)].exception()), std::exception_ptr>);
    static_assert(std::same_as<decltype(ended().exception()), std::exception_ptr>);
}

TEST(VisitOutcome, OfAnExceptionWithACodeOfSuccessHasAnError)
{
    auto const thrown = std::make_exception_ptr(boost::system::system_error(error_code()));
    auto const of_std = std::make_exception_ptr(std::system_error(std::error_code()));

    EXPECT_EQ(visit_outcome::failure(thrown).error(), walk_errc::vertex_failed);
    EXPECT_EQ(visit_outcome::failure(of_std).error(), walk_errc::vertex_failed);
    EXPECT_EQ(visit_outcome::failure(thrown).exception(), thrown);
}

TEST(VisitOutcome, HasAMessageOnlyIfItIsNotDone)
{
    struct hint final : boost::system::error_category {
        [[nodiscard]] auto name() const noexcept -> char const* override { return "hint"; }
        [[nodiscard]] auto message(int) const -> std::string override { return "nothing to do"; }
        [[nodiscard]] auto failed(int) const noexcept -> bool override { return false; }
    };
    static hint const hints;

    visit_outcome const done = error_code(1, hints);

    EXPECT_TRUE(done.is_done());
    EXPECT_EQ(done.message(), "");
    EXPECT_EQ(visit_outcome::skipped().message(), "");
    EXPECT_EQ(visit_outcome::failure(walk_errc::stalled).message(), "the walk stalled: the graph is inconsistent");
    EXPECT_EQ(visit_outcome::cancelled(walk_errc::timed_out).message(), "the timeout of the walk passed");
}

TEST(VisitOutcome, HasAMessageForAnExceptionOfUnknownType)
{
    auto const outcome = visit_outcome::failure(std::make_exception_ptr(1));

    EXPECT_EQ(outcome.message(), "an exception of unknown type");
}

TEST(WalkErrc, HasAMessageForEachValue)
{
    auto const message = [](walk_errc code) { return make_error_code(code).message(); };

    EXPECT_EQ(message(walk_errc::vertex_failed), "a vertex failed");
    EXPECT_EQ(message(walk_errc::cancelled), "the walk was cancelled");
    EXPECT_EQ(message(walk_errc::stalled), "the walk stalled: the graph is inconsistent");
    EXPECT_EQ(message(walk_errc::abandoned), "a visit was abandoned: its handle was destroyed without a call");
    EXPECT_EQ(message(walk_errc::policy_threw), "a policy of the walk threw an exception");
    EXPECT_EQ(message(walk_errc::part_failed), "a vertex that the visit added failed");
    EXPECT_EQ(message(walk_errc::timed_out), "the timeout of the walk passed");
    EXPECT_EQ(message(walk_errc::context_destroyed), "the context of the executor was destroyed during the walk");
    EXPECT_EQ(walk_category().message(99), "unknown error of a walk");
    EXPECT_EQ(std::string(walk_category().name()), "strider.walk");
}

TEST(WalkErrc, IsEquivalentToTheConditionsOfTheStandardForCancellationAndTimeout)
{
    EXPECT_EQ(make_error_code(walk_errc::cancelled), boost::system::errc::operation_canceled);
    EXPECT_EQ(make_error_code(walk_errc::timed_out), boost::system::errc::timed_out);
    EXPECT_EQ(make_error_code(walk_errc::stalled).default_error_condition(),
        boost::system::error_condition(static_cast<int>(walk_errc::stalled), walk_category()));
}

TEST(VisitStatus, HasAName)
{
    EXPECT_EQ(to_string(visit_status::done), "done");
    EXPECT_EQ(to_string(visit_status::failed), "failed");
    EXPECT_EQ(to_string(visit_status::skipped), "skipped");
    EXPECT_EQ(to_string(visit_status::cancelled), "cancelled");
}

TEST(WalkReport, CountsUnchangedVertices)
{
    walk_report const report(
        {visit_outcome::unchanged(), visit_outcome::done(), visit_outcome::unchanged(), visit_outcome::skipped()});

    EXPECT_EQ(report.unchanged(), 2U);
    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(report.not_done().size(), 3U);
    EXPECT_TRUE(report[vertex_id(2)].is_unchanged());
    EXPECT_FALSE(report[vertex_id(1)].is_unchanged());
}

TEST(WalkReport, DoesNotNameVerticesAsCausesThatFailedForTheirParts)
{
    walk_report const report({visit_outcome::failure(walk_errc::part_failed), visit_outcome::done(),
        visit_outcome::failure(asio::error::timed_out)});

    EXPECT_THAT(report.root_causes(), testing::ElementsAre(vertex_id(2)));
    EXPECT_EQ(report.failed(), 2U);
}

}  // namespace
}  // namespace strider::test
