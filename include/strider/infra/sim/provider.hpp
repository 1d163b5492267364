// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_PROVIDER_HPP
#define STRIDER_INFRA_SIM_PROVIDER_HPP

#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_value.hpp>
#include <strider/sim/fault_plan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// Violations of the contract of providers.
enum class misbehaviour : std::uint8_t {
    none,
    gives_nothing,    ///< reports success, but returns no object
    gives_object,     ///< reports success of a destroy, but returns an object
    leaves_unknown,   ///< returns an object with an unknown part
    ignores_plan,     ///< returns an object that differs from the plan
    ignores_configuration,  ///< returns a plan that differs from the configuration
    changes_mind,     ///< returns another computed value after each operation
};

/// The provider of the objects of the toy, with a clock policy and a fault plan.
///
/// "kind" cannot be changed in place. "id" and "stamp" are computed; the stamp depends on "size" only, so it may be
/// unchanged. The names of operations in the fault plan are: "plan toy.a", "read toy.a", "provision toy.a", and for
/// each of create, update and destroy three points: "create toy.a" (nothing was done), "create toy.a/partly" (a part
/// was done), and "create toy.a/done" (all was done, but the result is lost). A hanging operation can be cancelled.
///
/// The cloud is accessed on a strand only. Cloud and provider must outlive all calls.
template <class Clock = steady_clock>
class provider {
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;
    using timer_type = typename Clock::timer_type;

public:
    provider(asio::any_io_executor executor, cloud& on, strider::sim::fault_plan faults = {},
        duration latency = duration::zero())
        : strand_(asio::make_strand(std::move(executor))),
          cloud_(&on),
          faults_(std::move(faults)),
          latency_(latency)
    {}

    /// Sets a violation for `operation`, named as in the fault plan: "create toy.a", "plan toy.a", "read toy.a".
    void misbehave(std::string operation, misbehaviour how) { manners_.insert_or_assign(std::move(operation), how); }
    /// From now on the results of operations cannot be looked up.
    void lose_memory() { remembers_ = false; }

    [[nodiscard]] auto read(read_request<toy_value> r) -> task<expected<std::optional<toy_value>>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("read " + to_string(r.target));
        cloud::thing const* const found = cloud_->find(r.prior["id"]);
        std::optional<toy_value> now;
        if (found != nullptr) now = found->value;
        if (now && manner_in("read " + to_string(r.target)) == misbehaviour::leaves_unknown)
            now->set("stamp", std::nullopt);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        if (v != verdict::fine) co_return failure(sim_error(codes::cloud_unavailable, {to_string(r.target)}));
        co_return now;
    }

    [[nodiscard]] auto plan(plan_request<toy_value> r) -> task<expected<planned<toy_value>>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("plan " + to_string(r.target));
        std::string const mood = "after " + std::to_string(cloud_->log().size()) + " operations";
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        if (v != verdict::fine) co_return failure(sim_error(codes::plan_refused, {to_string(r.target)}));
        planned<toy_value> p(r.config);
        misbehaviour const how = manner_in("plan " + to_string(r.target));
        if (how == misbehaviour::ignores_configuration) p.after.set("size", "of its own choice");
        if (!r.prior) {
            p.after.set("id", std::nullopt);
            p.after.set("stamp", std::nullopt);
            if (how == misbehaviour::changes_mind) p.after.set("mood", mood);
            co_return p;
        }
        p.after.set("id", (*r.prior)["id"]);
        p.after.set("stamp", (*r.prior)["stamp"]);
        if (p.after != *r.prior) p.after.set("stamp", std::nullopt);
        if (r.config.is_unknown("kind") || r.config["kind"] != (*r.prior)["kind"]) p.replace_paths.emplace_back("kind");
        co_return p;
    }

    [[nodiscard]] auto apply(apply_request<toy_value> r) -> task<applied<toy_value>>
    {
        // The bookkeeping must complete; where an operation takes time, the timer receives a cancellation.
        auto deaf = asio::this_coro::throw_if_cancelled(false);
        co_await deaf;
        auto const home = co_await asio::this_coro::executor;
        std::string const name = std::string(to_string(r.operation.kind)) + " " + to_string(r.operation.target);

        auto entering = enter();
        co_await std::move(entering);
        std::size_t const number = cloud_->begin(r.operation);
        fault const at_first = faults_.next(name);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(at_first);
        verdict v = co_await std::move(suffering);
        if (v == verdict::fine && latency_ != duration::zero()) {
            auto taking = wait(latency_);
            v = co_await std::move(taking);
        }

        auto working = enter();
        co_await std::move(working);
        fault partly = fault::none;
        fault at_last = fault::none;
        std::optional<toy_value> object;
        if (v == verdict::fine) {
            partly = faults_.next(name + "/partly");
            at_last = faults_.next(name + "/done");
            object = work(number, r, partly != fault::none && partly != fault::slow);
        }
        auto coming_back = asio::post(home, asio::use_awaitable);
        co_await std::move(coming_back);
        if (v != verdict::fine) {
            auto ending = end(number, home, true);
            co_await std::move(ending);
            diagnostics problems;
            problems.push_back(sim_error(codes::operation_refused, {name}));
            applied<toy_value> nothing(std::nullopt, std::move(problems));
            co_return nothing;
        }
        auto half = suffer(partly);
        v = co_await std::move(half);
        if (v == verdict::fine) {
            auto rest = suffer(at_last);
            v = co_await std::move(rest);
        }
        if (v == verdict::aborted) co_return applied<toy_value>::unknown();
        auto ending = end(number, home, v == verdict::failed);
        co_await std::move(ending);
        diagnostics problems;
        if (v == verdict::failed) problems.push_back(sim_error(codes::operation_failed, {name}));
        applied<toy_value> answer(std::move(object), std::move(problems));
        co_return spoiled(name, r, std::move(answer));
    }

    [[nodiscard]] auto look_up(apply_request<toy_value> r) -> task<looked_up<toy_value>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        looked_up<toy_value> answer(lookup_answer::not_done);
        pending_operation const& asked = r.operation;
        cloud_operation const* const known = cloud_->begun_as(asked.operation);
        cloud::thing const* const made = known == nullptr ? nullptr : cloud_->find(known->object);
        if (asked.kind == operation_kind::destroy) {
            bool const there = r.prior && cloud_->find((*r.prior)["id"]) != nullptr;
            answer.answer = there ? lookup_answer::not_done : lookup_answer::done;
        } else if (made != nullptr) {
            answer.answer = lookup_answer::done;
            answer.object = made->value;
        }
        if (!remembers_) answer = looked_up<toy_value>(lookup_answer::unknown);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        co_return answer;
    }

    /// Finds an object by its id. Name in the fault plan: "import toy.a".
    [[nodiscard]] auto import_object(address target, std::string, std::string id) -> task<expected<toy_value>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("import " + to_string(target));
        toy_value known;
        known.set("id", std::move(id));
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        if (v != verdict::fine) co_return failure(sim_error(codes::import_failed, {to_string(target)}));
        co_return known;
    }

    /// Reads the attributes of the object with the configured "id". Name in the fault plan: "read data.toy.a".
    [[nodiscard]] auto read_data(data_request<toy_value> r) -> task<expected<toy_value>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("read " + to_string(r.target));
        cloud::thing const* const found = cloud_->find(r.config["id"]);
        std::optional<toy_value> data;
        if (found != nullptr) data = found->value;
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        if (v != verdict::fine) co_return failure(sim_error(codes::cloud_unavailable, {to_string(r.target)}));
        if (!data) co_return failure(sim_error(codes::data_missing, {to_string(r.target)}));
        co_return *std::move(data);
    }

    /// Records the configuration in the commands of the cloud. Name in the fault plan: "configure provider.p".
    [[nodiscard]] auto configure(std::string name, toy_value config) -> task<diagnostics>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("configure " + name);
        cloud_->tell(name, config);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        diagnostics problems;
        if (v != verdict::fine) problems.push_back(sim_error(codes::configuration_failed, {name}));
        co_return problems;
    }

    [[nodiscard]] auto provision(provision_request<toy_value> r) -> task<diagnostics>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("provision " + to_string(r.target));
        if (f == fault::none || f == fault::slow) cloud_->run(r.target, r.config["command"]);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto suffering = suffer(f);
        verdict const v = co_await std::move(suffering);
        diagnostics problems;
        if (v == verdict::fine) r.print(r.config["command"]);
        else problems.push_back(sim_error(codes::provisioner_failed, {to_string(r.target)}));
        co_return problems;
    }

private:
    enum class verdict : std::uint8_t { fine, failed, aborted };

    [[nodiscard]] auto enter() -> task<void> { return asio::post(asio::bind_executor(strand_, asio::use_awaitable)); }

    [[nodiscard]] auto wait(duration time) -> task<verdict>
    {
        auto const home = co_await asio::this_coro::executor;
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return verdict::aborted;
        timer_type timer(home);
        // An unlimited wait: in virtual time even that has an end.
        if (time == duration::max()) timer.expires_at(Clock::time_point::max());
        else timer.expires_after(time);
        auto const token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        auto const [error] = co_await std::move(waiting);
        co_return error || time == duration::max() ? verdict::aborted : verdict::fine;
    }

    [[nodiscard]] auto suffer(fault f) -> task<verdict>
    {
        switch (f) {
        case fault::none: co_return verdict::fine;
        case fault::fails: co_return verdict::failed;
        case fault::throws: throw std::runtime_error("the provider broke");
        case fault::no_memory: throw std::bad_alloc();
        case fault::hangs:
        case fault::slow: break;
        }
        duration const time =
            f == fault::slow ? std::chrono::duration_cast<duration>(faults_.delay()) : duration::max();
        auto waiting = wait(time);
        verdict const v = co_await std::move(waiting);
        co_return v;
    }

    // Performs an operation on the strand. `half`: only the first part.
    [[nodiscard]] auto work(std::size_t number, apply_request<toy_value> const& r, bool half)
        -> std::optional<toy_value>
    {
        std::string const id = r.prior ? (*r.prior)["id"] : std::string();
        if (!r.planned) {
            cloud::thing const* const there = cloud_->find(id);
            if (there == nullptr) return std::nullopt;
            if (!half) {
                cloud_->destroy(number, id);
                return std::nullopt;
            }
            toy_value damaged = there->value;
            damaged.set("stamp", "partial");
            cloud_->change(number, id, damaged);
            return damaged;
        }
        toy_value wanted = *r.planned;
        wanted.set("stamp", half ? "partial" : "of-" + wanted["size"]);
        if (!r.prior) return cloud_->make(number, std::move(wanted));
        if (cloud_->find(id) == nullptr) return std::nullopt;
        if (half) {
            wanted = *r.prior;
            wanted.set("stamp", "partial");
        }
        cloud_->change(number, id, wanted);
        return wanted;
    }

    [[nodiscard]] auto end(std::size_t number, asio::any_io_executor home, bool failed) -> task<void>
    {
        auto entering = enter();
        co_await std::move(entering);
        cloud_->end(number, failed);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
    }

    [[nodiscard]] auto manner_in(std::string const& operation) const -> misbehaviour
    {
        auto const found = manners_.find(operation);
        return found == manners_.end() ? misbehaviour::none : found->second;
    }

    [[nodiscard]] auto spoiled(std::string const& name, apply_request<toy_value> const& r, applied<toy_value> a) const
        -> applied<toy_value>
    {
        switch (manner_in(name)) {
        case misbehaviour::none:
        case misbehaviour::ignores_configuration:
        case misbehaviour::changes_mind: break;
        case misbehaviour::gives_nothing: a.object.reset(); break;
        case misbehaviour::gives_object: a.object = r.prior; break;
        case misbehaviour::leaves_unknown: a.object->set("stamp", std::nullopt); break;
        case misbehaviour::ignores_plan: a.object->set("size", "of its own choice"); break;
        }
        return a;
    }

    asio::strand<asio::any_io_executor> strand_;
    cloud* cloud_;
    strider::sim::fault_plan faults_;
    duration latency_;
    std::map<std::string, misbehaviour> manners_;
    bool remembers_ = true;
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_PROVIDER_HPP
