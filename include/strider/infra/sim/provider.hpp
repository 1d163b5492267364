// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_PROVIDER_HPP
#define STRIDER_INFRA_SIM_PROVIDER_HPP

#include <strider/core/result.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/cloud_access.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/contract_violation.hpp>
#include <strider/infra/sim/objectless_calls.hpp>
#include <strider/infra/sim/private_data.hpp>
#include <strider/infra/sim/state_objects.hpp>
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

/// The provider of the objects of the toy, with a clock policy and a fault plan.
///
/// "kind" cannot be changed in place. "id" and "stamp" are computed; the stamp depends on "size" only, so it may be
/// unchanged. The names of operations in the fault plan are: "plan toy.a", "read toy.a", "provision toy.a", and for
/// each of create, update and destroy three points: "create toy.a" (nothing was done), "create toy.a/partly" (a part
/// was done), and "create toy.a/done" (all was done, but the result is lost). A hanging operation can be cancelled.
///
/// It works under the conditions of the cloud: it repeats a request that is throttled, and a read that does not find the object.
///
/// The cloud is accessed on a strand only. Cloud and provider must outlive all calls.
template <class Clock = steady_clock>
class provider : public objectless_calls<Clock> {
    using access = cloud_access<Clock>;
    using fault = strider::sim::fault;
    using duration = typename Clock::duration;
    using step_result = typename access::step_result;
    using access::cloud_;
    using access::enter;
    using access::faults_;
    using access::inject;
    using access::poll;
    using access::request;
    using access::wait;
    using objectless_calls<Clock>::latency_;

public:
    /// A provider with the faults of its calls. \param latency  of each operation and action, in the time of the clock
    provider(asio::any_io_executor executor, cloud& on, strider::sim::fault_plan faults = {},
        duration latency = duration::zero())
        : objectless_calls<Clock>(std::move(executor), on, std::move(faults), latency)
    {}
    /// Sets a violation for `operation`, named as in the fault plan: "create toy.a", "plan toy.a", "read toy.a".
    void violate_contract(std::string operation, contract_violation how)
    {
        violations_.insert_or_assign(std::move(operation), how);
    }
    /// From now on the results of operations cannot be looked up.
    void forget_operations() { remembers_ = false; }
    /// From now on, objects exist only in state, and operations do not reach the cloud.
    void keep_objects_in_state() { in_state_ = true; }
    /// Returns whether operations reach the cloud.
    [[nodiscard]] auto has_side_effects(pending_operation const&) const -> bool { return !in_state_; }
    /// Returns the present value in the cloud, or none if the object is gone or repeated reads do not see it.
    [[nodiscard]] auto read(read_request<toy_value> r) -> task<result<read_result<toy_value>, failure>>
    {
        if (in_state_) co_return read_result<toy_value>(r.prior, r.private_data);
        auto const home = co_await asio::this_coro::executor;
        auto requesting = request();
        if (auto const refused = co_await std::move(requesting)) co_return failure(*refused);
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("read " + to_string(r.target));
        std::optional<toy_value> now = cloud_->read(r.prior["id"]);
        bool const may_be_stale = !now && cloud_->conditions().stale_reads != 0;
        if (now && violation_of("read " + to_string(r.target)) == contract_violation::returns_unknown)
            now->set("stamp", std::nullopt);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(f);
        step_result const v = co_await std::move(injecting);
        if (v != step_result::succeeded) co_return failure(sim_error(codes::cloud_unavailable, {to_string(r.target)}));
        if (has_data_of_another(r.prior, r.private_data))
            co_return failure(sim_error(codes::private_data_mismatch, {to_string(r.target)}));
        if (may_be_stale) {
            auto polling = poll(r.prior["id"]);
            now = co_await std::move(polling);
        }
        co_return read_result<toy_value>(now, now ? private_data_of(*now) : document());
    }
    /// Plans the configured attributes; the id of a new object is unknown. A changed "kind" requires a replacement.
    [[nodiscard]] auto plan(plan_request<toy_value> r) -> task<result<planned<toy_value>, failure>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("plan " + to_string(r.target));
        std::string const nonce = "after " + std::to_string(cloud_->log().size()) + " operations";
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(f);
        step_result const v = co_await std::move(injecting);
        if (v != step_result::succeeded) co_return failure(sim_error(codes::plan_refused, {to_string(r.target)}));
        if (has_data_of_another(r.prior, r.private_data))
            co_return failure(sim_error(codes::private_data_mismatch, {to_string(r.target)}));
        planned<toy_value> p(r.config);
        p.private_data = document("for " + to_string(r.target));
        contract_violation const how = violation_of("plan " + to_string(r.target));
        if (how == contract_violation::ignores_configuration) p.after.set("size", "other");
        if (!r.prior) {
            p.after.set("id", std::nullopt);
            p.after.set("stamp", std::nullopt);
            if (how == contract_violation::is_inconsistent) p.after.set("nonce", nonce);
            co_return p;
        }
        p.after.set("id", (*r.prior)["id"]);
        p.after.set("stamp", (*r.prior)["stamp"]);
        if (p.after != *r.prior) p.after.set("stamp", std::nullopt);
        if (r.config.is_unknown("kind") || r.config["kind"] != (*r.prior)["kind"])
            p.replace_paths.push_back({attribute_step("kind")});
        co_return p;
    }
    /// Creates, changes or destroys an object; a fault may fail, delay, hang or interrupt the call.
    [[nodiscard]] auto apply(apply_request<toy_value> r) -> task<applied<toy_value>>
    {
        // The bookkeeping must complete; where an operation takes time, the timer receives a cancellation.
        auto not_cancelled = asio::this_coro::throw_if_cancelled(false);
        co_await not_cancelled;
        auto const home = co_await asio::this_coro::executor;
        std::string const name = std::string(to_string(r.operation.kind)) + " " + to_string(r.operation.target);

        bool const planned = r.operation.kind != operation_kind::destroy;
        if (planned ? r.private_data != document("for " + to_string(r.operation.target))
                    : has_data_of_another(r.prior, r.private_data)) {
            diagnostics problems;
            problems.add(sim_error(codes::private_data_mismatch, {to_string(r.operation.target)}));
            co_return applied<toy_value>(std::nullopt, std::move(problems));
        }
        if (in_state_) co_return apply_in_state(std::move(r));
        auto requesting = request();
        if (auto const refused = co_await std::move(requesting)) {
            diagnostics problems;
            problems.add(*refused);
            co_return applied<toy_value>(std::nullopt, std::move(problems));
        }
        auto entering = enter();
        co_await std::move(entering);
        std::size_t const number = cloud_->begin(r.operation);
        fault const at_first = faults_.next(name);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(at_first);
        step_result v = co_await std::move(injecting);
        if (v == step_result::succeeded && latency_ != duration::zero()) {
            auto taking = wait(latency_);
            v = co_await std::move(taking);
        }

        auto working = enter();
        co_await std::move(working);
        fault partly = fault::none;
        fault at_last = fault::none;
        std::optional<toy_value> object;
        bool const refused = cloud_->is_revoked(number)
            || (!planned && cloud_->conditions().refuses_referenced && cloud_->is_referenced((*r.prior)["id"]));
        if (v == step_result::succeeded && refused) v = step_result::failed;
        if (v == step_result::succeeded) {
            partly = faults_.next(name + "/partly");
            at_last = faults_.next(name + "/done");
            object = work(number, r, partly != fault::none && partly != fault::slow);
        }
        auto yielded = asio::post(home, asio::use_awaitable);
        co_await std::move(yielded);
        if (v != step_result::succeeded) {
            auto ending = end(number, home, true);
            co_await std::move(ending);
            diagnostics problems;
            problems.add(sim_error(codes::operation_refused, {name}));
            applied<toy_value> nothing(std::nullopt, std::move(problems));
            co_return nothing;
        }
        auto half = inject(partly);
        v = co_await std::move(half);
        if (v == step_result::succeeded) {
            auto rest = inject(at_last);
            v = co_await std::move(rest);
        }
        if (v == step_result::aborted) co_return applied<toy_value>::unknown();
        auto ending = end(number, home, v == step_result::failed);
        co_await std::move(ending);
        diagnostics problems;
        if (v == step_result::failed) problems.add(sim_error(codes::operation_failed, {name}));
        applied<toy_value> answer(std::move(object), std::move(problems));
        if (answer.object) answer.private_data = private_data_of(*answer.object);
        co_return apply_violation(name, r, std::move(answer));
    }
    /// Finds the call by its idempotency key. An operation that was not begun is not done, and its key is revoked.
    [[nodiscard]] auto look_up(apply_request<toy_value> r) -> task<looked_up<toy_value>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto entering = enter();
        co_await std::move(entering);
        looked_up<toy_value> answer(lookup_answer::not_done);
        if (in_state_) co_return answer;
        pending_operation const& asked = r.operation;
        cloud_operation const* const known = cloud_->begun_as(asked.operation);
        cloud::resource const* const made = known == nullptr ? nullptr : cloud_->find(known->object);
        if (asked.kind == operation_kind::destroy) {
            bool const there = r.prior && cloud_->find((*r.prior)["id"]) != nullptr;
            answer.answer = there ? lookup_answer::not_done : lookup_answer::done;
        } else if (made != nullptr) {
            answer.answer = lookup_answer::done;
            answer.object = made->value;
            answer.private_data = private_data_of(made->value);
        }
        if (answer.answer == lookup_answer::not_done) cloud_->revoke(asked.operation);
        if (!remembers_) answer = looked_up<toy_value>(lookup_answer::unknown);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        co_return answer;
    }

    /// Finds an object by its id. Name in the fault plan: "import toy.a".
    [[nodiscard]] auto import_object(import_request r) -> task<result<read_result<toy_value>, failure>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto requesting = request();
        if (auto const refused = co_await std::move(requesting)) co_return failure(*refused);
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("import " + to_string(r.target));
        toy_value known;
        known.set("id", std::move(r.id));
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(f);
        step_result const v = co_await std::move(injecting);
        if (v != step_result::succeeded) co_return failure(sim_error(codes::import_failed, {to_string(r.target)}));
        co_return read_result<toy_value>(std::move(known));
    }

    /// Reads the attributes of the object with the configured "id". Name in the fault plan: "read data.toy.a".
    [[nodiscard]] auto read_data(data_request<toy_value> r) -> task<result<read_result<toy_value>, failure>>
    {
        auto const home = co_await asio::this_coro::executor;
        auto requesting = request();
        if (auto const refused = co_await std::move(requesting)) co_return failure(*refused);
        auto entering = enter();
        co_await std::move(entering);
        fault const f = faults_.next("read " + to_string(r.target));
        std::optional<toy_value> data = cloud_->read(r.config["id"]);
        bool const may_be_stale = !data && cloud_->conditions().stale_reads != 0;
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
        auto injecting = inject(f);
        step_result const v = co_await std::move(injecting);
        if (v != step_result::succeeded) co_return failure(sim_error(codes::cloud_unavailable, {to_string(r.target)}));
        if (may_be_stale) {
            auto polling = poll(r.config["id"]);
            data = co_await std::move(polling);
        }
        if (!data) co_return failure(sim_error(codes::data_missing, {to_string(r.target)}));
        co_return read_result<toy_value>(std::move(data));
    }

private:
    // Performs an operation on the strand. `half`: only the first part.
    [[nodiscard]] auto work(std::size_t number, apply_request<toy_value> const& r, bool half)
        -> std::optional<toy_value>
    {
        std::string const id = r.prior ? (*r.prior)["id"] : std::string();
        if (!r.planned) {
            cloud::resource const* const there = cloud_->find(id);
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
        toy_value desired = *r.planned;
        desired.set("stamp", half ? "partial" : "of-" + desired["size"]);
        if (!r.prior) return cloud_->make(number, std::move(desired));
        if (cloud_->find(id) == nullptr) return std::nullopt;
        if (half) {
            desired = *r.prior;
            desired.set("stamp", "partial");
        }
        cloud_->change(number, id, desired);
        return desired;
    }

    [[nodiscard]] auto end(std::size_t number, asio::any_io_executor home, bool failed) -> task<void>
    {
        auto entering = enter();
        co_await std::move(entering);
        cloud_->end(number, failed);
        auto leaving = asio::post(home, asio::use_awaitable);
        co_await std::move(leaving);
    }

    [[nodiscard]] auto violation_of(std::string const& operation) const -> contract_violation
    {
        auto const found = violations_.find(operation);
        return found == violations_.end() ? contract_violation::none : found->second;
    }

    [[nodiscard]] auto apply_violation(
        std::string const& name, apply_request<toy_value> const& r, applied<toy_value> a) const -> applied<toy_value>
    {
        switch (violation_of(name)) {
        case contract_violation::none:
        case contract_violation::ignores_configuration:
        case contract_violation::is_inconsistent: break;
        case contract_violation::returns_nothing: a.object.reset(); break;
        case contract_violation::returns_object: a.object = r.prior; break;
        case contract_violation::returns_unknown: a.object->set("stamp", std::nullopt); break;
        case contract_violation::ignores_plan: a.object->set("size", "other"); break;
        }
        return a;
    }

    std::map<std::string, contract_violation> violations_;
    bool remembers_ = true;
    bool in_state_ = false;
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_PROVIDER_HPP
