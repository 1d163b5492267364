// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_OWNED_OPERATION_HPP
#define STRIDER_WALK_DETAIL_LEDGER_OWNED_OPERATION_HPP

#include <strider/version.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace strider::detail {

// The base of an operation whose last owner ends it: `Operation::end<InPlace>(operation)` destroys it and, if it has
// completed, calls its handler, in place if InPlace is true and the executor of the handler permits it.
template <class Operation>
class owned_operation {
public:
    // Ends an ownership, with the call of the handler in place.
    static void leave(boost::intrusive_ptr<Operation> self)
    {
        if (Operation* const left = self.detach(); left != nullptr && release(*left))
            Operation::template end<true>(left);
    }
    // Becomes an owner of an operation that may have none left. \return false if it has none
    [[nodiscard]] auto try_own() noexcept -> bool
    {
        std::size_t owners = owners_.load(std::memory_order_relaxed);
        while (owners != 0)
            if (owners_.compare_exchange_weak(owners, owners + 1, std::memory_order_relaxed)) return true;
        return false;
    }

protected:
    owned_operation() = default;
    ~owned_operation() = default;

    template <class Allocator, class... Arguments>
    [[nodiscard]] static auto create(Allocator memory, Arguments&&... arguments) -> boost::intrusive_ptr<Operation>
    {
        Operation* const made = std::allocator_traits<Allocator>::allocate(memory, 1);
        try {
            std::construct_at(made, std::forward<Arguments>(arguments)...);
        } catch (...) {
            std::allocator_traits<Allocator>::deallocate(memory, made, 1);
            throw;
        }
        return boost::intrusive_ptr<Operation>(made);
    }
    template <class Allocator>
    static void destroy(Allocator memory, Operation* operation)
    {
        std::destroy_at(operation);
        std::allocator_traits<Allocator>::deallocate(memory, operation, 1);
    }

private:
    friend void intrusive_ptr_add_ref(owned_operation* of) noexcept
    {
        of->owners_.fetch_add(1, std::memory_order_relaxed);
    }
    // As `leave`, but the handler is never called in place: an exception of it cannot leave a destructor.
    friend void intrusive_ptr_release(owned_operation* of) noexcept
    {
        if (!release(*of)) return;
        try {
            Operation::template end<false>(static_cast<Operation*>(of));
        } catch (...) {
            // Without memory for the call, the handler is destroyed as if its context were.
        }
    }
    // \return true if there is no other owner
    [[nodiscard]] static auto release(owned_operation& of) noexcept -> bool
    {
        return of.owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

    std::atomic<std::size_t> owners_{0};
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_OWNED_OPERATION_HPP
