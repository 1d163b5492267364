// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_REQUEST_HPP
#define STRIDER_REMOTE_REQUEST_HPP

#include <strider/walk/asio.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::remote {

/// An action to run, and its conditions.
template <class Action>
struct request {
    /// The action that a worker runs.
    Action action{};
    /// Idempotency key, the same in every attempt. Empty: a key that is unique in the coordinator.
    std::string key{};
    /// Labels that a worker must have, in any order. Each answer takes time in proportion to the number of different label sets
    /// of waiting visits, so labels name kinds of workers and not single actions.
    std::vector<std::string> labels{};
    /// True if a repetition of the action does no harm, also one that runs at the same time. Only such actions are tried again
    /// after the loss of a worker.
    bool is_idempotent = false;

    request() = default;
    /// An action without conditions.
    request(Action a) : action(std::move(a)) {}  // NOLINT(google-explicit-constructor): an action is a request
    /// A request with its idempotency key, the labels that its worker must have, and the permission to repeat it.
    request(Action a, std::string idempotency_key, std::vector<std::string> worker_labels = {}, bool idempotent = false)
        : action(std::move(a)),
          key(std::move(idempotency_key)),
          labels(std::move(worker_labels)),
          is_idempotent(idempotent)
    {}
};

/// The end of the last attempt of a visit.
struct attempt_report {
    /// Text of the failure, from the worker. Empty in other cases.
    std::string message;
    /// Name of the worker; null if the visit was sent to none.
    std::shared_ptr<std::string const> worker;
    /// Time that the action ran, measured by the worker.
    std::chrono::nanoseconds duration{};
    /// Number of attempts.
    std::uint32_t attempts = 0;
    /// Fencing token of the last attempt.
    std::uint64_t fencing_token = 0;
};

/// The end of a visit: its last attempt, and the result if the action is done.
template <class Result>
struct reply : attempt_report {
    /// The result of the action; empty after an error.
    std::optional<Result> result;
};

/// A failed visit, as an exception: its message names the worker and has the text of the failure.
class visit_error : public boost::system::system_error {
public:
    /// An error whose text has the name of the worker, or "no worker", and the message of the attempt if there is one.
    visit_error(error_code code, attempt_report const& end) : boost::system::system_error(code, text_of(end)) {}

private:
    static auto text_of(attempt_report const& end) -> std::string
    {
        std::string text = end.worker ? "worker " + *end.worker : std::string("no worker");
        if (!end.message.empty()) text += ": " + end.message;
        return text;
    }
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_REQUEST_HPP
