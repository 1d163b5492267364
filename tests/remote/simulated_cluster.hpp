// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_REMOTE_SIMULATED_CLUSTER_HPP
#define STRIDER_TESTS_REMOTE_SIMULATED_CLUSTER_HPP

#include <strider/core.hpp>
#include <strider/remote.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/network.hpp>
#include <strider/sim/virtual_clock.hpp>
#include <strider/walk/async_walk.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A coordinator and workers on hosts of a simulated network.
namespace strider::remote::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An action that began at a worker.
struct effect {
    std::string worker;
    std::string key;
    std::uint64_t token;
    std::uint64_t epoch;
};

/// Effects of actions, outside of the workers.
struct external_effects {
    std::vector<effect> effects;
    std::map<std::string, int> running;  // by worker
    int most_running = 0;
    std::function<void(effect const&)> on_effect = [](effect const&) {};
};

/// Actions are texts: "say TEXT", "fail TEXT", "sleep MS", "stubborn MS" (ignores cancellation), "large BYTES", "abort", "garbage".
class script : public text_codec {
public:
    script(external_effects& around, std::string worker) : around_(&around), worker_(std::move(worker)) {}

    [[nodiscard]] auto decode_action(std::string_view bytes) const -> std::optional<std::string>
    {
        if (bytes == "garbage") return std::nullopt;
        return std::string(bytes);
    }
    auto run(visit_context context, std::string action) -> asio::awaitable<std::string>
    {
        effect const begun{worker_, context.key(), context.fencing_token(), context.epoch()};
        around_->effects.push_back(begun);
        around_->on_effect(begun);
        int& running = around_->running[worker_];
        around_->most_running = std::max(around_->most_running, ++running);
        struct leave {
            int& count;
            ~leave() { --count; }
        } const leaves{running};
        auto const space = action.find(' ');
        std::string const verb = action.substr(0, space);
        std::string const rest = space == std::string::npos ? "" : action.substr(space + 1);
        if (verb == "fail") throw std::runtime_error(rest);
        if (verb == "abort") throw boost::system::system_error(asio::error::operation_aborted);
        if (verb == "large") co_return std::string(std::stoul(rest), 'x');
        if (verb == "sleep" || verb == "stubborn") {
            if (verb == "stubborn") co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            sim::virtual_timer timer(co_await asio::this_coro::executor, milliseconds(std::stoi(rest)));
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
            co_return "slept";
        }
        co_return rest;
    }

private:
    external_effects* around_;
    std::string worker_;
};

using simulated_coordinator = basic_coordinator<text_codec, sim::virtual_clock>;
using simulated_worker = basic_worker<script, sim::virtual_clock>;

/// The end of a visit, when it has ended.
struct ending {
    int calls = 0;
    error_code error;
    reply<std::string> end;
};

[[nodiscard]] inline auto quick_options() -> coordinator_options
{
    coordinator_options options;
    options.heartbeat = milliseconds(100);
    options.timeout = milliseconds(500);
    options.worker_wait = seconds(20);
    return options;
}

class simulated_cluster {
public:
    struct member {
        std::string name;
        std::unique_ptr<simulated_worker> worker;
        std::optional<error_code> session;  // how it ended, at the worker
    };

    explicit simulated_cluster(std::uint64_t seed = 0, coordinator_options options = quick_options())
        : world(seed),
          net(world.get_executor(), seed + 1)
    {
        options.observer = [this](coordinator_event const& event) {
            static constexpr std::string_view words[] = {"joined", "left", "rejected", "repeated", "refused"};
            log.push_back(std::string(event.worker) + ' ' + std::string(words[static_cast<int>(event.kind)])
                + (event.error ? ": " + event.error.message() : std::string()));
        };
        coordinator.emplace(world.get_executor(), text_codec(), std::move(options));
    }
    ~simulated_cluster()
    {
        coordinator.reset();
        members.clear();
        world.drop();
    }

    auto add_worker(std::string const& name, std::uint32_t slots = 1, std::vector<std::string> labels = {}) -> member&
    {
        worker_options options;
        options.name = name;
        options.slots = slots;
        options.labels = std::move(labels);
        return add_worker(std::move(options));
    }
    auto add_worker(worker_options options) -> member&
    {
        std::string const name = options.name;
        members.push_back(std::make_unique<member>());
        member& added = *members.back();
        added.name = name;
        added.worker =
            std::make_unique<simulated_worker>(world.get_executor(), script(around, name), std::move(options));
        connect(added);
        return added;
    }
    void connect(member& to)
    {
        auto [here, there] = net.connect("coordinator", to.name);
        coordinator->async_session(std::move(here), [](error_code) {});
        to.session.reset();
        to.worker->async_serve(std::move(there), [&to](error_code error) { to.session = error; });
    }

    auto start(request<std::string> what, asio::cancellation_slot slot = {}) -> ending const&
    {
        auto* const kept = endings.emplace_back(std::make_unique<ending>()).get();
        coordinator->async_run(
            std::move(what), asio::bind_cancellation_slot(slot, [kept](error_code error, reply<std::string> end) {
                ++kept->calls;
                kept->error = error;
                kept->end = std::move(end);
            }));
        return *kept;
    }
    using make_function = std::function<request<std::string>(vertex_id, std::string const&)>;
    using receive_function = std::function<void(vertex_id, reply<std::string>)>;
    /// Walks a graph of actions. Instantiated once for all tests.
    void walk(dag<std::string> const& graph, make_function make, receive_function receive,
        std::uint32_t max_concurrency, std::function<void(walk_report)> ended, asio::cancellation_slot slot = {})
    {
        async_walk(world.get_executor(), graph, visitor(*coordinator, std::move(make), std::move(receive)),
            {.max_concurrency = max_concurrency},
            asio::bind_cancellation_slot(
                slot, [ended = std::move(ended)](error_code, walk_report report) { ended(std::move(report)); }));
    }
    [[nodiscard]] auto logged(std::string const& line) const -> std::ptrdiff_t
    {
        return std::count(log.begin(), log.end(), line);
    }

    external_effects around;  // outlives the coroutines that the world destroys
    std::vector<std::string> log;
    sim::manual_context world;
    sim::network net;
    std::vector<std::unique_ptr<ending>> endings;
    std::vector<std::unique_ptr<member>> members;
    std::optional<simulated_coordinator> coordinator;
};

[[nodiscard]] inline auto idempotent(std::string action, std::string key = {}) -> request<std::string>
{
    return {std::move(action), std::move(key), {}, true};
}

}  // namespace strider::remote::test

#endif  // STRIDER_TESTS_REMOTE_SIMULATED_CLUSTER_HPP
