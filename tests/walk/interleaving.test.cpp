// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace strider::test {
namespace {

// b and c wait for a, d for b, e for c: six orders are legal.
auto const* const five = "b: a\nc: a\nd: b\ne: c";

[[nodiscard]] auto legal_orders() -> std::set<std::string>
{
    std::set<std::string> legal;
    std::string order = "abcde";
    do {
        auto const at = [&](char c) { return order.find(c); };
        if (at('a') < at('b') && at('a') < at('c') && at('b') < at('d') && at('c') < at('e')) legal.insert(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return legal;
}

using with_ledger = walk_options<own_order>;

template <class Options, class Visitor, class Place = decltype(directly)>
[[nodiscard]] auto orders_of_500_seeds(Options const& options, Visitor const& make_visitor, Place place = directly)
    -> std::set<std::string>
{
    auto const g = frozen(five);
    std::set<std::string> seen;

    auto const failing = sim::seeded_interleaving(0, 500).failing_seed([&](sim::manual_context& context) {
        std::string order;
        sim::recorder record(g);
        int calls = 0;
        bool done = false;
        async_walk(place(context.get_executor()), g, make_visitor(order, record), options,
            [&](error_code error, walk_report report) {
                ++calls;
                done = !error && report.done() == 5;
            });
        context.run();
        seen.insert(order);
        return calls == 1 && done && record.violations().empty();
    });

    EXPECT_EQ(failing, std::nullopt);
    return seen;
}

TEST(Interleaving, OfPlainVisitsReachesEveryLegalOrderAndNoOther)
{
    auto const seen = orders_of_500_seeds(with_ledger(), [](std::string& order, auto& record) {
        return [&](vertex_id v, std::string const& name) {
            record.begin(v);
            order += name;
            record.end(v);
        };
    });

    EXPECT_EQ(seen, legal_orders());
}

TEST(Interleaving, OfCoroutinesReachesEveryLegalOrderAndNoOther)
{
    auto const seen = orders_of_500_seeds(walk_options<>(), [](std::string& order, auto& record) {
        return [&](vertex_id v, std::string const& name) -> asio::awaitable<void> {
            record.begin(v);
            co_await asio::post(asio::use_awaitable);
            order += name;
            record.end(v);
        };
    });

    EXPECT_EQ(seen, legal_orders());
}

TEST(Interleaving, OfHandlesReachesEveryLegalOrderAndNoOther)
{
    auto const seen = orders_of_500_seeds(walk_options<>(), [](std::string& order, auto& record) {
        return [&](vertex_id v, auto const& name, visit_handle handle) {
            record.begin(v);
            order += name;
            auto const executor = handle.get_executor();
            asio::post(executor, [&record, v, handle = std::move(handle)]() mutable {
                record.end(v);
                handle();
            });
        };
    });

    EXPECT_EQ(seen, legal_orders());
}

TEST(Interleaving, OfCoroutinesOnAStrandIsOneForAllSeeds)
{
    auto const seen = orders_of_500_seeds(
        walk_options<>(),
        [](std::string& order, auto& record) {
            return [&](vertex_id v, std::string const& name) -> asio::awaitable<void> {
                record.begin(v);
                co_await asio::post(asio::use_awaitable);
                order += name;
                record.end(v);
            };
        },
        on_strand);

    EXPECT_EQ(seen.size(), 1U);
}

TEST(Interleaving, OfOneSeedIsAlwaysTheSame)
{
    auto const g = frozen("b: a\nc: a\nd: b\ne: c\nf\ng\nh: f g");
    auto const run = [&](std::uint64_t seed) {
        sim::manual_context context(seed);
        std::string order;
        async_walk(
            context.get_executor(), g, [&](vertex_id, std::string const& name) { order += name; }, with_ledger(),
            [&](error_code, walk_report const&) { order += "."; });
        context.run();
        return order;
    };

    for (std::uint64_t seed = 1; seed < 50; ++seed) EXPECT_EQ(run(seed), run(seed)) << "seed " << seed;
    EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace strider::test
