// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP
#define STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP

#include <memory>
#include <mutex>

namespace strider::detail {

// Leads from a timer or a cancellation slot to an operation, as long as that lives. Memory of its own: a `std::weak_ptr` would
// keep the memory of the operation after its end, where the handler may already expect it back.
//
// Operation derives from std::enable_shared_from_this.
template <class Operation>
class operation_link {
public:
    explicit operation_link(Operation& to) noexcept : to_(&to) {}

    // The operation, or null after its end. Any thread.
    [[nodiscard]] auto lock() -> std::shared_ptr<Operation>
    {
        std::lock_guard const lock(mutex_);
        return to_ == nullptr ? nullptr : to_->weak_from_this().lock();
    }
    // By the destructor of the operation.
    void sever()
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
