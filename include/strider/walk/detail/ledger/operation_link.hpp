// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP
#define STRIDER_WALK_DETAIL_LEDGER_OPERATION_LINK_HPP

#include <strider/version.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <mutex>

namespace strider::detail {

// A reference from a cancellation slot to an operation that may have ended. It has memory of its own: the memory of the
// operation is released before its handler is called.
//
// Operation must have `try_own() -> bool`, which adds an owner unless there is none left.
template <class Operation>
class operation_link {
public:
    explicit operation_link(Operation& to) noexcept : to_(&to) {}

    // Returns the operation, or null after its end. Any thread.
    [[nodiscard]] auto lock() -> boost::intrusive_ptr<Operation>
    {
        std::lock_guard const lock(mutex_);
        if (to_ == nullptr || !to_->try_own()) return nullptr;
        return boost::intrusive_ptr<Operation>(to_, false);
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
