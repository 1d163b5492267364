// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace strider::detail {

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

    visit_strand(strand_of_t<Executor> on, std::shared_ptr<list> freed)
        : strand(std::move(on)),
          free_list(std::move(freed))
    {}

    void stop()
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

template <class Executor>
using visit_strand_ptr = std::shared_ptr<visit_strand<Executor>>;

// A function that begins or continues visits on a strand.
template <class Executor>
struct strand_task {
    using step_type = void (*)(visit_strand_ptr<Executor>, permit<Executor>);

    visit_strand_ptr<Executor> on;
    permit<Executor> given;
    step_type step;

    void operator()() { step(std::move(on), std::move(given)); }
};

// The strands of a run. Only the owner of the ledger uses it.
template <class Executor>
class visit_strands {
public:
    // \param make  returns a new strand that adds itself to the given list when it is free
    template <class Make>
    [[nodiscard]] auto take_free(Make const& make) -> visit_strand_ptr<Executor>
    {
        if (spare_ == nullptr) spare_ = free_->first.exchange(nullptr, std::memory_order_acquire);
        if (spare_ == nullptr) return all_.emplace_back(make(free_));
        return std::exchange(spare_, spare_->next)->shared_from_this();
    }
    void stop()
    {
        for (auto const& each : all_) each->stop();
    }

private:
    std::shared_ptr<typename visit_strand<Executor>::list> free_ =
        std::make_shared<typename visit_strand<Executor>::list>();
    visit_strand<Executor>* spare_ = nullptr;
    std::vector<visit_strand_ptr<Executor>> all_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
