// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_REMOTE_VISIT_HPP
#define STRIDER_REMOTE_DETAIL_REMOTE_VISIT_HPP

#include <strider/remote/detail/pending_operation.hpp>
#include <strider/remote/request.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strider::remote::detail {

// A visit of a coordinator, in a queue or in a session.
template <class Session>
struct remote_visit {
    using pointer = std::unique_ptr<remote_visit>;
    using queue = std::list<pointer>;
    using operation = pending_operation<error_code, attempt_report, std::string>;

    typename operation::pointer completion;
    std::string key;
    std::string action;
    std::vector<std::string> labels;  // ascending, without repetition
    attempt_report report;
    std::uint64_t id = 0;
    bool is_idempotent = false;
    bool is_cancelled = false;
    Session* session = nullptr;       // null: in a queue
    typename queue::iterator place{};  // in that queue

    static void complete(pointer visit, error_code error, std::string result = {})
    {
        auto completion = std::move(visit->completion);
        auto report = std::move(visit->report);
        visit.reset();
        operation::complete(std::move(completion), error, std::move(report), std::move(result));
    }
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_REMOTE_VISIT_HPP
