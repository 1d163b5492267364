// SPDX-License-Identifier: BSL-1.0
// The two protocols on which the workers of a walk agree, in every order of their operations with few preemptions.
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/termination_counter.hpp>
#include <strider/walk/detail/stealing/work_deque.hpp>

#include <support/interleavings.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace strider::test {
namespace {

struct stepped_threads {
    template <class T, detail::shared_variable>
    using atomic = stepped<T>;
    static constexpr int worker_spin_rounds = 1;
    static void pause_idle(int) {}
};
using deque = detail::basic_work_deque<stepped_threads>;
using termination = detail::basic_termination_counter<stepped_threads>;
using bodies = std::vector<interleavings::body>;

// The entries that each thread took. Threads of one exploration never run concurrently.
struct deque_world {
    deque offers{2};
    std::vector<std::uint32_t> taken;

    void push(std::uint32_t v)
    {
        if (!offers.push(v)) taken.push_back(v);  // the deque is full: the owner keeps the entry
    }
    void keep(std::uint32_t v)
    {
        if (v != deque::none && v != deque::lost) taken.push_back(v);
    }
};

[[nodiscard]] auto all_taken_once(deque_world& world, std::vector<std::uint32_t> const& pushed) -> bool
{
    for (auto v = world.offers.pop(); v != deque::none; v = world.offers.pop()) world.taken.push_back(v);
    std::sort(world.taken.begin(), world.taken.end());
    return world.taken == pushed;
}

TEST(WorkDeque, PassesEachEntryToOneThreadInEveryInterleavingOfOwnerAndThief)
{
    std::unique_ptr<deque_world> world;
    interleavings orders(3);

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<deque_world>();
            return bodies{[&] {
                              world->push(1);
                              world->push(2);
                              world->keep(world->offers.pop());
                              world->push(3);
                              world->keep(world->offers.pop());
                          },
                [&] {
                    for (int i = 0; i < 3; ++i) world->keep(world->offers.steal());
                }};
        },
        [&] { return all_taken_once(*world, {1, 2, 3}); });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 500U);
}

TEST(WorkDeque, PassesEachEntryToOneThreadInEveryInterleavingOfTwoThieves)
{
    std::unique_ptr<deque_world> world;
    interleavings orders(2);
    auto const thief = [&] {
        for (int i = 0; i < 2; ++i) world->keep(world->offers.steal());
    };

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<deque_world>();
            return bodies{[&] {
                              world->push(1);
                              world->push(2);
                              world->keep(world->offers.pop());
                              world->keep(world->offers.pop());
                          },
                thief, thief};
        },
        [&] { return all_taken_once(*world, {1, 2}); });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 500U);
}

TEST(WorkDeque, PassesEachEntryToOneThreadIfManyAreOfferedAtOnce)
{
    std::unique_ptr<deque_world> world;
    interleavings orders(3);

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<deque_world>();
            return bodies{[&] {
                              std::vector<std::uint32_t> const some{1, 2, 3};
                              auto const offered =
                                  static_cast<std::ptrdiff_t>(world->offers.push(some.data(), some.size()));
                              std::for_each(some.begin() + offered, some.end(), [&](auto v) { world->keep(v); });
                              world->keep(world->offers.pop());
                              world->push(4);
                          },
                [&] {
                    for (int i = 0; i < 3; ++i) world->keep(world->offers.steal());
                }};
        },
        [&] { return all_taken_once(*world, {1, 2, 3, 4}); });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 300U);
}

// One worker offers a vertex and is then busy; another one finds nothing and leaves. `offered` is 1 as long as no
// worker has taken the vertex.
struct termination_world {
    termination entry;
    stepped<int> offered{0};
    int ends = 0;
    bool posted = false;

    void look()
    {
        int there = 1;
        offered.compare_exchange_strong(there, 0, std::memory_order_seq_cst);
    }
    void leave()
    {
        if (entry.leave()) ++ends;
    }
    // Looks for vertices as an active worker, then leaves, unless something was offered meanwhile.
    void work()
    {
        for (bool in = true; in;) {
            auto const seen = entry.offers();
            look();
            leave();
            in = entry.offers() != seen && entry.join(2);
        }
    }
};

TEST(TerminationCounter, LosesNoOfferWhileAWorkerLeaves)
{
    std::unique_ptr<termination_world> world;
    interleavings orders(4);

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<termination_world>();
            world->entry.open();
            (void)world->entry.join(2);
            return bodies{[&] {
                              world->offered.store(1, std::memory_order_seq_cst);
                              world->entry.offer();
                              world->posted = world->entry.reserve(2);
                          },
                [&] { world->work(); }};
        },
        [&] {
            if (world->posted) {
                world->entry.unreserve();
                if (world->entry.join(2)) {
                    world->look();
                    world->leave();
                }
            }
            bool const taken = world->offered.load(std::memory_order_seq_cst) == 0;
            world->leave();
            return taken && world->ends == 1;
        });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 100U);
}

TEST(TerminationCounter, LosesNoOfferWhileAHelperStopsWaiting)
{
    std::unique_ptr<termination_world> world;
    interleavings orders(4);

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<termination_world>();
            world->entry.open();
            (void)world->entry.queue_again(2);
            return bodies{[&] {
                              world->offered.store(1, std::memory_order_seq_cst);
                              world->entry.offer();
                              world->posted = world->entry.reserve(2);
                          },
                [&] {
                    (void)world->entry.await_offer();
                    if (world->entry.join_queued(2)) world->work();
                }};
        },
        [&] {
            if (world->posted && world->entry.join_queued(2)) world->work();
            bool const taken = world->offered.load(std::memory_order_seq_cst) == 0;
            world->leave();
            return taken && world->ends == 1;
        });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 50U);
}

TEST(TerminationCounter, NeedsNoOtherHelperInARunForWhichOneWaits)
{
    termination entry;
    entry.open();
    (void)entry.leave();

    bool const waits = entry.queue_again(2);
    entry.open();

    EXPECT_TRUE(waits);
    EXPECT_FALSE(entry.reserve(2));
    EXPECT_TRUE(entry.join_queued(2));
}

TEST(TerminationCounter, KeepsNoHelperAfterTheLastRun)
{
    termination entry;

    entry.close();

    EXPECT_FALSE(entry.queue_again(2));
}

TEST(TerminationCounter, EndsTheSearchOfWorkersIfAllSearch)
{
    termination entry;
    entry.open();
    (void)entry.join(2);

    termination::search const first(entry);
    bool const while_one_works = entry.all_search();
    termination::search const second(entry);

    EXPECT_FALSE(while_one_works);
    EXPECT_TRUE(entry.all_search());
}

TEST(TerminationCounter, EndsARunOnceIfAHelperIsLate)
{
    std::unique_ptr<termination_world> world;
    interleavings orders(3);
    bool inside_after_the_end = false;

    auto const count = orders.explore(
        [&] {
            world = std::make_unique<termination_world>();
            world->entry.open();
            auto const helper = [&] {
                if (!world->entry.join(3)) return;
                inside_after_the_end = inside_after_the_end || world->ends != 0;
                world->leave();
            };
            return bodies{[&] { world->leave(); }, helper, helper};
        },
        [&] { return world->ends == 1 && world->entry.active() == 0 && !inside_after_the_end; });

    EXPECT_FALSE(orders.failed());
    EXPECT_GT(count, 100U);
}

TEST(TerminationCounter, AdmitsAtMostTheMaximumOfWorkers)
{
    std::unique_ptr<termination_world> world;
    interleavings orders(4);
    std::uint32_t most = 0;

    orders.explore(
        [&] {
            world = std::make_unique<termination_world>();
            world->entry.open();
            auto const helper = [&] {
                if (!world->entry.join(2)) return;
                most = std::max(most, world->entry.active());
                world->leave();
            };
            return bodies{helper, helper};
        },
        [&] { return true; });

    EXPECT_EQ(most, 2U);
}

}  // namespace
}  // namespace strider::test
