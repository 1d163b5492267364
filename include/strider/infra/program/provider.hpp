// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_PROVIDER_HPP
#define STRIDER_INFRA_PROGRAM_PROVIDER_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// Creates, changes and destroys objects.
///
/// - `read(request)`: present value of an object, or that it does not exist any more.
/// - `plan(request)`: value that the object would have after an apply. Changes nothing.
/// - `apply(request)`: creates, updates or destroys an object. An exception counts as an interruption: the result is not known,
///   and the operation stays pending.
///
/// Each answer carries data that only the provider understands. The engine stores them with the object, and passes them with
/// the next request about it. A provider that has none returns those of the request, or nothing.
///
/// Members are called by several visits at once. A coroutine must end soon after a terminal cancellation.
template <class X, class P>
concept provider_for = program<P>
    && requires(X& x, read_request<typename P::value_type> read, plan_request<typename P::value_type> plan, apply_request<typename P::value_type> apply) {
           { x.read(std::move(read)) } -> std::same_as<task<result<read_result<typename P::value_type>, failure>>>;
           { x.plan(std::move(plan)) } -> std::same_as<task<result<planned<typename P::value_type>, failure>>>;
           { x.apply(std::move(apply)) } -> std::same_as<task<applied<typename P::value_type>>>;
       } && (!has_provisioners<P> || runs_provisioners<X, P>);

/// Optional: `has_side_effects(operation)` says whether an operation may change anything outside of state. An operation
/// without side effects is performed before its begin is durable, because a crash that loses both leaves no effect.
/// Default: every operation has side effects.
template <class X>
concept states_side_effects = requires(X const& x, pending_operation const& operation) {
    { x.has_side_effects(operation) } -> std::same_as<bool>;
};

/// Optional: `look_up(request)` finds the result of an operation whose end was not recorded. Default: the result is not known,
/// and a user has to decide.
template <class X, class P>
concept looks_up_operations = program<P> && requires(X& x, apply_request<typename P::value_type> request) {
    { x.look_up(std::move(request)) } -> std::same_as<task<looked_up<typename P::value_type>>>;
};

/// Optional: `read_data(request)` reads data of objects that this state does not manage. Default: a resource of mode `data` is
/// an error.
template <class X, class P>
concept has_data_sources = program<P> && requires(X& x, data_request<typename P::value_type> request) {
    { x.read_data(std::move(request)) } -> std::same_as<task<result<read_result<typename P::value_type>, failure>>>;
};

/// Optional: `import_object(request)` finds an existing object by its id. Default: an import is an error.
template <class X, class P>
concept imports_objects = program<P> && requires(X& x, import_request request) {
    { x.import_object(std::move(request)) } -> std::same_as<task<result<read_result<typename P::value_type>, failure>>>;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_PROVIDER_HPP
