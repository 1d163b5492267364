// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_COORDINATOR_OPTIONS_HPP
#define STRIDER_REMOTE_COORDINATOR_OPTIONS_HPP

#include <strider/remote/frame.hpp>
#include <strider/walk/asio.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace strider::remote {

/// An event of a coordinator, for logs. The texts are valid during the call.
struct coordinator_event {
    /// The kinds of events.
    enum class kind_type : std::uint8_t {
        worker_joined,    ///< a session began
        worker_left,      ///< a session ended, with `error` unless the worker was drained
        worker_rejected,  ///< a peer was not accepted, because of `error`
        visit_repeated,   ///< the worker of a visit was lost; another attempt follows
        answer_refused,   ///< an answer of an earlier session, or for a visit that the session does not have
    };

    /// The kind of the event.
    kind_type kind = kind_type::worker_joined;
    /// The name of the worker; valid during the call.
    std::string_view worker;
    /// The idempotency key of a visit that is repeated; empty in other events. Valid during the call.
    std::string_view key;
    /// The reason why a worker left or was rejected; `remote_errc::outcome_unknown` for a visit that is repeated.
    error_code error;
};

/// Options of a coordinator.
struct coordinator_options {
    /// Name of the application and of its format of actions. Workers of another one are rejected.
    std::string application{};
    /// Secret that a worker must present. It is sent in plain text, so use it only on streams that other parties cannot
    /// read.
    std::string credential{};
    /// Number of this coordinator. Epochs and fencing tokens of a coordinator with a larger number are larger, so a coordinator
    /// that replaces another one takes the next number. At most 2^24 - 1.
    std::uint32_t generation = 1;
    /// A peer that has sent nothing for this time sends a heartbeat.
    std::chrono::milliseconds heartbeat = std::chrono::seconds(1);
    /// A peer that has received nothing for this time, or has not been able to send, ends the session. At least twice `heartbeat`,
    /// at most 2^32 - 1 ms.
    std::chrono::milliseconds timeout = std::chrono::seconds(5);
    /// A visit whose labels no worker accepts for this time completes with `remote_errc::no_worker`. Zero: it waits.
    std::chrono::nanoseconds worker_wait = std::chrono::minutes(1);
    /// Maximum size of an action or a result, with its key. At least `max_hello_size`.
    std::uint32_t max_frame_size = default_max_frame_size;
    /// Visits are sent to a worker beyond its slots, so that it does not wait for the network between short actions: as many as it
    /// completes in this time, at most `max_prefetch`. A visit that waits at a worker cannot move to another one.
    std::chrono::nanoseconds prefetch_time = std::chrono::milliseconds(2);
    /// \see prefetch_time
    std::uint32_t max_prefetch = 128;
    /// Called on the strand of the coordinator. Must not throw.
    std::function<void(coordinator_event const&)> observer{};
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_COORDINATOR_OPTIONS_HPP
