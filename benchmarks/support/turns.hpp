// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_BENCHMARKS_SUPPORT_TURNS_HPP
#define STRIDER_BENCHMARKS_SUPPORT_TURNS_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// Measures several implementations of the same task in short turns, in one process. A disturbance of the machine
/// affects all of them alike, so their ratios are steadier than their times. The result of each is the lower quartile
/// of its turns, which ignores turns in which another process had the processor.
namespace strider::bench {

class turns {
public:
    using clock = std::chrono::steady_clock;

    /// `run` performs the task once. Of several with the same name, the fastest one counts.
    void add(std::string name, std::function<void()> run) { all_.push_back({std::move(name), std::move(run), 1, {}}); }
    template <class Engine, class... Args>
    void add(std::string name, std::in_place_type_t<Engine>, Args&&... args)
    {
        add(std::move(name), [engine = std::make_shared<Engine>(std::forward<Args>(args)...)] { (*engine)(); });
    }

    /// Gives an implementation that does not take part the counter NaN: the reporter of CSV ends the program at a counter
    /// that the first case does not have.
    void leave_out(std::string name) { left_out_.push_back(std::move(name)); }

    /// Takes turns for the time `budget`, but at least three rounds. The counter of each name is the time of a run in
    /// nanoseconds, divided by `parts`.
    void take(benchmark::State& state, std::chrono::duration<double> budget, std::size_t parts)
    {
        for (auto _ : state) {
            for (contender& each : all_) calibrate(each);
            auto const end = clock::now() + budget;
            for (std::size_t round = 0; round < 3 || (clock::now() < end && round < 101); ++round)
                for (std::size_t i = 0; i < all_.size(); ++i) take_one(all_[(i + round) % all_.size()]);
        }
        std::map<std::string, double> best;
        for (contender& each : all_) {
            auto const quarter = each.times.begin() + static_cast<std::ptrdiff_t>(each.times.size() / 4);
            std::nth_element(each.times.begin(), quarter, each.times.end());
            auto const [known, is_new] = best.try_emplace(each.name, *quarter);
            if (!is_new) known->second = std::min(known->second, *quarter);
        }
        for (std::string const& name : left_out_) state.counters[name] = std::numeric_limits<double>::quiet_NaN();
        for (auto const& [name, time] : best) state.counters[name] = time / static_cast<double>(parts);
    }

private:
    struct contender {
        std::string name;
        std::function<void()> run;
        std::size_t runs;  // in one turn
        std::vector<double> times;
    };

    static auto time(contender const& each) -> double
    {
        auto const begin = clock::now();
        for (std::size_t i = 0; i < each.runs; ++i) each.run();
        std::chrono::duration<double, std::nano> const taken = clock::now() - begin;
        return taken.count() / static_cast<double>(each.runs);
    }
    static void calibrate(contender& each)
    {
        constexpr double turn = 1e6;
        for (int i = 0; i < 2; ++i) each.run();
        each.runs = static_cast<std::size_t>(std::clamp(turn / time(each), 1.0, 1e4));
    }
    // The pause lets the threads of the others go to sleep: some search for work for a while after a run. The first run fills
    // the caches that the others have used, and wakes its own threads.
    static void take_one(contender& each)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        each.run();
        each.times.push_back(time(each));
    }

    std::vector<contender> all_;
    std::vector<std::string> left_out_;
};

}  // namespace strider::bench

#endif  // STRIDER_BENCHMARKS_SUPPORT_TURNS_HPP
