// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_WORKER_STATE_HPP
#define STRIDER_REMOTE_DETAIL_WORKER_STATE_HPP

#include <strider/remote/action.hpp>
#include <strider/remote/detail/worker_session.hpp>
#include <strider/remote/worker_options.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::remote::detail {

// The visits of a worker. A session and the running actions own it. All members are used on the strand, except `run_here`.
template <class Actions, class Clock>
class worker_state : public std::enable_shared_from_this<worker_state<Actions, Clock>> {
public:
    using clock_type = Clock;
    using strand_type = asio::strand<asio::any_io_executor>;
    using session = worker_session<worker_state>;
    using action_type = typename Actions::action_type;
    using result_type = typename Actions::result_type;

    worker_state(asio::any_io_executor executor, Actions actions, worker_options options)
        : strand_(asio::make_strand(std::move(executor))),
          actions_(std::move(actions)),
          options_(std::move(options))
    {
        if (options_.slots == 0) options_.slots = 1;
    }

    [[nodiscard]] auto strand() const noexcept -> strand_type const& { return strand_; }
    [[nodiscard]] auto options() const noexcept -> worker_options const& { return options_; }
    [[nodiscard]] auto hello() const -> hello_message
    {
        hello_message m;
        m.application = options_.application;
        m.credential = options_.credential;
        m.worker = options_.name;
        m.slots = options_.slots;
        m.labels = options_.labels;
        return m;
    }

    // Sessions.
    void attach(std::shared_ptr<session> const& s)
    {
        if (session_ != nullptr) return s->end(asio::error::already_connected);
        if (is_closed_) return s->end(asio::error::operation_aborted);
        if (is_draining_) return s->end(error_code());
        session_ = s.get();
        ++session_number_;
        s->begin();
    }
    void opened(session& s)
    {
        for (late_answer const& late : std::exchange(late_, {}))
            if (late.epoch != s.epoch()) s.answer(late.message());
        if (is_draining_) s.drain();
        schedule();
    }
    void left(session& s)
    {
        if (session_ != &s) return;
        session_ = nullptr;
        waiting_.clear();
        for (auto& [_, action] : running_) stop(action);
    }
    void forget(session& s) noexcept
    {
        if (session_ == &s) session_ = nullptr;
    }

    // Visits.
    void accept(session& s, visit_message const& v)
    {
        if (is_draining_) return reply(origin_of(s, v.token), answer_status::not_started);
        waiting_.push_back({visit_context(std::string(v.key), v.token, s.epoch(), v.attempt), std::string(v.action)});
    }
    void cancel(session& s, std::uint64_t token)
    {
        for (auto at = waiting_.begin(); at != waiting_.end(); ++at)
            if (at->context.fencing_token() == token) {
                waiting_.erase(at);
                return reply(origin_of(s, token), answer_status::cancelled);
            }
        auto const found = running_.find(origin_of(s, token));
        if (found != running_.end()) stop(found->second);
    }
    void drain()
    {
        if (std::exchange(is_draining_, true)) return;
        for (auto const& v : std::exchange(waiting_, {})) reply(origin_of(v.context), answer_status::not_started);
        if (session_ != nullptr) session_->drain();
    }
    void close()
    {
        is_closed_ = true;
        if (session_ != nullptr) session_->end(asio::error::operation_aborted);
    }
    // Starts actions and sends answers, soon.
    void schedule()
    {
        if (std::exchange(is_scheduled_, true)) return;
        asio::post(strand_, [self = this->shared_from_this()] { self->run(); });
    }

private:
    // Where a visit came from. Two coordinators may use equal epochs and tokens, so sessions are counted, too.
    struct origin {
        std::uint64_t session;
        std::uint64_t epoch;
        std::uint64_t token;

        friend auto operator<=>(origin const&, origin const&) = default;
    };
    struct waiting_visit {
        visit_context context;
        std::string action;
    };
    // An action that runs: its signal is emitted on the executor of its coroutine.
    struct running_action {
        explicit running_action(asio::any_io_executor on) : executor(std::move(on)) {}
        asio::any_io_executor executor;
        asio::cancellation_signal signal;
        bool is_stopped = false;
    };
    struct late_answer {
        std::uint64_t epoch;
        std::uint64_t token;
        answer_status status;
        std::chrono::nanoseconds duration;
        std::string payload;

        [[nodiscard]] auto message() const -> answer_message { return {epoch, token, status, duration, payload}; }
    };
    static constexpr std::size_t max_late_answers = 1024;

    class outcome {
    public:
        outcome() = default;
        outcome(answer_status s, std::string text) : status(s), payload(std::move(text)) {}
        outcome(worker_state const& of, result_type const& result) { of.actions_.encode_result(result, payload); }
        answer_status status = answer_status::done;
        std::string payload;
    };

    [[nodiscard]] auto origin_of(visit_context const& of) const -> origin
    {
        return {session_number_, of.epoch(), of.fencing_token()};
    }
    [[nodiscard]] auto origin_of(session const& s, std::uint64_t token) const -> origin
    {
        return {session_number_, s.epoch(), token};
    }

    void run()
    {
        is_scheduled_ = false;
        while (!waiting_.empty() && running_.size() < options_.slots) {
            waiting_visit next = std::move(waiting_.front());
            waiting_.pop_front();
            start(std::move(next));
        }
        if (session_ != nullptr) session_->flush();
    }
    void start(waiting_visit next)
    {
        origin const from = origin_of(next.context);
        std::optional<action_type> action;
        try {
            action = actions_.decode_action(next.action);
        } catch (...) {
            action.reset();
        }
        if (!action) return reply(from, answer_status::malformed);
        auto const begun = Clock::now(strand_.get_inner_executor());
        auto self = this->shared_from_this();
        auto finished = [self, from, begun](outcome end) {
            auto const taken = Clock::now(self->strand_.get_inner_executor()) - begun;
            asio::post(self->strand_,
                [self, from, taken, end = std::move(end)]() mutable { self->ended(from, taken, std::move(end)); });
        };
        if constexpr (runs_as_coroutine<Actions>) {
            asio::any_io_executor on = asio::make_strand(strand_.get_inner_executor());
            auto const entry = running_.emplace(from, std::make_shared<running_action>(on)).first->second;
            asio::co_spawn(on, run_as_coroutine(self, std::move(next.context), std::move(*action)),
                asio::bind_cancellation_slot(entry->signal.slot(),
                    [entry, finished = std::move(finished)](std::exception_ptr thrown, outcome end) {
                        if (thrown) end = failure_of(thrown);
                        finished(std::move(end));
                    }));
        } else {
            running_.emplace(from, std::make_shared<running_action>(asio::any_io_executor()));
            asio::post(strand_.get_inner_executor(),
                [self, context = std::move(next.context), what = std::move(*action),
                    finished = std::move(finished)]() mutable {
                    outcome end;
                    try {
                        end = outcome(*self, self->actions_.run(std::move(context), std::move(what)));
                    } catch (...) {
                        end = failure_of(std::current_exception());
                    }
                    finished(std::move(end));
                });
        }
    }
    // An action that ends with operation_aborted was cancelled only if its signal was emitted. Otherwise it failed.
    void ended(origin const& from, std::chrono::nanoseconds taken, outcome end)
    {
        auto const action = running_.extract(from).mapped();
        if (end.status == answer_status::cancelled && !action->is_stopped) end.status = answer_status::failed;
        if (end.status == answer_status::cancelled) end.payload.clear();
        reply(from, end.status, taken, end.payload);
    }

public:
    [[nodiscard]] static auto run_as_coroutine(
        std::shared_ptr<worker_state> self, visit_context context, action_type action) -> asio::awaitable<outcome>
    {
        auto running = self->actions_.run(std::move(context), std::move(action));
        result_type const result = co_await std::move(running);
        outcome end(*self, result);
        co_return end;
    }
    [[nodiscard]] static auto failure_of(std::exception_ptr const& thrown) -> outcome
    {
        try {
            std::rethrow_exception(thrown);
        } catch (boost::system::system_error const& e) {
            bool const aborted = e.code() == asio::error::operation_aborted;
            return {aborted ? answer_status::cancelled : answer_status::failed, e.what()};
        } catch (std::exception const& e) {
            return {answer_status::failed, e.what()};
        } catch (...) {
            return {answer_status::failed, "an exception of unknown type"};
        }
    }

    // Terminal cancellation, on the executor of the action.
    static void stop(std::shared_ptr<running_action> const& action)
    {
        if (!action->executor) return;
        action->is_stopped = true;
        asio::post(action->executor, [action] { action->signal.emit(asio::cancellation_type::terminal); });
    }
    // An answer of an earlier session is sent in the next one, where the coordinator refuses it by its epoch and reports that. If
    // another coordinator has given that epoch again, the answer is not sent.
    void reply(
        origin const& to, answer_status status, std::chrono::nanoseconds taken = {}, std::string_view payload = {})
    {
        bool const is_open = session_ != nullptr && session_->is_open();
        bool const is_late = to.session != session_number_;
        if (is_open && !(is_late && to.epoch == session_->epoch()))
            session_->answer({to.epoch, to.token, status, taken, payload});
        else if (!is_open && late_.size() < max_late_answers)
            late_.push_back({to.epoch, to.token, status, taken, std::string(payload)});
        schedule();
    }

    strand_type strand_;
    Actions actions_;
    worker_options options_;
    session* session_ = nullptr;
    std::uint64_t session_number_ = 0;  // of the latest session
    std::deque<waiting_visit> waiting_;
    std::map<origin, std::shared_ptr<running_action>> running_;
    std::vector<late_answer> late_;
    bool is_scheduled_ = false;
    bool is_draining_ = false;
    bool is_closed_ = false;
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_WORKER_STATE_HPP
