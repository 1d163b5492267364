// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_COORDINATOR_HPP
#define STRIDER_REMOTE_COORDINATOR_HPP

#include <strider/remote/action.hpp>
#include <strider/remote/coordinator_options.hpp>
#include <strider/remote/detail/coordinator_state.hpp>
#include <strider/remote/placement.hpp>
#include <strider/remote/request.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/detail/waiting_handler.hpp>
#include <strider/walk/executor.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace strider::remote::detail {

// Calls a handler with the decoded result.
template <class Handler, class Codec>
struct decoding_handler {
    Handler handler;
    std::shared_ptr<Codec const> codec;

    void operator()(error_code error, attempt_report end, std::string const& bytes)
    {
        reply<typename Codec::result_type> decoded{std::move(end), {}};
        if (!error) {
            try {
                decoded.result = codec->decode_result(bytes);
            } catch (...) {
                decoded.result.reset();
            }
            if (!decoded.result) error = make_error_code(remote_errc::malformed_result);
        }
        std::move(handler)(error, std::move(decoded));
    }
};

}  // namespace strider::remote::detail

/// \cond
template <template <class, class> class Associator, class Handler, class Codec, class Default>
struct boost::asio::associator<Associator, strider::remote::detail::decoding_handler<Handler, Codec>, Default>
    : Associator<Handler, Default> {
    static auto get(strider::remote::detail::decoding_handler<Handler, Codec> const& h) noexcept
    {
        return Associator<Handler, Default>::get(h.handler);
    }
    static auto get(
        strider::remote::detail::decoding_handler<Handler, Codec> const& h, Default const& otherwise) noexcept
    {
        return Associator<Handler, Default>::get(h.handler, otherwise);
    }
};
/// \endcond

namespace strider::remote {

/// Runs actions on workers, which are connected by streams, and completes each of them exactly once.
///
/// A program accepts or makes connections and passes each stream to `async_session`. Visitors of a walk call `async_run`, or are
/// a `remote::visitor`. A visit waits until a worker has its labels and credit; it is then sent, in one frame with others, and
/// completes when the answer arrives. If the session of a worker is lost before the answer, the outcome is unknown: the
/// retry policy selects between another attempt and `remote_errc::outcome_unknown`. An answer that arrives later is refused.
///
/// The coordinator exists when an operation starts; it may be destroyed before the operation ends.
///
/// All state is on one strand of the executor. There is no thread, no lock and no blocking call. Members may be called on any
/// thread; the object itself is not protected, as usual.
///
/// \tparam Codec      `action_codec`
/// \tparam Clock      `timed_clock_for` the executor; of a simulator `sim::virtual_clock`
/// \tparam Placement  `placement_policy`
/// \tparam Retry      `retry_policy`
template <action_codec Codec, timed_clock_for<asio::any_io_executor> Clock = steady_clock,
    placement_policy Placement = least_loaded, retry_policy Retry = retry_idempotent>
class basic_coordinator {
    using state = detail::coordinator_state<Clock, Placement, Retry>;
    using visit = typename state::visit;

public:
    /// The type of the executor of the coordinator.
    using executor_type = asio::any_io_executor;
    /// The type of the actions of the codec.
    using action_type = typename Codec::action_type;
    /// The type of the results of the codec.
    using result_type = typename Codec::result_type;
    /// Completion signature of `async_run`.
    using run_signature = void(error_code, reply<result_type>);
    /// Default completion token: errors are values, so that the reply is not lost.
    using default_token = asio::as_tuple_t<asio::deferred_t>;

    /// \pre Workers and coordinator have equal codecs: `options.application` names the format.
    explicit basic_coordinator(executor_type executor, Codec codec = {}, coordinator_options options = {},
        Placement placement = {}, Retry retry = {})
        : state_(
              std::make_shared<state>(std::move(executor), std::move(options), std::move(placement), std::move(retry))),
          codec_(std::make_shared<Codec const>(std::move(codec)))
    {}
    basic_coordinator(basic_coordinator const&) = delete;
    auto operator=(basic_coordinator const&) -> basic_coordinator& = delete;
    /// As `close`. Pending operations complete later.
    ~basic_coordinator() { close(); }

    /// The executor that was given. Handlers without an associated executor are called on it.
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return state_->strand().get_inner_executor(); }

    /// Serves a worker over a stream, from the handshake until the session ends.
    ///
    /// The stream is any Asio stream that has `async_read_some` and `async_write_some`, and `lowest_layer().close(ec)`,
    /// `close(ec)` or `close()`, which ends pending operations. It is used on the strand of the coordinator only.
    ///
    /// \par Completion signature
    /// `void(error_code)`; success if the worker was drained or the coordinator has sent goodbye; else `remote_errc`, an error of
    /// the stream, or `operation_aborted`. Visits of the session that have not ended are settled before that.
    ///
    /// \par Cancellation
    /// *Partial*: no further visit is sent; the session ends when its visits have ended, and before the handshake at once, with
    /// `operation_aborted`. *Terminal*: it ends at once, and the
    /// outcomes of its visits are unknown. *Total* has no effect.
    template <class Stream, asio::completion_token_for<void(error_code)> Token = default_token>
    auto async_session(Stream stream, Token&& token = Token())
    {
        return asio::async_initiate<Token, void(error_code)>(initiate_session{state_.get()}, token, std::move(stream));
    }

    /// Runs an action on a worker.
    ///
    /// The action is encoded in this call, the result is decoded on the executor of the handler.
    ///
    /// \par Completion signature
    /// `void(error_code, reply<result_type>)`: success, with the result; `remote_errc::action_failed`, with a message;
    /// `remote_errc::outcome_unknown`; `remote_errc::malformed_action`, `malformed_result`, `message_too_large`, `no_worker` or
    /// `draining`; `operation_aborted` after cancellation or `close`.
    ///
    /// \par Cancellation
    /// A visit that was not sent completes with `operation_aborted`. *Partial* and *terminal* also cancel the action on its worker;
    /// the visit completes with its answer, or, if the worker is lost, with `operation_aborted` if it is idempotent, else with
    /// `outcome_unknown`. It is not tried again.
    ///
    /// \throws the exception of `encode_action`
    template <asio::completion_token_for<run_signature> Token = default_token>
    auto async_run(request<action_type> what, Token&& token = Token())
    {
        auto v = std::make_unique<visit>();
        codec_->encode_action(what.action, v->action);
        v->key = std::move(what.key);
        v->labels = std::move(what.labels);
        v->is_idempotent = what.is_idempotent;
        std::sort(v->labels.begin(), v->labels.end());
        v->labels.erase(std::unique(v->labels.begin(), v->labels.end()), v->labels.end());
        return asio::async_initiate<Token, run_signature>(initiate_run{state_.get(), codec_}, token, std::move(v));
    }

    /// Accepts no further visit, waits until all visits have ended, and sends goodbye to the workers.
    ///
    /// \par Completion signature
    /// `void(error_code)`; `operation_aborted` after `close`.
    template <asio::completion_token_for<void(error_code)> Token = default_token>
    auto async_drain(Token&& token = Token())
    {
        return asio::async_initiate<Token, void(error_code)>(initiate_drain{state_.get()}, token);
    }

    /// Ends all sessions and all visits soon. Visits complete with `operation_aborted`, those that were sent and are not
    /// idempotent with `remote_errc::outcome_unknown`.
    void close()
    {
        asio::post(state_->strand(), [state = state_] { state->close(); });
    }

private:
    // Initiations refer to the coordinator's state and do not own it: a waiting coroutine contains its initiation, and the state
    // owns the handler of the coroutine.
    class initiation {
    public:
        using executor_type = asio::any_io_executor;
        explicit initiation(state* of) noexcept : state_(of) {}
        [[nodiscard]] auto get_executor() const noexcept -> executor_type
        {
            return state_->strand().get_inner_executor();
        }

    protected:
        state* state_;
    };

    struct initiate_session : initiation {
        using initiation::initiation;
        template <class Handler, class Stream>
        void operator()(Handler&& handler, Stream&& stream) const
        {
            using connection = detail::connection_over<typename state::session, std::decay_t<Stream>>;
            auto const owner = this->state_->shared_from_this();
            auto slot = asio::get_associated_cancellation_slot(handler);
            strider::detail::waiting_handler<error_code> done(
                std::decay_t<Handler>(std::forward<Handler>(handler)), this->get_executor());
            std::shared_ptr<typename state::session> session =
                std::make_shared<connection>(std::forward<Stream>(stream), owner, std::move(done));
            if (slot.is_connected())
                slot.assign([strand = owner->strand(), weak = std::weak_ptr(session)](asio::cancellation_type_t type) {
                    asio::post(strand, [weak, type] {
                        auto const s = weak.lock();
                        if (!s) return;
                        if ((type & asio::cancellation_type::terminal) != asio::cancellation_type::none)
                            s->end(asio::error::operation_aborted);
                        else if ((type & asio::cancellation_type::partial) != asio::cancellation_type::none) s->leave();
                    });
                });
            // The session is destroyed on the strand.
            asio::post(owner->strand(), [owner, session = std::move(session)] { owner->attach(session); });
        }
    };

    struct initiate_run : initiation {
        initiate_run(state* of, std::shared_ptr<Codec const> by) noexcept : initiation(of), codec(std::move(by)) {}
        template <class Handler>
        void operator()(Handler&& handler, typename visit::pointer v) const
        {
            auto owner = this->state_->shared_from_this();
            v->id = owner->next_id();
            if (v->key.empty()) v->key = std::to_string(owner->options().generation) + '-' + std::to_string(v->id);
            auto slot = asio::get_associated_cancellation_slot(handler);
            v->completion.emplace(
                detail::decoding_handler<std::decay_t<Handler>, Codec>{std::forward<Handler>(handler), codec},
                this->get_executor());
            if (v->action.size() + v->key.size() + visit_message::overhead >= owner->options().max_frame_size)
                return visit::complete(std::move(v), make_error_code(remote_errc::message_too_large));
            if (slot.is_connected())
                slot.assign([weak = std::weak_ptr(owner), id = v->id](asio::cancellation_type_t type) {
                    auto const s = weak.lock();
                    if (!s) return;
                    constexpr auto running = asio::cancellation_type::terminal | asio::cancellation_type::partial;
                    bool const only_waiting = (type & running) == asio::cancellation_type::none;
                    asio::post(s->strand(), [s, id, only_waiting] { s->cancel(id, only_waiting); });
                });
            auto const strand = owner->strand();
            asio::post(strand, [owner = std::move(owner), v = std::move(v)]() mutable { owner->submit(std::move(v)); });
        }
        std::shared_ptr<Codec const> codec;
    };
    struct initiate_drain : initiation {
        using initiation::initiation;
        template <class Handler>
        void operator()(Handler&& handler) const
        {
            auto const owner = this->state_->shared_from_this();
            strider::detail::waiting_handler<error_code> done(
                std::decay_t<Handler>(std::forward<Handler>(handler)), this->get_executor());
            asio::post(owner->strand(), [owner, done = std::move(done)]() mutable { owner->drain(std::move(done)); });
        }
    };

    std::shared_ptr<state> state_;
    std::shared_ptr<Codec const> codec_;
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_COORDINATOR_HPP
