// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/executor.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace strider::detail {

// The permission to visit one vertex; at most `max_concurrency` exist. A permit owns the run. A strand without a permit
// owns no part of it, so the handler of the walk is called even if frames of its strands are still unwinding.
template <class Run>
struct permit {
    boost::intrusive_ptr<Run> run;
    vertex_id vertex;

    [[nodiscard]] explicit operator bool() const noexcept { return run != nullptr; }
};

// A strand on which awaitable or handle visits run in sequence, with the signal for terminal cancellation, which is
// emitted on that strand only. The strand is needed because the cancellation state of a coroutine is not thread-safe.
//
// If the executor of the walk is a strand, it is the strand of all visits.
//
// A strand is free when its coroutine has ended, not when it has no vertex to visit: until then its signal is in use.
// It then adds itself to the list, from which the owner of the ledger takes it.
template <class Executor>
struct visit_strand : std::enable_shared_from_this<visit_strand<Executor>> {
    struct list {
        std::atomic<visit_strand*> first{nullptr};
    };

    visit_strand(Executor const& executor, std::shared_ptr<list> freed) : strand(executor), free_list(std::move(freed))
    {}

    void cancel()
    {
        asio::post(strand, [self = this->shared_from_this()] {
            if (self->accepts_signals.load(std::memory_order_relaxed))
                self->signal.emit(asio::cancellation_type::terminal);
        });
    }
    void release() noexcept
    {
        next = free_list->first.load(std::memory_order_relaxed);
        while (
            !free_list->first.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }

    strand_of_t<Executor> strand;
    asio::cancellation_signal signal;
    std::atomic<bool> accepts_signals{true};  // false between two visits by handle: the visit may be destroyed
    std::shared_ptr<list> free_list;
    visit_strand* next = nullptr;  // in the list
};

// The strands of a run, of a type that derives from `visit_strand` or is it. Only the owner of the ledger uses it.
template <class Strand, class Executor>
class visit_strands {
    using base = visit_strand<Executor>;

public:
    [[nodiscard]] auto take_free(Executor const& executor) -> std::shared_ptr<Strand>
    {
        if (spare_ == nullptr) spare_ = free_->first.exchange(nullptr, std::memory_order_acquire);
        if (spare_ == nullptr) return all_.emplace_back(std::make_shared<Strand>(executor, free_));
        return std::static_pointer_cast<Strand>(std::exchange(spare_, spare_->next)->shared_from_this());
    }
    void cancel()
    {
        for (auto const& each : all_) each->cancel();
    }

private:
    std::shared_ptr<typename base::list> free_ = std::make_shared<typename base::list>();
    base* spare_ = nullptr;
    std::vector<std::shared_ptr<Strand>> all_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
