// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_OBJECTLESS_CALLS_HPP
#define STRIDER_INFRA_SIM_OBJECTLESS_CALLS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/cloud_access.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_value.hpp>
#include <strider/sim/fault_plan.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace strider::infra::sim {

/// The calls of the provider that change no object: configurations, ephemeral resources, provisioners and actions. The cloud
/// records them in its commands.
template <class Clock>
class objectless_calls : protected cloud_access<Clock> {
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;
    using step_result = typename cloud_access<Clock>::step_result;

protected:
    using cloud_access<Clock>::cloud_;
    using cloud_access<Clock>::enter;
    using cloud_access<Clock>::faults_;
    using cloud_access<Clock>::inject;
    using cloud_access<Clock>::wait;

public:
    /// Calls with faults. \param latency  of each action, and of each operation of a derived provider
    objectless_calls(asio::any_io_executor executor, cloud& on, strider::sim::fault_plan faults, duration latency)
        : cloud_access<Clock>(std::move(executor), on, std::move(faults)),
          latency_(latency)
    {}

    /// Returns the configuration with an "id", and records the name in the commands of the cloud. Opens nothing if a part of the
    /// configuration is not known. Name in the fault plan: "open ephemeral.toy.a".
    [[nodiscard]] auto open_ephemeral(data_request<toy_value> r) -> task<result<read_result<toy_value>, failure>>
    {
        bool const opens = r.config.wholly_known();
        auto performing = perform("open " + to_string(r.target), [&](fault f) {
            if (opens && (f == fault::none || f == fault::slow)) cloud_->run(r.target, "open");
        });
        step_result const v = co_await std::move(performing);
        if (v != step_result::succeeded) co_return failure(sim_error(codes::cloud_unavailable, {to_string(r.target)}));
        toy_value opened = std::move(r.config);
        opened.set("id", opens ? std::optional("open " + to_string(r.target)) : std::nullopt);
        co_return read_result<toy_value>(std::move(opened));
    }

    /// Records the configuration in the commands of the cloud. Name in the fault plan: "configure provider.p".
    [[nodiscard]] auto configure(std::string name, toy_value config) -> task<diagnostics>
    {
        auto performing = perform("configure " + name, [&](fault) { cloud_->record_configuration(name, config); });
        step_result const v = co_await std::move(performing);
        diagnostics problems;
        if (v != step_result::succeeded) problems.add(sim_error(codes::configuration_failed, {name}));
        co_return problems;
    }
    /// Adds the command of a provisioner to the log of the cloud.
    [[nodiscard]] auto provision(provision_request<toy_value> r) -> task<diagnostics>
    {
        auto performing = perform("provision " + to_string(r.target), [&](fault f) {
            if (f == fault::none || f == fault::slow) cloud_->run(r.target, r.config["command"]);
        });
        step_result const v = co_await std::move(performing);
        diagnostics problems;
        if (v == step_result::succeeded) r.print(r.config["command"]);
        else problems.add(sim_error(codes::provisioner_failed, {to_string(r.target)}));
        co_return problems;
    }

    /// Accepts every configuration. Name in the fault plan: "plan action.toy.a".
    [[nodiscard]] auto plan_action(data_request<toy_value> r) -> task<diagnostics>
    {
        auto performing = perform("plan " + to_string(r.target), [](fault) {});
        step_result const v = co_await std::move(performing);
        diagnostics problems;
        if (v != step_result::succeeded) problems.add(sim_error(codes::plan_refused, {to_string(r.target)}));
        co_return problems;
    }
    /// Records the configuration in the commands of the cloud. It has two points in the fault plan: "invoke action.toy.a"
    /// (nothing was done) and "invoke action.toy.a/done" (all was done, but the end is lost).
    [[nodiscard]] auto invoke_action(invoke_request<toy_value> r) -> task<invoked>
    {
        auto not_cancelled = asio::this_coro::throw_if_cancelled(false);
        co_await not_cancelled;
        std::string const name = "invoke " + to_string(r.target);
        invoked answer;
        for (bool const done : {false, true}) {
            auto performing = perform(done ? name + "/done" : name, [&](fault) {
                if (done) cloud_->record_configuration(to_string(r.target), r.config);
            });
            step_result v = co_await std::move(performing);
            if (v == step_result::succeeded && !done && latency_ != duration::zero()) {
                auto taking = wait(latency_);
                v = co_await std::move(taking);
            }
            answer.interrupted = v == step_result::aborted;
            if (v == step_result::failed) answer.problems.add(sim_error(codes::action_failed, {to_string(r.target)}));
            if (v != step_result::succeeded) co_return answer;
        }
        r.print("done");
        co_return answer;
    }

protected:
    duration latency_;  ///< in the time of the clock

private:
    // Calls the effect in the cloud with the fault of a point of the plan, then performs the fault.
    template <std::invocable<fault> Effect>
    [[nodiscard]] auto perform(std::string point, Effect effect) -> task<step_result>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next(point);
        effect(f);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(f);
        step_result const v = co_await std::move(injecting);
        co_return v;
    }
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_OBJECTLESS_CALLS_HPP
