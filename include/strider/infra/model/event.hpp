// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_EVENT_HPP
#define STRIDER_INFRA_MODEL_EVENT_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace strider::infra {

enum class event_kind : std::uint8_t {
    refresh_started,
    refresh_done,
    import_prepared,   ///< a provider is about to be asked for an object; text: its id
    imported,          ///< durable; text: its id
    operation_started,
    operation_running, ///< it has not ended yet: for whoever measures time, the engine does not tell it
    operation_done,    ///< durable: dependents may start
    operation_failed,
    provision_started,
    provision_output,  ///< text: one line
    provision_done,
    provision_failed,
};

/// Something that happened during a plan or an apply, for those who watch.
template <class V>
struct event {
    event_kind kind = event_kind::operation_started;
    address target;
    std::string deposed_key{};           ///< of the object that is destroyed, if it is a deposed one
    operation_kind operation = operation_kind::create;
    V const* object = nullptr;           ///< as it was before, or for `operation_done` as it is now
    std::string provisioner{};           ///< its type
    std::string text{};                  ///< a line of its output, or an id
    std::chrono::nanoseconds elapsed{};  ///< since the operation was started
};

/// Tells the time that events are measured by.
using clock_reading = std::function<std::chrono::nanoseconds()>;

/// Called as things happen, from several threads at once: the observer sees to its own locking, and returns soon.
template <class V>
using observer = std::function<void(event<V> const&)>;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_EVENT_HPP
