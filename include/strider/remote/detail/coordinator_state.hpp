// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_COORDINATOR_STATE_HPP
#define STRIDER_REMOTE_DETAIL_COORDINATOR_STATE_HPP

#include <strider/core/assert.hpp>
#include <strider/remote/coordinator_options.hpp>
#include <strider/remote/detail/coordinator_session.hpp>
#include <strider/walk/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::remote::detail {

// The queues and sessions of a coordinator. Sessions own it; it does not own them. All members are used on the strand, except
// those that are const after construction, and `next_id`.
template <class Clock, class Placement, class Retry>
class coordinator_state : public std::enable_shared_from_this<coordinator_state<Clock, Placement, Retry>> {
public:
    using clock_type = Clock;
    using strand_type = asio::strand<asio::any_io_executor>;
    using session = coordinator_session<coordinator_state>;
    using visit = typename session::visit;
    using completion = strider::detail::waiting_handler<error_code>;

    coordinator_state(asio::any_io_executor executor, coordinator_options options, Placement placement, Retry retry)
        : strand_(asio::make_strand(std::move(executor))),
          timer_(strand_.get_inner_executor()),
          options_(std::move(options)),
          placement_(std::move(placement)),
          retry_(std::move(retry)),
          epoch_(std::uint64_t{options_.generation} << 40U),
          token_(std::uint64_t{options_.generation} << 40U)
    {
        STRIDER_ASSERT(options_.heartbeat.count() > 0 && options_.timeout >= 2 * options_.heartbeat
                && options_.timeout.count() <= std::numeric_limits<std::uint32_t>::max(),
            "the timeout of a session is at least two intervals of its heartbeats, and less than 50 days");
        STRIDER_ASSERT(options_.max_frame_size >= max_hello_size, "a frame holds the first message of a worker");
    }

    [[nodiscard]] auto strand() const noexcept -> strand_type const& { return strand_; }
    [[nodiscard]] auto options() const noexcept -> coordinator_options const& { return options_; }
    [[nodiscard]] auto next_id() noexcept -> std::uint64_t { return id_.fetch_add(1, std::memory_order_relaxed) + 1; }

    // Visits.
    void submit(typename visit::pointer v)
    {
        if (is_closed_) return visit::complete(std::move(v), asio::error::operation_aborted);
        if (is_draining_) return visit::complete(std::move(v), make_error_code(remote_errc::draining));
        live_.emplace(v->id, v.get());
        queue& to = queues_[v->labels];
        auto* const added = v.get();
        added->place = to.visits.insert(to.visits.end(), std::move(v));
        schedule();
    }
    void cancel(std::uint64_t id, bool only_before_start)
    {
        auto const found = live_.find(id);
        if (found == live_.end() || found->second->is_cancelled) return;
        visit& v = *found->second;
        if (v.session != nullptr) {
            if (only_before_start) return;
            v.is_cancelled = true;
            return v.session->cancel(v.report.fencing_token);
        }
        auto const in = queues_.find(v.labels);
        auto gone = std::move(*v.place);
        in->second.visits.erase(v.place);
        complete(std::move(gone), asio::error::operation_aborted);
    }
    void answered(typename visit::pointer v, answer_message const& answer)
    {
        switch (answer.status) {
        case answer_status::done: return complete(std::move(v), {}, std::string(answer.payload));
        case answer_status::failed:
            v->report.message = answer.payload;
            return complete(std::move(v), make_error_code(remote_errc::action_failed));
        case answer_status::malformed: return complete(std::move(v), make_error_code(remote_errc::malformed_action));
        case answer_status::too_large: return complete(std::move(v), make_error_code(remote_errc::message_too_large));
        case answer_status::cancelled:
            if (v->is_cancelled) return complete(std::move(v), asio::error::operation_aborted);
            v->report.message = "the worker has cancelled the action without a request";
            return complete(std::move(v), make_error_code(remote_errc::action_failed));
        case answer_status::not_started: return lost(std::move(v), false);
        }
    }
    // The session of the visit ended. If the visit was never sent, nothing ran.
    void lost(typename visit::pointer v, bool was_sent)
    {
        if (!was_sent) --v->report.attempts;
        bool const is_over = v->is_cancelled || is_closed_;
        if (is_over && (!was_sent || v->is_idempotent)) return complete(std::move(v), asio::error::operation_aborted);
        bool const again =
            !was_sent || (!is_over && retry_.tries_again(lost_visit{v->key, v->report.attempts, v->is_idempotent}));
        if (!again) return complete(std::move(v), make_error_code(remote_errc::outcome_unknown));
        if (was_sent)
            notify({coordinator_event::kind_type::visit_repeated, *v->report.worker, v->key,
                make_error_code(remote_errc::outcome_unknown)});
        queue& to = queues_[v->labels];
        auto* const added = v.get();
        added->place = to.visits.insert(to.visits.begin(), std::move(v));
        schedule();
    }

    // Sessions.
    void attach(std::shared_ptr<session> const& s)
    {
        sessions_.push_back(s.get());
        if (is_closed_) s->end(asio::error::operation_aborted);
        else s->start();
    }
    void joined(session& s)
    {
        notify({coordinator_event::kind_type::worker_joined, *s.info().name, {}, {}});
        schedule();
    }
    void left(session& s, error_code error, bool had_joined)
    {
        forget(s);
        if (s.info().name)
            notify(
                {had_joined ? coordinator_event::kind_type::worker_left : coordinator_event::kind_type::worker_rejected,
                    *s.info().name, {}, error});
        schedule();
    }
    void forget(session& s) noexcept { std::erase(sessions_, &s); }
    void refused(session& s)
    {
        ++refused_;
        notify({coordinator_event::kind_type::answer_refused, *s.info().name, {}, {}});
    }
    [[nodiscard]] auto next_epoch() noexcept -> std::uint64_t { return ++epoch_; }

    // The end.
    [[nodiscard]] auto is_draining() const noexcept -> bool { return is_draining_; }
    void drain(completion done)
    {
        if (is_closed_) return std::move(done).complete(asio::error::operation_aborted);
        drained_.push_back(std::move(done));
        is_draining_ = true;
        schedule();
    }
    void close()
    {
        is_closed_ = true;
        timer_.cancel();
        for (session* const s : std::vector<session*>(sessions_)) s->end(asio::error::operation_aborted);
        for (auto& [_, q] : std::exchange(queues_, {}))
            for (auto& v : q.visits) complete(std::move(v), asio::error::operation_aborted);
        for (auto& done : std::exchange(drained_, {})) std::move(done).complete(asio::error::operation_aborted);
    }

    // Sends what can be sent, soon: all visits that were submitted until then share frames.
    void schedule()
    {
        if (is_closed_ || std::exchange(is_scheduled_, true)) return;
        asio::post(strand_, [self = this->shared_from_this()] { self->run(); });
    }

private:
    using time_point = typename Clock::time_point;

    struct queue {
        typename visit::queue visits;
        std::vector<session*> free;
        std::vector<worker_info const*> workers;  // of `free`
        std::optional<time_point> unserved_since;
    };

    void complete(typename visit::pointer v, error_code error, std::string result = {})
    {
        live_.erase(v->id);
        visit::complete(std::move(v), error, std::move(result));
    }
    void notify(coordinator_event const& event) const
    {
        if (options_.observer) options_.observer(event);
    }

    void run()
    {
        is_scheduled_ = false;
        if (is_closed_) return;
        std::erase_if(queues_, [](auto const& entry) { return entry.second.visits.empty(); });
        for (auto& [labels, q] : queues_) find_workers(labels, q);
        while (auto* const next = oldest()) send_one(next->first, next->second);
        for (session* const s : std::vector<session*>(sessions_)) s->flush();
        expire();
        if (is_draining_ && live_.empty()) finish();
    }
    void find_workers(std::vector<std::string> const& labels, queue& q)
    {
        bool is_served = false;
        q.free.clear();
        q.workers.clear();
        for (session* const s : sessions_) {
            if (!s->is_open() || !placement_.accepts(labels, s->info())) continue;
            is_served = true;
            if (!s->has_credit()) continue;
            q.free.push_back(s);
            q.workers.push_back(&s->info());
        }
        if (is_served) q.unserved_since.reset();
        else if (!q.unserved_since) q.unserved_since = Clock::now(strand_.get_inner_executor());
    }
    // The queue that can send, and whose first visit is the oldest.
    [[nodiscard]] auto oldest() -> std::pair<std::vector<std::string> const, queue>*
    {
        std::pair<std::vector<std::string> const, queue>* best = nullptr;
        for (auto& entry : queues_) {
            queue const& q = entry.second;
            if (q.visits.empty() || q.free.empty()) continue;
            if (best == nullptr || q.visits.front()->id < best->second.visits.front()->id) best = &entry;
        }
        return best;
    }
    void send_one(std::vector<std::string> const& labels, queue& q)
    {
        std::size_t const chosen = placement_.select(labels, q.workers);
        STRIDER_ASSERT(chosen < q.free.size(), "a placement selects one of the given workers");
        session* const to = q.free[chosen];
        auto v = std::move(q.visits.front());
        q.visits.pop_front();
        to->take(std::move(v), ++token_);
        if (to->has_credit()) return;
        for (auto& [_, other] : queues_) {
            std::erase(other.free, to);
            std::erase(other.workers, &to->info());
        }
    }

    // Completes the visits that no worker has accepted for too long, and sets the timer for the next ones.
    void expire()
    {
        if (options_.worker_wait.count() == 0) return;
        auto const wait = std::chrono::duration_cast<typename Clock::duration>(options_.worker_wait);
        auto const time = Clock::now(strand_.get_inner_executor());
        std::optional<time_point> next;
        for (auto& [_, q] : queues_) {
            if (!q.unserved_since || q.visits.empty()) continue;
            if (wait > time_point::max() - *q.unserved_since) continue;
            time_point const end = *q.unserved_since + wait;
            if (end > time) next = next ? std::min(*next, end) : end;
            else
                for (auto& v : std::exchange(q.visits, {}))
                    complete(std::move(v), make_error_code(remote_errc::no_worker));
        }
        if (next == expiry_) return;
        expiry_ = next;
        timer_.cancel();
        if (!next) return;
        timer_.expires_after(*next - time);
        timer_.async_wait(asio::bind_executor(strand_, [weak = this->weak_from_this()](error_code error) {
            auto const self = weak.lock();
            if (!self || error) return;
            self->expiry_.reset();
            self->schedule();
        }));
    }
    void finish()
    {
        for (session* const s : std::vector<session*>(sessions_)) s->drain();
        // A peer that has not sent its first message is rejected when it does.
        for (session const* const s : sessions_)
            if (s->has_joined()) return;
        for (auto& done : std::exchange(drained_, {})) std::move(done).complete(error_code());
    }

    strand_type strand_;
    clock_timer_t<Clock> timer_;
    coordinator_options options_;
    Placement placement_;
    Retry retry_;
    std::map<std::vector<std::string>, queue> queues_;
    std::unordered_map<std::uint64_t, visit*> live_;
    std::vector<session*> sessions_;
    std::vector<completion> drained_;
    std::optional<time_point> expiry_;
    std::atomic<std::uint64_t> id_{0};
    std::uint64_t epoch_;
    std::uint64_t token_;
    std::uint64_t refused_ = 0;
    bool is_scheduled_ = false;
    bool is_draining_ = false;
    bool is_closed_ = false;
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_COORDINATOR_STATE_HPP
