// SPDX-License-Identifier: BSL-1.0
#include <remote/simulated_cluster.hpp>
#include <support/counting_allocator.hpp>

#include <boost/asio/bind_allocator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace strider::remote::test {
namespace {

using testing::HasSubstr;

TEST(Coordinator, RunsAnActionOnAWorkerAndReturnsItsResult)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");

    ending const& end = cluster.start(request<std::string>("say hello", "key-1"));
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, error_code());
    EXPECT_EQ(end.end.result, "hello");
    EXPECT_EQ(*end.end.worker, "w1");
    EXPECT_EQ(end.end.attempts, 1U);
    ASSERT_EQ(cluster.around.effects.size(), 1U);
    EXPECT_EQ(cluster.around.effects[0].key, "key-1");
    EXPECT_EQ(cluster.around.effects[0].token, end.end.fencing_token);
}

TEST(Coordinator, ReportsTheTextOfAFailure)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");

    ending const& end = cluster.start({"fail the disk is full"});
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.error, make_error_code(remote_errc::action_failed));
    EXPECT_EQ(end.end.message, "the disk is full");
    EXPECT_THAT(visit_error(end.error, end.end).what(), HasSubstr("worker w1: the disk is full"));
}

TEST(Coordinator, WaitsForAWorkerThatConnectsLater)
{
    simulated_cluster cluster;

    ending const& end = cluster.start({"say late"});
    cluster.world.run_for(seconds(3));
    int const before = end.calls;
    cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(before, 0);
    EXPECT_EQ(end.end.result, "late");
}

TEST(Coordinator, FailsAVisitThatNoWorkerAccepts)
{
    simulated_cluster cluster;
    cluster.add_worker("w1", 1, {"linux"});

    ending const& end = cluster.start(request<std::string>("say x", "", {"windows"}));
    cluster.world.run_for(seconds(19));
    int const before = end.calls;
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(before, 0);
    EXPECT_EQ(end.error, make_error_code(remote_errc::no_worker));
    EXPECT_EQ(end.end.worker, nullptr);
}

TEST(Coordinator, PlacesVisitsByLabelsAndDoesNotLetOneLabelBlockAnother)
{
    simulated_cluster cluster;
    cluster.add_worker("plain");
    cluster.add_worker("gpu", 1, {"gpu", "linux"});

    for (int i = 0; i < 5; ++i) cluster.start(request<std::string>("sleep 1000", "heavy", {"linux", "gpu", "gpu"}));
    ending const& free = cluster.start({"say free"});
    cluster.world.run_for(milliseconds(500));

    EXPECT_EQ(free.end.result, "free");
    EXPECT_EQ(*free.end.worker, "plain");
    ASSERT_EQ(cluster.around.effects.size(), 2U);
    for (effect const& e : cluster.around.effects) EXPECT_EQ(e.worker, e.key == "heavy" ? "gpu" : "plain");
}

TEST(Coordinator, SendsNoMoreThanTheSlotsOfAWorkerAndUsesAllOfThem)
{
    simulated_cluster cluster;
    cluster.add_worker("w1", 3);

    for (int i = 0; i < 30; ++i) cluster.start({"sleep 100"});
    cluster.world.run_for(milliseconds(350));
    auto const started = cluster.around.effects.size();
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(cluster.around.most_running, 3);
    EXPECT_GE(started, 9U);
    EXPECT_LE(started, 12U);
    for (auto const& end : cluster.endings) EXPECT_EQ(end->end.result, "slept");
}

TEST(Coordinator, SpreadsVisitsOverWorkersByTheirSlots)
{
    simulated_cluster cluster;
    cluster.add_worker("small", 1);
    cluster.add_worker("big", 3);
    cluster.world.run_for(milliseconds(100));

    for (int i = 0; i < 40; ++i) cluster.start({"sleep 100"});
    cluster.world.run_for(seconds(3));

    auto const on_small = std::count_if(cluster.around.effects.begin(), cluster.around.effects.end(),
        [](effect const& e) { return e.worker == "small"; });
    EXPECT_EQ(cluster.around.effects.size(), 40U);
    EXPECT_NEAR(static_cast<double>(on_small), 10, 2);
}

TEST(Coordinator, CompletesAVisitThatNeverFitsAFrame)
{
    auto options = quick_options();
    options.max_frame_size = max_hello_size;
    simulated_cluster cluster(0, options);
    cluster.add_worker("w1");

    ending const& action = cluster.start({std::string(max_hello_size, 'x')});
    ending const& result = cluster.start({"large 20000"});
    ending const& after = cluster.start({"large 16000"});
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(action.error, make_error_code(remote_errc::message_too_large));
    EXPECT_EQ(result.error, make_error_code(remote_errc::message_too_large));
    EXPECT_EQ(after.error, error_code());
    EXPECT_EQ(after.end.result->size(), 16000U);
}

TEST(Coordinator, ReportsAnActionThatTheWorkerCannotDecode)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");

    ending const& end = cluster.start({"garbage"});
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.error, make_error_code(remote_errc::malformed_action));
    EXPECT_TRUE(cluster.around.effects.empty());
}

TEST(Coordinator, RejectsAWorkerOfAnotherApplicationOrWithoutTheCredential)
{
    auto options = quick_options();
    options.application = "build 1";
    options.credential = "open sesame";
    simulated_cluster cluster(0, options);
    worker_options other;
    other.name = "other";
    other.application = "build 2";
    other.credential = "open sesame";
    worker_options thief = other;
    thief.name = "thief";
    thief.application = "build 1";
    thief.credential = "open barley";
    worker_options right = thief;
    right.name = "right";
    right.credential = "open sesame";

    auto& first = cluster.add_worker(other);
    auto& second = cluster.add_worker(thief);
    auto& third = cluster.add_worker(right);
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(first.session, make_error_code(remote_errc::wrong_application));
    EXPECT_EQ(second.session, make_error_code(remote_errc::not_authorized));
    EXPECT_EQ(third.session, std::nullopt);
    EXPECT_EQ(cluster.logged("thief rejected: " + make_error_code(remote_errc::not_authorized).message()), 1);
}

TEST(Coordinator, KeepsAnIdleSessionByHeartbeats)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");

    cluster.world.run_for(std::chrono::minutes(2));

    EXPECT_EQ(w.session, std::nullopt);
    EXPECT_EQ(cluster.logged("w1 joined"), 1);
}

TEST(Coordinator, DetectsASilentPeerOnBothSides)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    cluster.net.partition("coordinator", "w1");
    cluster.world.run_for(milliseconds(800));

    EXPECT_EQ(w.session, make_error_code(remote_errc::timed_out));
    EXPECT_EQ(cluster.logged("w1 left: " + make_error_code(remote_errc::timed_out).message()), 1);
}

TEST(Coordinator, DetectsAHalfOpenConnection)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    cluster.net.block("w1", "coordinator");
    cluster.world.run_for(seconds(2));

    EXPECT_EQ(cluster.logged("w1 left: " + make_error_code(remote_errc::timed_out).message()), 1);
    EXPECT_TRUE(w.session.has_value());
}

TEST(Coordinator, RunsAnIdempotentActionOnAnotherWorkerWhenItsWorkerDies)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");
    cluster.world.run_for(milliseconds(100));

    ending const& end = cluster.start(idempotent("sleep 1000", "key-1"));
    cluster.world.run_for(milliseconds(200));
    cluster.add_worker("w2");
    cluster.net.crash("w1");
    cluster.world.run_for(seconds(3));

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.end.result, "slept");
    EXPECT_EQ(end.end.attempts, 2U);
    ASSERT_EQ(cluster.around.effects.size(), 2U);
    EXPECT_EQ(cluster.around.effects[1].key, "key-1");
    EXPECT_EQ(cluster.around.effects[1].worker, "w2");
    EXPECT_GT(cluster.around.effects[1].token, cluster.around.effects[0].token);
    EXPECT_GT(cluster.around.effects[1].epoch, cluster.around.effects[0].epoch);
    EXPECT_EQ(cluster.logged("w1 repeated: " + make_error_code(remote_errc::outcome_unknown).message()), 1);
}

TEST(Coordinator, ReportsAnUnknownOutcomeOfAnActionThatIsNotIdempotent)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");
    cluster.add_worker("w2");
    cluster.world.run_for(milliseconds(100));

    ending const& end = cluster.start({"sleep 1000"});
    cluster.world.run_for(milliseconds(200));
    cluster.net.crash(cluster.around.effects.at(0).worker);
    cluster.world.run_for(seconds(3));

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, make_error_code(remote_errc::outcome_unknown));
    EXPECT_EQ(cluster.around.effects.size(), 1U);
}

TEST(Coordinator, StopsTryingAfterTheAttemptsThatThePolicyPermits)
{
    simulated_cluster cluster;
    cluster.around.on_effect = [&](effect const& e) {
        asio::post(cluster.world.get_executor(), [&cluster, name = e.worker] { cluster.net.crash(name); });
    };
    for (int i = 0; i < 10; ++i) cluster.add_worker("w" + std::to_string(i));

    ending const& end = cluster.start(idempotent("sleep 100"));
    cluster.world.run_for(seconds(10));

    EXPECT_EQ(end.error, make_error_code(remote_errc::outcome_unknown));
    EXPECT_EQ(end.end.attempts, 5U);
    EXPECT_EQ(cluster.around.effects.size(), 5U);
}

TEST(Coordinator, RejectsTheLateReplyOfAWorkerThatWasLost)
{
    simulated_cluster cluster;
    auto& cut_off = cluster.add_worker("w1");
    cluster.world.run_for(milliseconds(100));
    ending const& end = cluster.start(idempotent("stubborn 2000", "key-1"));
    cluster.world.run_for(milliseconds(200));

    cluster.net.partition("coordinator", "w1");
    cluster.add_worker("w2");
    cluster.world.run_for(milliseconds(1000));
    cluster.net.heal("coordinator", "w1");
    cluster.connect(cut_off);
    cluster.world.run_for(milliseconds(1200));
    int const calls_after_late_answer = end.calls;
    auto const refused = cluster.logged("w1 refused");
    cluster.world.run_for(seconds(3));

    EXPECT_EQ(calls_after_late_answer, 0);
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(*end.end.worker, "w2");
}

TEST(Coordinator, CancelsAVisitThatWaitsWithoutSendingIt)
{
    simulated_cluster cluster;
    asio::cancellation_signal signal;

    ending const& end = cluster.start({"say x"}, signal.slot());
    cluster.world.run_for(milliseconds(10));
    signal.emit(asio::cancellation_type::total);
    cluster.world.run_for(milliseconds(10));
    cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, asio::error::operation_aborted);
    EXPECT_TRUE(cluster.around.effects.empty());
}

TEST(Coordinator, CancelsTheActionOnItsWorker)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");
    asio::cancellation_signal signal;

    ending const& end = cluster.start({"sleep 60000"}, signal.slot());
    cluster.world.run_for(milliseconds(100));
    signal.emit(asio::cancellation_type::total);
    cluster.world.run_for(milliseconds(100));
    int const after_total = end.calls;
    signal.emit(asio::cancellation_type::terminal);
    cluster.world.run_for(milliseconds(100));

    EXPECT_EQ(after_total, 0);
    EXPECT_EQ(end.error, asio::error::operation_aborted);
    EXPECT_EQ(cluster.around.running["w1"], 0);
}

TEST(Coordinator, StoresTheResultOfAnActionThatCompletesDespiteItsCancellation)
{
    simulated_cluster cluster;
    cluster.add_worker("w1");
    asio::cancellation_signal signal;

    ending const& end = cluster.start({"stubborn 500"}, signal.slot());
    cluster.world.run_for(milliseconds(100));
    signal.emit(asio::cancellation_type::terminal);
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.error, error_code());
    EXPECT_EQ(end.end.result, "slept");
}

TEST(Coordinator, DrainsAndSaysGoodbye)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");
    ending const& running = cluster.start({"sleep 1000"});
    ending const& waiting = cluster.start({"sleep 1000"});
    cluster.world.run_for(milliseconds(100));
    std::optional<error_code> drained;

    cluster.coordinator->async_drain([&](error_code error) { drained = error; });
    cluster.world.run_for(milliseconds(100));
    ending const& late = cluster.start({"say late"});
    cluster.world.run_for(milliseconds(100));
    auto const early = drained;
    cluster.world.run_for(seconds(3));

    EXPECT_EQ(early, std::nullopt);
    EXPECT_EQ(late.error, make_error_code(remote_errc::draining));
    EXPECT_EQ(running.end.result, "slept");
    EXPECT_EQ(waiting.end.result, "slept");
    EXPECT_EQ(drained, error_code());
    EXPECT_EQ(w.session, error_code());
    EXPECT_EQ(cluster.world.run(), 0U) << "something still waits";
}

TEST(Coordinator, CompletesADrainAfterItWasClosed)
{
    simulated_cluster cluster;
    cluster.coordinator->close();
    cluster.world.run_for(milliseconds(100));
    std::optional<error_code> drained;
    cluster.coordinator->async_drain([&](error_code error) { drained = error; });
    cluster.world.run_for(milliseconds(100));

    EXPECT_EQ(drained, error_code(asio::error::operation_aborted));
    EXPECT_EQ(cluster.world.run(), 0U) << "something still waits";
}

TEST(Coordinator, CompletesEverythingWhenItIsDestroyed)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");
    ending const& sent = cluster.start({"sleep 1000"});
    ending const& again = cluster.start(idempotent("sleep 1000"));
    cluster.world.run_for(milliseconds(100));

    cluster.coordinator.reset();
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(sent.error, make_error_code(remote_errc::outcome_unknown));
    EXPECT_EQ(again.error, asio::error::operation_aborted);
    EXPECT_TRUE(w.session.has_value());
    EXPECT_EQ(cluster.around.running["w1"], 0);
    EXPECT_EQ(cluster.world.run(), 0U) << "something still waits";
}

TEST(Coordinator, SurvivesTheDestructionOfItsContextWithVisitsInEveryState)
{
    for (int steps = 0; steps < 400; steps += 7) {
        simulated_cluster cluster(1);
        cluster.add_worker("w1");
        for (int i = 0; i < 3; ++i) cluster.start(idempotent("sleep 10"));
        for (int i = 0; i < steps; ++i) cluster.world.run_one();
    }
}

TEST(Coordinator, KeepsAVisitInTheAllocatorOfItsHandlerAndReleasesItBeforeTheCall)
{
    simulated_cluster cluster;
    auto const counts = std::make_shared<strider::test::allocation_counts>();
    std::ptrdiff_t alive_in_handler = -1;

    cluster.coordinator->async_run(std::string("say x"),
        asio::bind_allocator(strider::test::counting_allocator<char>(counts),
            [&](error_code, reply<std::string> const&) { alive_in_handler = counts->alive; }));
    std::ptrdiff_t const waiting = counts->alive;
    cluster.add_worker("w1");
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(waiting, 1);
    EXPECT_EQ(alive_in_handler, 0);
}

TEST(Worker, ReturnsVisitsThatHaveNotStartedWhenItDrains)
{
    auto options = quick_options();
    options.prefetch_time = seconds(10);
    simulated_cluster cluster(0, options);
    auto& w = cluster.add_worker("w1");
    cluster.start({"sleep 100"});
    cluster.world.run_for(milliseconds(300));
    for (int i = 0; i < 10; ++i) cluster.start({"sleep 500"});
    cluster.world.run_for(milliseconds(200));

    w.worker->drain();
    cluster.world.run_for(milliseconds(100));
    cluster.add_worker("w2");
    cluster.world.run_for(seconds(20));

    EXPECT_EQ(w.session, error_code());
    EXPECT_EQ(cluster.around.effects.size(), 11U);
    std::set<std::string> keys;
    for (effect const& e : cluster.around.effects) keys.insert(e.key);
    EXPECT_EQ(keys.size(), 11U);
    for (auto const& end : cluster.endings) EXPECT_EQ(end->end.result, "slept");
    EXPECT_EQ(cluster.endings.back()->end.attempts, 1U);
}

TEST(Worker, ServesOneCoordinatorAtATime)
{
    simulated_cluster cluster;
    auto& w = cluster.add_worker("w1");
    cluster.world.run_for(milliseconds(100));
    std::optional<error_code> second;

    auto [here, there] = cluster.net.connect("elsewhere", "w1");
    w.worker->async_serve(std::move(there), [&](error_code error) { second = error; });
    cluster.world.run_for(milliseconds(100));

    EXPECT_EQ(second, asio::error::already_connected);
    EXPECT_EQ(w.session, std::nullopt);
}

TEST(Worker, LeavesACoordinatorThatDoesNotAnswerTheHandshake)
{
    simulated_cluster cluster;
    cluster.net.partition("coordinator", "w1");

    auto& w = cluster.add_worker("w1");
    cluster.world.run_for(seconds(10));

    EXPECT_EQ(w.session, make_error_code(remote_errc::timed_out));
}

TEST(Worker, CanBeDrainedByCancellationOfItsSession)
{
    simulated_cluster cluster;
    simulated_worker worker(cluster.world.get_executor(), script(cluster.around, "w1"), {.name = "w1"});
    auto [here, there] = cluster.net.connect("coordinator", "w1");
    asio::cancellation_signal signal;
    std::optional<error_code> served;
    cluster.coordinator->async_session(std::move(here), [](error_code) {});
    worker.async_serve(
        std::move(there), asio::bind_cancellation_slot(signal.slot(), [&](error_code error) { served = error; }));
    ending const& end = cluster.start({"sleep 300"});
    cluster.world.run_for(milliseconds(100));

    signal.emit(asio::cancellation_type::partial);
    cluster.world.run_for(seconds(1));

    EXPECT_EQ(end.end.result, "slept");
    EXPECT_EQ(served, error_code());
}

TEST(Visitor, VisitsAGraphOnWorkersAndReceivesResults)
{
    simulated_cluster cluster;
    cluster.add_worker("w1", 2);
    cluster.add_worker("w2", 2);
    digraph<std::string> draft;
    auto const a = draft.add_vertex("say a"), b = draft.add_vertex("say b"), bad = draft.add_vertex("fail at once");
    auto const top = draft.add_vertex("say top"), never = draft.add_vertex("say never");
    draft.add_edge(top, depends_on(a));
    draft.add_edge(top, depends_on(b));
    draft.add_edge(never, depends_on(bad));
    auto const graph = freeze(std::move(draft)).value();
    std::vector<std::string> results;
    std::optional<walk_report> report;

    auto const make = [](vertex_id, std::string const& action) { return action; };
    auto const receive = [&](vertex_id, reply<std::string> end) { results.push_back(*end.result); };
    cluster.walk(graph, make, receive, 0, [&](walk_report r) { report = std::move(r); });
    cluster.world.run_for(seconds(2));

    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->done(), 3U);
    EXPECT_EQ(report->failed(), 1U);
    EXPECT_EQ(report->skipped(), 1U);
    EXPECT_THAT(results, testing::UnorderedElementsAre("a", "b", "top"));
    EXPECT_EQ(results.back(), "top");
    EXPECT_THAT((*report)[report->root_causes().at(0)].message(), HasSubstr("at once"));
}

TEST(Visitor, PassesTerminalCancellationOfTheWalkToWorkers)
{
    simulated_cluster cluster;
    cluster.add_worker("w1", 2);
    digraph<std::string> draft;
    draft.add_vertex("sleep 60000");
    draft.add_vertex("sleep 60000");
    draft.add_vertex("say waits");
    auto const graph = freeze(std::move(draft)).value();
    asio::cancellation_signal signal;
    std::optional<walk_report> report;

    auto const make = [](vertex_id, std::string const& action) { return action; };
    auto const ignore = [](vertex_id, reply<std::string> const&) {};
    cluster.walk(graph, make, ignore, 0, [&](walk_report r) { report = std::move(r); }, signal.slot());
    cluster.world.run_for(milliseconds(300));
    signal.emit(asio::cancellation_type::terminal);
    cluster.world.run_for(milliseconds(300));

    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->cancelled(), 3U);
    EXPECT_EQ(cluster.around.running["w1"], 0);
}

}  // namespace
}  // namespace strider::remote::test
