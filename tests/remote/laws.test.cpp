// SPDX-License-Identifier: BSL-1.0
#include <remote/simulated_cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::remote::test {
namespace {

// A walk over three workers while connections break, hosts are cut off, directions are blocked, and workers are
// drained; every fourth walk is cancelled. The seed determines everything: graph, actions, faults, delays and the order
// of tasks.
class disturbed_walk {
public:
    explicit disturbed_walk(std::uint64_t seed) : random_(seed), cluster_(seed, options())
    {
        cluster_.around.on_effect = [this](effect const& e) { begin(e); };
        for (auto const* const name : {"w0", "w1", "w2"}) {
            auto& added = cluster_.add_worker(name, 1 + static_cast<std::uint32_t>(below(3)));
            keep_connected(added);
        }
        make_graph();
    }

    // Returns the first violated law.
    [[nodiscard]] auto broken_law() -> std::string
    {
        auto const make = [](vertex_id v, std::string const& action) {
            return request<std::string>(action, std::to_string(v.index()), {}, is_idempotent(v));
        };
        auto const receive = [this](
                                 vertex_id v, reply<std::string> const& end) { done_.emplace(v, end.fencing_token); };
        int calls = 0;
        walk_report report;
        auto const ended = [&](walk_report r) {
            ++calls;
            report = std::move(r);
        };
        cluster_.walk(graph_, make, receive, static_cast<std::uint32_t>(below(8)), ended, signal_.slot());
        is_cancelled_ = below(4) == 0;
        auto const end = is_cancelled_ ? below(12) : 12;
        for (int i = 0; i < 12; ++i) {
            cluster_.world.run_for(milliseconds(below(250)));
            if (i == end) signal_.emit(asio::cancellation_type::terminal);
            inject_fault();
        }
        for (auto const& w : cluster_.members) cluster_.net.heal("coordinator", w->name);
        for (int i = 0; i < 600 && calls == 0; ++i) cluster_.world.run_for(milliseconds(100));

        if (calls != 1) return "the handler of the walk was called " + std::to_string(calls) + " times";
        if (report.done() + report.failed() + report.skipped() + report.cancelled() != graph_.vertex_count())
            return "the numbers of the report do not add up";
        for (vertex_id const v : graph_.vertices()) check(v, report[v]);
        check_drain();
        return broken_;
    }

    // Counts the events of a kind, such as "repeated".
    [[nodiscard]] auto events(std::string_view kind) const -> std::ptrdiff_t
    {
        return std::count_if(cluster_.log.begin(), cluster_.log.end(),
            [kind](std::string const& line) { return line.substr(line.find(' ') + 1).starts_with(kind); });
    }

private:
    static auto options() -> coordinator_options
    {
        auto made = quick_options();
        made.prefetch_time = milliseconds(20);
        return made;
    }
    auto below(std::uint64_t bound) -> std::int64_t { return static_cast<std::int64_t>(random_() % bound); }
    [[nodiscard]] static auto is_idempotent(vertex_id v) -> bool { return v.index() % 3 != 0; }

    void make_graph()
    {
        digraph<std::string> draft;
        std::vector<draft_vertex_id> made;
        for (int i = 0; i < 12; ++i) {
            std::string const verb = below(6) == 0 ? "stubborn " : "sleep ";
            made.push_back(draft.add_vertex(below(5) == 0 ? "say x" : verb + std::to_string(below(200))));
            for (int e = 0; e < 2 && i > 0; ++e) {
                auto const to = made[static_cast<std::size_t>(below(static_cast<std::uint64_t>(i)))];
                if (below(3) != 0 && !draft.has_edge(made.back(), depends_on(to)))
                    draft.add_edge(made.back(), depends_on(to));
            }
        }
        graph_ = freeze(std::move(draft)).value();
    }
    void keep_connected(simulated_cluster::member& w)
    {
        timers_.push_back(std::make_unique<sim::virtual_timer>(cluster_.world.get_executor()));
        watch(w, *timers_.back());
    }
    void watch(simulated_cluster::member& w, sim::virtual_timer& timer)
    {
        timer.expires_after(milliseconds(50));
        timer.async_wait([this, &w, &timer](error_code error) {
            if (error || is_over_) return;
            if (w.session && *w.session && *w.session != make_error_code(remote_errc::draining)) cluster_.connect(w);
            watch(w, timer);
        });
    }
    void inject_fault()
    {
        std::string const host = cluster_.members[static_cast<std::size_t>(below(3))]->name;
        switch (below(9)) {
        case 6:
            if (++drained_ < 3) cluster_.members[static_cast<std::size_t>(drained_)]->worker->drain();
            return;
        case 0: return cluster_.net.partition("coordinator", host);
        case 1: return cluster_.net.block("coordinator", host);
        case 2: return cluster_.net.block(host, "coordinator");
        case 3: return cluster_.net.crash(host);
        case 4: return cluster_.net.crash(host, false);
        case 5: return cluster_.net.reset("coordinator", host);
        default: return cluster_.net.heal("coordinator", host);
        }
    }

    void begin(effect const& e)
    {
        vertex_id const v(std::stoul(e.key));
        for (vertex_id const d : graph_.dependencies(v))
            if (!done_.contains(d)) broken_ = "vertex " + e.key + " began before a dependency was done";
        if (!epochs_.emplace(e.key, e.epoch).second) broken_ = "vertex " + e.key + " began twice in one session";
        if (!tokens_.emplace(e.token).second) broken_ = "a fencing token was used twice";
        if (++effects_[v] > 1 && !is_idempotent(v)) broken_ = "vertex " + e.key + " is not idempotent and began twice";
        greatest_[v] = std::max(greatest_[v], e.token);
    }
    void check(vertex_id v, visit_outcome const& outcome)
    {
        std::string const name = "vertex " + std::to_string(v.index());
        bool const unknown = outcome.error() == make_error_code(remote_errc::outcome_unknown);
        if (outcome.status() == visit_status::failed && !unknown) broken_ = name + " failed: " + outcome.message();
        if (outcome.status() == visit_status::cancelled && !is_cancelled_)
            broken_ = name + " was cancelled, but the walk was not";
        if (outcome.is_done() && effects_[v] == 0) broken_ = name + " is done, but never began";
        if (outcome.is_done() && done_.at(v) != greatest_[v])
            broken_ = name + " has the answer of an attempt that is not its last";
        if (outcome.status() == visit_status::skipped && effects_[v] != 0) broken_ = name + " was skipped, but began";
    }
    void check_drain()
    {
        std::optional<error_code> drained;
        cluster_.coordinator->async_drain([&](error_code error) { drained = error; });
        for (int i = 0; i < 100 && !drained; ++i) cluster_.world.run_for(milliseconds(100));
        if (drained != error_code()) broken_ = "the coordinator was not drained";
        cluster_.world.run_for(seconds(5));
        is_over_ = true;
        for (auto const& w : cluster_.members)
            if (!w->session || (*w->session && *w->session != make_error_code(remote_errc::draining)))
                broken_ =
                    "worker " + w->name + " was not dismissed: " + (w->session ? w->session->message() : "connected");
        cluster_.world.run();
    }

    std::mt19937_64 random_;
    dag<std::string> graph_;
    std::map<vertex_id, std::uint64_t> done_;
    std::map<vertex_id, int> effects_;
    std::map<vertex_id, std::uint64_t> greatest_;
    std::set<std::pair<std::string, std::uint64_t>> epochs_;
    std::set<std::uint64_t> tokens_;
    std::string broken_;
    int drained_ = 0;
    bool is_cancelled_ = false;
    bool is_over_ = false;
    asio::cancellation_signal signal_;
    simulated_cluster cluster_;
    std::vector<std::unique_ptr<sim::virtual_timer>> timers_;
};

[[nodiscard]] auto number_of(char const* variable, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomRemoteWalks, HoldOverANetworkThatLosesConnectionsAndCutsOffWorkers)
{
    std::uint64_t const first = number_of("STRIDER_REMOTE_FIRST_SEED", 1);
    std::uint64_t const count = number_of("STRIDER_REMOTE_SEEDS", 200);
    std::map<std::string_view, std::ptrdiff_t> events{{"joined", 0}, {"left", 0}, {"repeated", 0}, {"refused", 0}};
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        disturbed_walk world(seed);
        std::string const broken = world.broken_law();
        ASSERT_EQ(broken, "") << "seed " << seed;
        for (auto& [kind, number] : events) number += world.events(kind);
    }
    for (auto const& [kind, number] : events) {
        RecordProperty(std::string(kind), std::to_string(number));
        EXPECT_TRUE(number > 0 || count < 100) << "the faults caused no event of the kind " << kind;
    }
}

}  // namespace
}  // namespace strider::remote::test
