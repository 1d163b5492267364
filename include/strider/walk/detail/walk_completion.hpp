// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WALK_COMPLETION_HPP
#define STRIDER_WALK_DETAIL_WALK_COMPLETION_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/walk_report.hpp>

#include <utility>

namespace strider::detail {

// Calls the handler on its executor, after all memory of the walk is released.
template <class Handler>
struct walk_completion {
    using allocator_type = asio::associated_allocator_t<Handler>;

    Handler handler;
    walk_report report;

    [[nodiscard]] auto get_allocator() const noexcept -> allocator_type
    {
        return asio::get_associated_allocator(handler);
    }
    void operator()()
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.clear();
        error_code const error = report.error();
        std::move(handler)(error, std::move(report));
    }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WALK_COMPLETION_HPP
