// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_EVENT_HPP
#define STRIDER_INFRA_MODEL_EVENT_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/invocation.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace strider::infra {

enum class event_kind : std::uint8_t {
    refresh_started,
    refresh_done,
    import_prepared,   ///< the provider call follows; text: the id
    imported,          ///< durable; text: its id
    operation_started,
    operation_running, ///< the operation has not ended; emitted by programs that measure time, not by the engine
    operation_done,    ///< durable: dependents may start
    operation_failed,
    provision_started,
    provision_output,  ///< text: one line
    provision_done,
    provision_failed,
    ephemeral_deferred, ///< an ephemeral resource is not opened before an apply; these are emitted by programs
    ephemeral_opening,
    ephemeral_opened,
    ephemeral_closing,
    ephemeral_closed,
    action_started,
    action_progress,  ///< text: one line
    action_done,
    action_failed,  ///< text: the messages of its errors
};

/// An event of a plan or an apply, for observers.
template <class V>
struct event {
    event_kind kind = event_kind::operation_started;  ///< determines the members that are set
    address target;  ///< the instance; empty for an event without one
    std::string deposed_key{};           ///< of the object to destroy, if it is deposed
    operation_kind operation = operation_kind::create;  ///< the operation that starts, continues or ends
    V const* object = nullptr;           ///< the prior object, or for `operation_done` the new one
    std::string provisioner{};           ///< type of the provisioner
    std::string text{};                  ///< a line of its output, or an id
    std::chrono::nanoseconds elapsed{};  ///< since the operation was started
    invocation<V> const* invoked = nullptr;  ///< of an action
};

/// Returns the time for events.
using clock_reading = std::function<std::chrono::nanoseconds()>;

/// Called for each event, from several threads at once: the observer must be thread-safe and return soon.
template <class V>
using observer = std::function<void(event<V> const&)>;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_EVENT_HPP
