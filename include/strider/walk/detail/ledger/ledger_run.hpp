// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP
#define STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/deadline.hpp>
#include <strider/walk/detail/ledger/operation_link.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace strider::detail {

template <class Executor>
struct visit_strand;
template <class Executor>
class ledger_run;

// The permission to visit one vertex; at most `max_concurrency` exist. A permit owns the walk. A strand without a
// permit owns no part of it, so the handler of the walk is called even if frames of its strands are still unwinding.
template <class Executor>
class permit {
public:
    using run_ptr = boost::intrusive_ptr<ledger_run<Executor>>;

    permit() = default;
    permit(run_ptr run, vertex_id v) noexcept : run_(std::move(run)), vertex_(v) {}

    [[nodiscard]] explicit operator bool() const noexcept { return run_ != nullptr; }
    [[nodiscard]] auto run() const noexcept -> ledger_run<Executor>& { return *run_; }
    [[nodiscard]] auto vertex() const noexcept -> vertex_id { return vertex_; }
    [[nodiscard]] auto share() const noexcept -> run_ptr { return run_; }
    [[nodiscard]] auto release() noexcept -> run_ptr { return std::move(run_); }

private:
    run_ptr run_;
    vertex_id vertex_;
};

// A function that is posted to the executor or the strand of a walk, and owns the walk. Its type depends on the executor
// only, so Asio's part of a post is instantiated once, not for each visitor and handler.
template <class Executor>
struct run_task {
    permit<Executor> given;  // without a vertex unless one is to be visited
    void (*step)(permit<Executor>);

    void operator()() { step(std::move(given)); }
};

// Ends the walk after a visit was lost, on the strand of the walk.
template <class Executor>
struct abort_task {
    boost::intrusive_ptr<ledger_run<Executor>> run;
    std::exception_ptr thrown;

    void operator()()
    {
        run->record_lost_visit(std::move(thrown));
        ledger_run<Executor>::leave(std::move(run));
    }
};

// The part of a walk with a ledger that depends on its executor only: ownership, stop requests, and what strands and
// posted functions call.
//
// Each posted function and each running visit owns the walk; nothing that the walk owns does. The last owner ends it.
template <class Executor>
class ledger_run {
public:
    using executor_type = Executor;
    using self_ptr = boost::intrusive_ptr<ledger_run>;
    using link_type = operation_link<ledger_run>;

    ledger_run(ledger_run const&) = delete;
    auto operator=(ledger_run const&) -> ledger_run& = delete;

    // True if the time of the walk is virtual: each visit begins as a task, and nothing depends on real time.
    [[nodiscard]] auto is_stepped() const noexcept -> bool { return clock_ != nullptr; }
    // Of the visits.
    [[nodiscard]] auto stop() const -> stop_token { return walk_access::make<stop_token>(control_); }
    // Any thread.
    [[nodiscard]] auto stopping() -> bool
    {
        control_.check_deadline();
        return control_.stopping();
    }

    // Ends an ownership, with the call of the handler in place.
    static void leave(self_ptr self)
    {
        if (ledger_run* const left = self.detach(); left != nullptr && release(*left)) left->end(true);
    }
    // Becomes an owner of a walk that may have none left. \return false if it has none
    [[nodiscard]] auto try_own() noexcept -> bool
    {
        std::size_t owners = owners_.load(std::memory_order_relaxed);
        while (owners != 0)
            if (owners_.compare_exchange_weak(owners, owners + 1, std::memory_order_relaxed)) return true;
        return false;
    }

    // Called by a slot before the walk begins, or by the owner of the ledger.
    [[nodiscard]] auto link() -> std::shared_ptr<link_type>
    {
        if (!link_) link_ = std::make_shared<link_type>(*this);
        return link_;
    }
    // Called by the slot of the handler. The request is recorded at once, also if the first function is still queued.
    static void request(std::shared_ptr<link_type> const& link, asio::cancellation_type_t type)
    {
        self_ptr self = link->lock();
        if (!self) return;
        self->control_.request(type);
        post_apply_requests(std::move(self));
    }
    // Called on any thread, without a lock of this walk, when a vertex that waits may be available.
    static void wake(std::shared_ptr<link_type> const& link) noexcept
    {
        try {
            if (self_ptr self = link->lock()) post_apply_requests(std::move(self));
        } catch (...) {
            // Without memory for the call, the walk looks again when one of its own visits ends, or when it is cancelled.
        }
    }

    // Posts to the executor on which plain visitors are called.
    virtual void post(run_task<Executor> task) const = 0;
    // Called by the strand of a visit by handle that ended after the visitor had returned. Any thread.
    virtual void continue_after_handle(std::shared_ptr<visit_strand<Executor>> on, permit<Executor> ended) = 0;
    // Called on any thread if a permit was lost because of an exception: ends the walk.
    virtual void abort_visit(std::exception_ptr thrown) = 0;
    // Called by the owner of the ledger.
    virtual void record_lost_visit(std::exception_ptr thrown) = 0;

protected:
    ledger_run(Executor const& executor, bool stop_on_first_failure, std::optional<deadline::duration> timeout)
        : executor_(executor),
          clock_(find_context_clock(executor))
    {
        control_.set(stop_on_first_failure, deadline(timeout, clock_));
    }
    ~ledger_run()
    {
        if (link_) link_->disconnect();
    }

    virtual void apply_requests() = 0;
    // Destroys the walk, releases its memory and then calls the handler if `calls` is true.
    virtual void destroy(bool calls) = 0;

    Executor executor_;
    context_clock* clock_;  // null: time is real
    run_control control_;
    bool completed_ = false;  // written by the owner of the ledger

    static void post_apply_requests(self_ptr self)
    {
        ledger_run& run = *self;
        run.post({permit<Executor>(std::move(self), {}), [](permit<Executor> given) {
                      given.run().apply_requests();
                      leave(given.release());
                  }});
    }

private:
    // Called by the last owner. Unless `in_place`, the call of the handler is posted: an exception of it cannot leave a
    // destructor.
    void end(bool in_place)
    {
        if (in_place || !completed_ || std::exchange(end_is_posted_, true)) return destroy(in_place && completed_);
        post({permit<Executor>(self_ptr(this), {}), [](permit<Executor> given) { leave(given.release()); }});
    }

    friend void intrusive_ptr_add_ref(ledger_run* of) noexcept { of->owners_.fetch_add(1, std::memory_order_relaxed); }
    friend void intrusive_ptr_release(ledger_run* of) noexcept
    {
        if (!release(*of)) return;
        try {
            of->end(false);
        } catch (...) {
            // Without memory for the call, the handler is destroyed as if its context were.
        }
    }
    // \return true if there is no other owner
    [[nodiscard]] static auto release(ledger_run& of) noexcept -> bool
    {
        return of.owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

    std::shared_ptr<link_type> link_;
    std::atomic<std::size_t> owners_{0};
    bool end_is_posted_ = false;
};

// The function of a cancellation slot.
template <class Executor>
struct cancel_walk {
    std::shared_ptr<operation_link<ledger_run<Executor>>> link;

    void operator()(asio::cancellation_type_t type) { ledger_run<Executor>::request(link, type); }
};

// The function that a ready queue calls when a vertex that waits may be available.
template <class Executor>
struct wake_walk {
    std::shared_ptr<operation_link<ledger_run<Executor>>> link;

    void operator()() const { ledger_run<Executor>::wake(link); }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP
