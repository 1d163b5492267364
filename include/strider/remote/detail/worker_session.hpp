// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_WORKER_SESSION_HPP
#define STRIDER_REMOTE_DETAIL_WORKER_SESSION_HPP

#include <strider/remote/detail/connection.hpp>
#include <strider/remote/messages.hpp>
#include <strider/walk/detail/waiting_handler.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace strider::remote::detail {

// The session of a worker, at the worker. All members are used on the strand.
template <class State>
class worker_session : public connection<typename State::clock_type> {
    using base = connection<typename State::clock_type>;

public:
    using completion = strider::detail::waiting_handler<error_code>;

    worker_session(std::shared_ptr<State> state, completion done)
        : base(state->strand(), state->options().handshake_timeout / 4, state->options().handshake_timeout),
          state_(std::move(state)),
          done_(std::move(done))
    {}
    // Without an end: the context is destroyed.
    ~worker_session() override
    {
        if (this->is_active()) state_->forget(*this);
    }

    // True if the coordinator has accepted the worker.
    [[nodiscard]] auto is_open() const noexcept -> bool { return epoch_ != 0; }
    [[nodiscard]] auto epoch() const noexcept -> std::uint64_t { return epoch_; }

    void begin()
    {
        std::string text;
        state_->hello().encode(text);
        this->start();
        this->send(frame_type::hello, text);
    }
    void answer(answer_message message)
    {
        if (message.payload.size() + answer_message::overhead >= max_frame_size_) {
            message.payload = {};
            message.status = answer_status::too_large;
        }
        record_.clear();
        message.encode(record_);
        this->encoder().add_record(frame_type::answers, record_, max_frame_size_);
    }
    void drain()
    {
        if (!is_open()) return this->end(error_code());
        this->send(frame_type::drain);
    }

private:
    auto on_frame(frame_type type, std::string_view payload) -> error_code override
    {
        auto const broken = make_error_code(remote_errc::protocol_error);
        if (!is_open()) return on_first(type, payload);
        field_reader in(payload);
        switch (type) {
        case frame_type::heartbeat: return payload.empty() ? error_code() : broken;
        case frame_type::goodbye:
            if (payload.empty()) this->end(error_code());
            return payload.empty() ? error_code() : broken;
        case frame_type::visits:
            while (!in.at_end()) {
                visit_message v;
                // Tokens increase, so none is repeated.
                if (!v.decode(in) || v.token <= last_token_) return broken;
                last_token_ = v.token;
                state_->accept(*this, v);
            }
            return {};
        case frame_type::cancel:
            while (!in.at_end()) {
                auto const token = in.template number<std::uint64_t>();
                if (!in.ok()) return broken;
                state_->cancel(*this, token);
            }
            return {};
        default: return broken;
        }
    }
    auto on_first(frame_type type, std::string_view payload) -> error_code
    {
        auto const broken = make_error_code(remote_errc::protocol_error);
        if (type == frame_type::rejection) {
            auto const rejection = rejection_message::decode(payload);
            return rejection ? make_error_code(rejection->reason) : broken;
        }
        auto const welcome = type == frame_type::welcome ? welcome_message::decode(payload) : std::nullopt;
        if (!welcome || welcome->epoch == 0) return broken;
        epoch_ = welcome->epoch;
        max_frame_size_ = welcome->max_frame_size;
        this->establish(welcome->heartbeat, welcome->timeout, max_frame_size_);
        state_->opened(*this);
        return {};
    }
    void on_received() override { state_->schedule(); }
    void on_end(error_code error) override
    {
        state_->left(*this);
        std::move(done_).complete(error);
    }

    std::shared_ptr<State> state_;
    completion done_;
    std::string record_;
    std::uint64_t epoch_ = 0;
    std::uint64_t last_token_ = 0;
    std::uint32_t max_frame_size_ = default_max_frame_size;
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_WORKER_SESSION_HPP
