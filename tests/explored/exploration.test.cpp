// SPDX-License-Identifier: BSL-1.0
// The exploration of small programs whose executions are known.
#include <support/exploration.hpp>
#include <support/explored_memory.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using enum std::memory_order;

// Variables and plain data of one execution, and what its threads read. The latter is outside of the area.
struct shared_words {
    explored_atomic<int> x{0};
    explored_atomic<int> y{0};
    int plain = 0;
};
using explored_body = std::function<void(shared_words&)>;
using outcome = std::array<int, 4>;

struct outcomes {
    outcome now{};
    std::set<outcome> all;
    search_result result;
};

void explore(outcomes& found, std::vector<explored_body> const& bodies, search_bounds bounds = {})
{
    found.result = exploration::run(
        bounds,
        [&] {
            auto const words = std::make_shared<shared_words>();
            for (std::size_t i = 0; i < bodies.size(); ++i)
                exploration::start([words, &body = bodies[i]] { body(*words); });
        },
        [&] { found.all.insert(std::exchange(found.now, {})); });
}

[[nodiscard]] auto store_buffering(std::memory_order store, std::memory_order load, bool has_fences = false) -> outcomes
{
    outcomes found;
    explore(found,
        {[&](shared_words& w) {
             w.x.store(1, store);
             if (has_fences) exploration::fence(seq_cst);
             found.now[0] = w.y.load(load);
         },
            [&](shared_words& w) {
                w.y.store(1, store);
                if (has_fences) exploration::fence(seq_cst);
                found.now[1] = w.x.load(load);
            }});
    return found;
}

TEST(Exploration, BuffersStoresUnlessTheyAreSequentiallyConsistent)
{
    auto const ordered = store_buffering(seq_cst, seq_cst);
    auto const fenced = store_buffering(relaxed, relaxed, true);
    auto const buffered = store_buffering(release, acquire);

    std::set<outcome> const in_sequence{{0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(ordered.all, in_sequence);
    EXPECT_EQ(fenced.all, in_sequence);
    EXPECT_EQ(ordered.result.executions, 3U);
    EXPECT_EQ(buffered.all.size(), 4U);
    EXPECT_EQ(buffered.result.executions, 4U);
}

[[nodiscard]] auto message_passing(std::memory_order store, std::memory_order load) -> outcomes
{
    outcomes found;
    explore(found,
        {[&](shared_words& w) {
             w.x.store(1, relaxed);
             w.y.store(1, store);
         },
            [&](shared_words& w) {
                found.now[0] = w.y.load(load);
                found.now[1] = w.x.load(relaxed);
            }});
    return found;
}

TEST(Exploration, ReadsStaleValuesUnlessAnAcquireReadsARelease)
{
    outcome const is_stale{1, 0};

    EXPECT_FALSE(message_passing(release, acquire).all.contains(is_stale));
    EXPECT_TRUE(message_passing(relaxed, acquire).all.contains(is_stale));
    EXPECT_TRUE(message_passing(release, relaxed).all.contains(is_stale));
}

TEST(Exploration, OrdersByFencesAsByReleaseAndAcquire)
{
    outcomes found;

    explore(found,
        {[&](shared_words& w) {
             w.x.store(1, relaxed);
             exploration::fence(release);
             w.y.store(1, relaxed);
         },
            [&](shared_words& w) {
                found.now[0] = w.y.load(relaxed);
                exploration::fence(acquire);
                found.now[1] = w.x.load(relaxed);
            }});

    EXPECT_EQ(found.all, (std::set<outcome>{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Exploration, ContinuesAReleaseSequenceByModificationsOnly)
{
    auto const passed_on = [](bool by_modification) {
        outcomes found;
        explore(found,
            {[&](shared_words& w) {
                 w.x.store(1, relaxed);
                 w.y.store(1, release);
                 if (!by_modification) w.y.store(2, relaxed);
             },
                [&](shared_words& w) {
                    if (by_modification) w.y.fetch_add(1, relaxed);
                },
                [&](shared_words& w) {
                    found.now[0] = w.y.load(acquire);
                    found.now[1] = w.x.load(relaxed);
                }});
        return found.all.contains({2, 0});
    };

    EXPECT_FALSE(passed_on(true));
    EXPECT_TRUE(passed_on(false));
}

[[nodiscard]] auto independent_reads(std::memory_order load) -> std::set<outcome>
{
    outcomes found;
    explore(found,
        {[&](shared_words& w) { w.x.store(1, seq_cst); }, [&](shared_words& w) { w.y.store(1, seq_cst); },
            [&](shared_words& w) {
                found.now[0] = w.x.load(load);
                found.now[1] = w.y.load(load);
            },
            [&](shared_words& w) {
                found.now[2] = w.y.load(load);
                found.now[3] = w.x.load(load);
            }});
    return found.all;
}

TEST(Exploration, LetsReadersDisagreeOnIndependentWritesUnlessTheyAreSequentiallyConsistent)
{
    outcome const disagree{1, 0, 1, 0};

    EXPECT_TRUE(independent_reads(acquire).contains(disagree));
    EXPECT_EQ(independent_reads(acquire).size(), 16U);
    EXPECT_EQ(independent_reads(seq_cst).size(), 15U);
    EXPECT_FALSE(independent_reads(seq_cst).contains(disagree));
}

TEST(Exploration, PlacesStoresOfTwoVariablesInOrdersThatNoScheduleHas)
{
    outcomes found;

    explore(found,
        {[&](shared_words& w) {
             w.x.store(1, relaxed);
             w.y.store(2, relaxed);
         },
            [&](shared_words& w) {
                w.y.store(1, relaxed);
                w.x.store(2, relaxed);
            },
            [&](shared_words& w) {
                found.now[0] = w.x.load(relaxed);
                found.now[1] = w.x.load(relaxed);
            },
            [&](shared_words& w) {
                found.now[2] = w.y.load(relaxed);
                found.now[3] = w.y.load(relaxed);
            }});

    EXPECT_TRUE(found.all.contains({2, 1, 2, 1}));
}

// The model has no load that reads a value which depends on the load.
TEST(Exploration, DoesNotBufferLoads)
{
    outcomes found;

    explore(found,
        {[&](shared_words& w) {
             found.now[0] = w.x.load(relaxed);
             w.y.store(1, relaxed);
         },
            [&](shared_words& w) {
                found.now[1] = w.y.load(relaxed);
                w.x.store(1, relaxed);
            }});

    EXPECT_EQ(found.all, (std::set<outcome>{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(Exploration, KeepsLoadsOfOneVariableCoherent)
{
    outcomes found;

    explore(found,
        {[&](shared_words& w) {
             w.x.store(1, relaxed);
             w.x.store(2, relaxed);
         },
            [&](shared_words& w) {
                found.now[0] = w.x.load(relaxed);
                found.now[1] = w.x.load(relaxed);
            }});

    EXPECT_EQ(found.all, (std::set<outcome>{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
    EXPECT_EQ(found.result.executions, 6U);
}

TEST(Exploration, MakesEachOrderOfModificationsOnce)
{
    std::vector<std::uint64_t> executions;

    for (std::size_t threads = 1; threads <= 5; ++threads) {
        outcomes found;
        explore(found, std::vector<explored_body>(threads, [](shared_words& w) { w.x.fetch_add(1, relaxed); }));
        executions.push_back(found.result.executions);
    }

    EXPECT_EQ(executions, (std::vector<std::uint64_t>{1, 2, 6, 24, 120}));
}

TEST(Exploration, LetsOneCompareExchangeSucceed)
{
    outcomes found;
    auto const take = [&](std::size_t me) {
        return [&found, me](shared_words& w) {
            int expected = 0;
            found.now[me] = w.x.compare_exchange_strong(expected, 1, relaxed) ? 1 : 0;
        };
    };

    explore(found, {take(0), take(1), take(2)});

    EXPECT_EQ(found.all, (std::set<outcome>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
}

[[nodiscard]] auto petersons_lock(std::memory_order order) -> search_result
{
    outcomes found;
    struct lock {
        std::array<explored_atomic<bool>, 2> wants;
        explored_atomic<int> turn{0};
        int inside = 0;
    };
    return exploration::run({}, [order] {
        auto const l = std::make_shared<lock>();
        for (std::size_t me = 0; me < 2; ++me)
            exploration::start([l, me, order] {
                l->wants[me].store(true, order);
                l->turn.store(static_cast<int>(1 - me), order);
                if (l->wants[1 - me].load(order) && l->turn.load(order) != static_cast<int>(me)) return;  // would wait
                ++l->inside;
                l->wants[me].store(false, order);
            });
    });
}

TEST(Exploration, FindsThatPetersonsLockNeedsSequentialConsistency)
{
    EXPECT_EQ(petersons_lock(seq_cst).violation, "");
    EXPECT_TRUE(petersons_lock(acq_rel).violation.starts_with("a data race"));
}

[[nodiscard]] auto plain_message(std::memory_order store, std::memory_order load) -> std::string
{
    outcomes found;
    explore(found,
        {[store](shared_words& w) {
             w.plain = 1;
             w.x.store(1, store);
         },
            [load](shared_words& w) {
                if (w.x.load(load) != 0) exploration::require(w.plain == 1, "the message is there");
            }});
    return found.result.violation;
}

TEST(Exploration, FindsDataRaces)
{
    EXPECT_EQ(plain_message(release, acquire), "");
    EXPECT_TRUE(plain_message(relaxed, acquire).starts_with("a data race"));
    EXPECT_TRUE(plain_message(release, relaxed).starts_with("a data race"));
}

TEST(Exploration, FindsTheUseOfFreedMemory)
{
    outcomes found;
    auto const free_in_two = [&](std::memory_order order) {
        explore(found, {[order](shared_words& w) {
            auto* const left = new int(1);
            exploration::start([left, &w, order] {
                *left = 2;
                w.x.store(1, order);
            });
            while (w.x.load(acquire) == 0) {}
            delete left;
        }});
        return found.result.violation;
    };

    EXPECT_NE(free_in_two(relaxed), "");
    outcomes late;
    explore(late, {[](shared_words& w) {
        auto const left = std::make_unique<int>(1);
        exploration::start([use = left.get(), &w] { w.plain = *use; });
    }});
    EXPECT_NE(late.result.violation, "");
}

TEST(Exploration, FindsALostNotification)
{
    auto const sleep = [](bool notifies) {
        outcomes found;
        explore(found,
            {[](shared_words& w) { w.x.wait(0, acquire); },
                [notifies](shared_words& w) {
                    w.x.store(1, release);
                    if (notifies) w.x.notify_one();
                }});
        return found.result.violation;
    };

    EXPECT_EQ(sleep(true), "");
    EXPECT_EQ(sleep(false), "a waiting thread is not notified");
}

// The waker looks whether anyone sleeps, the sleeper looks whether there is work: both must be sequentially consistent.
TEST(Exploration, FindsALostWakeUp)
{
    auto const sleep = [](std::memory_order order) {
        struct room {
            explored_atomic<bool> has_work{false};
            explored_atomic<bool> sleeps{false};
            explored_atomic<bool> is_woken{false};
        };
        return exploration::run({}, [order] {
            auto const r = std::make_shared<room>();
            exploration::start([r, order] {
                r->sleeps.store(true, order);
                if (r->has_work.load(order)) return;
                r->is_woken.wait(false, order);
            });
            exploration::start([r, order] {
                r->has_work.store(true, order);
                if (!r->sleeps.load(order)) return;
                r->is_woken.store(true, order);
                r->is_woken.notify_one();
            });
        });
    };

    EXPECT_EQ(sleep(seq_cst).violation, "");
    EXPECT_EQ(sleep(relaxed).violation, "all threads wait, and work is left");
}

TEST(Exploration, TreatsALoopThatReadsOneValueAsAThreadThatWaits)
{
    outcomes ends;
    outcomes hangs;
    auto const spin = [](shared_words& w) {
        while (w.x.load(acquire) == 0) {}
    };

    explore(ends, {spin, [](shared_words& w) { w.x.store(1, release); }});
    explore(hangs, {spin, [](shared_words& w) { w.y.store(1, release); }});

    EXPECT_EQ(ends.result.violation, "");
    EXPECT_GT(ends.result.executions, 0U);
    EXPECT_EQ(hangs.result.violation, "all threads wait, and work is left");
}

TEST(Exploration, ExcludesThreadsByAMutex)
{
    struct account {
        explored_mutex mutex;
        int sum = 0;
    };
    int sum = 0;

    auto const result = exploration::run(
        {},
        [&sum] {
            auto const shared = std::make_shared<account>();
            for (int i = 0; i < 3; ++i)
                exploration::start([shared, &sum] {
                    shared->mutex.lock();
                    sum = ++shared->sum;
                    shared->mutex.unlock();
                });
        },
        [&sum] { EXPECT_EQ(sum, 3); });

    EXPECT_EQ(result.violation, "");
    EXPECT_EQ(result.executions, 6U);
}

TEST(Exploration, MakesEachChoice)
{
    std::set<std::size_t> chosen;
    std::size_t last = 0;

    auto const result = exploration::run(
        {}, [&last] { last = 3 * exploration::choose(2) + exploration::choose(3); }, [&] { chosen.insert(last); });

    EXPECT_EQ(result.executions, 6U);
    EXPECT_EQ(chosen, (std::set<std::size_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Exploration, IsNotCompleteBeyondItsBounds)
{
    auto const bounded = [](search_bounds bounds) {
        outcomes found;
        explore(found, std::vector<explored_body>(4, [](shared_words& w) { w.x.fetch_add(1, relaxed); }), bounds);
        return found.result;
    };

    EXPECT_TRUE(bounded({}).is_complete);
    EXPECT_FALSE(bounded({.deviations = 1}).is_complete);
    EXPECT_LT(bounded({.deviations = 1}).executions, 24U);
    EXPECT_FALSE(bounded({.executions = 5}).is_complete);
    EXPECT_EQ(bounded({.executions = 5}).executions, 5U);
}

TEST(Exploration, ReportsAnExceptionThatLeavesAThread)
{
    outcomes found;

    explore(found, {[](shared_words&) { throw std::runtime_error("planned"); }});

    EXPECT_EQ(found.result.violation, "a thread ends with an exception");
}

TEST(Exploration, PlantsWeakerOrders)
{
    EXPECT_EQ(plain_message(release, acquire), "");
    auto& sites = exploration::sites();
    for (access_site& each : sites)
        if (each.order == release && each.operation == "store") each.planted = relaxed;

    std::string const with_fault = plain_message(release, acquire);
    for (access_site& each : sites) each.planted = each.order;

    EXPECT_TRUE(with_fault.starts_with("a data race"));
    EXPECT_EQ(plain_message(release, acquire), "");
}

TEST(Exploration, SeesPlainAccessesOfTheProgram)
{
    EXPECT_TRUE(explored_memory::is_instrumented());
}

}  // namespace
}  // namespace strider::test
