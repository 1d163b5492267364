// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_WORKER_HPP
#define STRIDER_REMOTE_WORKER_HPP

#include <strider/remote/action.hpp>
#include <strider/remote/detail/worker_state.hpp>
#include <strider/remote/worker_options.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/detail/waiting_handler.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace strider::remote {

/// Runs the actions of a coordinator, `slots` of them at once.
///
/// A program connects to the coordinator and passes the stream to `async_serve`. If the session is lost, the worker discards what
/// has not started and cancels what runs; the program may connect again. An action that ignores cancellation runs to its
/// end; its answer is sent in the next session, and the coordinator refuses it, because the outcome was already decided.
///
/// Actions run on the executor: a coroutine on a strand of its own, an ordinary function directly. An executor of a single thread
/// does not send heartbeats while an ordinary function runs, so such functions need an executor of several threads, and
/// fewer slots than threads.
///
/// \tparam Actions  `action_policy`
/// \tparam Clock    `timed_clock_for` the executor; of a simulator `sim::virtual_clock`
template <action_policy Actions, timed_clock_for<asio::any_io_executor> Clock = steady_clock>
class basic_worker {
    using state = detail::worker_state<Actions, Clock>;

public:
    /// The type of the executor of the worker.
    using executor_type = asio::any_io_executor;
    /// Default completion token: errors are values.
    using default_token = asio::as_tuple_t<asio::deferred_t>;

    /// A worker that runs `actions` on the executor.
    explicit basic_worker(executor_type executor, Actions actions = {}, worker_options options = {})
        : state_(std::make_shared<state>(std::move(executor), std::move(actions), std::move(options)))
    {}
    basic_worker(basic_worker const&) = delete;
    auto operator=(basic_worker const&) -> basic_worker& = delete;
    /// As `close`. A pending session completes later.
    ~basic_worker() { close(); }

    /// The executor that was given.
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return state_->strand().get_inner_executor(); }

    /// Serves a coordinator over a stream until the session ends. A worker has one session at a time.
    ///
    /// The stream is as for `basic_coordinator::async_session`. It is used on a strand of the executor only.
    ///
    /// \par Completion signature
    /// `void(error_code)`; success if the coordinator has sent goodbye, also after `drain`: there is no reason to connect again.
    /// Else `remote_errc`, an error of the stream, `already_connected` if the worker has a session, or `operation_aborted`.
    ///
    /// \par Cancellation
    /// *Partial*: as `drain`. *Terminal*: the session ends at once. *Total* has no effect.
    template <class Stream, asio::completion_token_for<void(error_code)> Token = default_token>
    auto async_serve(Stream stream, Token&& token = Token())
    {
        return asio::async_initiate<Token, void(error_code)>(initiate_serve(state_.get()), token, std::move(stream));
    }

    /// Takes no further visit, returns those that have not started, and completes the running ones. The coordinator then sends
    /// goodbye. Further sessions end at once.
    void drain()
    {
        asio::post(state_->strand(), [state = state_] { state->drain(); });
    }
    /// Ends the session and cancels running actions, soon.
    void close()
    {
        asio::post(state_->strand(), [state = state_] { state->close(); });
    }

private:
    // As in a coordinator, the initiation does not own the state.
    class initiate_serve {
    public:
        using executor_type = asio::any_io_executor;
        explicit initiate_serve(state* of) noexcept : state_(of) {}
        [[nodiscard]] auto get_executor() const noexcept -> executor_type
        {
            return state_->strand().get_inner_executor();
        }

        template <class Handler, class Stream>
        void operator()(Handler&& handler, Stream&& stream) const
        {
            using connection = detail::connection_over<typename state::session, std::decay_t<Stream>>;
            auto const owner = state_->shared_from_this();
            auto slot = asio::get_associated_cancellation_slot(handler);
            strider::detail::waiting_handler<error_code> done(
                std::decay_t<Handler>(std::forward<Handler>(handler)), get_executor());
            std::shared_ptr<typename state::session> session =
                std::make_shared<connection>(std::forward<Stream>(stream), owner, std::move(done));
            if (slot.is_connected())
                slot.assign([strand = owner->strand(), weak = std::weak_ptr(session), of = std::weak_ptr(owner)](
                                asio::cancellation_type_t type) {
                    asio::post(strand, [weak, of, type] {
                        auto const s = weak.lock();
                        auto const worker = of.lock();
                        if (!s || !worker) return;
                        if ((type & asio::cancellation_type::terminal) != asio::cancellation_type::none)
                            s->end(asio::error::operation_aborted);
                        else if ((type & asio::cancellation_type::partial) != asio::cancellation_type::none)
                            worker->drain();
                    });
                });
            // The session is destroyed on the strand.
            asio::post(owner->strand(), [owner, session = std::move(session)] { owner->attach(session); });
        }

    private:
        state* state_;
    };

    std::shared_ptr<state> state_;
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_WORKER_HPP
