// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP
#define STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP

#include <strider/version.hpp>

#include <memory>
#include <mutex>

namespace strider::detail {

// A reference from a cancellation slot to an operation that may have ended. It has memory of its own: a
// `std::weak_ptr` would keep the memory of the operation after its end, when the handler may expect it to be
// released.
//
// Operation must derive from std::enable_shared_from_this.
template <class Operation>
class operation_link {
public:
    explicit operation_link(Operation& to) noexcept : to_(&to) {}

    // Returns the operation, or null after its end. Any thread.
    [[nodiscard]] auto lock() -> std::shared_ptr<Operation>
    {
        std::lock_guard const lock(mutex_);
        return to_ == nullptr ? nullptr : to_->weak_from_this().lock();
    }
    // Called by the destructor of the operation.
    void disconnect()
    {
        std::lock_guard const lock(mutex_);
        to_ = nullptr;
    }

private:
    std::mutex mutex_;
    Operation* to_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP
