// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/core/make_digraph.hpp>
#include <strider/walk/critical_path_first.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_pools.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

TEST(AscendingId, PopsTheSmallestReadyVertex)
{
    for (std::size_t const bound : {1U, 63U, 64U, 65U, 4096U, 4097U, 300'000U}) {
        ascending_id queue;
        queue.reset(bound);
        std::set<std::size_t> expected;
        std::uint64_t random = bound;

        for (int round = 0; round < 2000; ++round) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            std::size_t const id = (random >> 33U) % bound;
            if ((random & (1U << 20U)) != 0) {
                if (expected.insert(id).second) queue.push(vertex_id(id));
            } else if (!expected.empty()) {
                ASSERT_EQ(queue.pop().index(), *expected.begin()) << "bound " << bound;
                expected.erase(expected.begin());
            }
            ASSERT_EQ(queue.size(), expected.size());
        }
    }
}

TEST(AscendingId, IsEmptyForAnEmptyGraph)
{
    ascending_id queue;

    queue.reset(0);

    EXPECT_EQ(queue.size(), 0U);
}

TEST(AscendingId, KeepsReadyVerticesWhenItsBoundGrows)
{
    ascending_id queue;
    queue.reset(10);
    std::vector<std::size_t> pushed;
    std::mt19937_64 random(3);
    for (std::size_t bound : {10U, 64U, 65U, 4096U, 4097U, 300'000U}) {
        queue.resize(bound);
        std::size_t const id = bound - 1 - random() % (bound / 10);
        queue.push(vertex_id(id));
        pushed.push_back(id);
    }
    std::sort(pushed.begin(), pushed.end());

    EXPECT_EQ(queue.size(), pushed.size());
    for (std::size_t const id : pushed) EXPECT_EQ(queue.pop(), vertex_id(id));
}

TEST(ReadyQueueOfPools, KeepsWaitingVerticesWhenItsBoundGrows)
{
    resource_pools queue([](vertex_id) { return resource_pool{1, 1}; });
    queue.reset(2);
    queue.push(vertex_id(0));
    queue.push(vertex_id(1));

    queue.resize(500);
    queue.push(vertex_id(400));

    for (std::size_t const id : {0U, 1U, 400U}) {
        ASSERT_EQ(queue.size(), 1U);
        EXPECT_EQ(queue.pop(), vertex_id(id));
        queue.settled(vertex_id(id));
    }
    EXPECT_EQ(queue.size(), 0U);
}

TEST(Fifo, PopsInTheOrderOfArrival)
{
    fifo queue;
    queue.reset(3);

    queue.push(vertex_id(2));
    queue.push(vertex_id(0));
    vertex_id const first = queue.pop();
    queue.push(vertex_id(1));

    EXPECT_EQ(first, vertex_id(2));
    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(1));
    EXPECT_EQ(queue.size(), 0U);
}

template <class Queue>
class ReadyQueue : public testing::Test {
protected:
    Queue queue{[] {
        if constexpr (requires { Queue(vertex_map<int>()); }) return Queue(vertex_map<int>(8, 1));
        else return Queue();
    }()};
};
using queues = testing::Types<ascending_id, fifo, priority_first<int>>;
TYPED_TEST_SUITE(ReadyQueue, queues);

TYPED_TEST(ReadyQueue, IsEmptyAfterAReset)
{
    this->queue.reset(8);
    this->queue.push(vertex_id(1));
    this->queue.push(vertex_id(5));
    (void)this->queue.pop();

    this->queue.reset(8);

    EXPECT_EQ(this->queue.size(), 0U);
    this->queue.push(vertex_id(1));
    EXPECT_EQ(this->queue.pop(), vertex_id(1));
}

TYPED_TEST(ReadyQueue, OfACopyIsIndependent)
{
    this->queue.reset(8);
    this->queue.push(vertex_id(3));

    auto copy = this->queue;
    copy.push(vertex_id(4));
    (void)copy.pop();

    EXPECT_EQ(this->queue.size(), 1U);
    EXPECT_EQ(this->queue.pop(), vertex_id(3));
    EXPECT_EQ(copy.pop(), vertex_id(4));
}

TEST(CriticalPathFirst, CountsVerticesIfThereAreNoWeights)
{
    auto const g =
        freeze(make_digraph(std::vector<int>(4), std::vector<std::pair<int, int>>{{2, 1}, {3, 2}}).value()).value();
    auto const of = [&](int at) { return vertex_id(static_cast<std::size_t>(at)); };
    auto queue = critical_path_first(g);
    queue.reset(g.id_bound());

    for (vertex_id const v : g.vertices()) queue.push(v);
    std::vector<vertex_id> order;
    while (queue.size() != 0) order.push_back(queue.pop());

    EXPECT_EQ(order, (std::vector{of(1), of(2), of(0), of(3)}));
}

// The function that wakes a queue has a state: a pointer to a function cannot store it.
template <class Wake>
struct waking_queue : ascending_id {
    using timer_type = asio::steady_timer;
    void settled(vertex_id) {}
    void set_waker(Wake) {}
    void drop_limits() {}
    [[nodiscard]] auto waiting() const -> std::size_t { return 0; }
};
static_assert(waking_queue_policy<waking_queue<std::function<void()>>>);
static_assert(!waking_queue_policy<waking_queue<void (*)()>>);

}  // namespace
}  // namespace strider::test
