// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_COORDINATOR_SESSION_HPP
#define STRIDER_REMOTE_DETAIL_COORDINATOR_SESSION_HPP

#include <strider/remote/detail/connection.hpp>
#include <strider/remote/messages.hpp>
#include <strider/remote/placement.hpp>
#include <strider/remote/request.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/waiting_handler.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::remote::detail {

// A visit of a coordinator, in a queue or in a session.
template <class Session>
struct remote_visit {
    using pointer = std::unique_ptr<remote_visit>;
    using queue = std::list<pointer>;

    std::optional<strider::detail::waiting_handler<error_code, attempt_report, std::string>> completion;
    std::string key;
    std::string action;
    std::vector<std::string> labels;  // ascending, without repetition
    attempt_report report;
    std::uint64_t id = 0;
    bool is_idempotent = false;
    bool is_cancelled = false;
    Session* session = nullptr;       // null: in a queue
    typename queue::iterator place{};  // in that queue

    static void complete(pointer visit, error_code error, std::string result = {})
    {
        auto completion = std::move(visit->completion);
        auto report = std::move(visit->report);
        visit.reset();
        std::move(*completion).complete(error, std::move(report), std::move(result));
    }
};

// The session of a worker, at the coordinator. It owns the visits that were given to it. All members are used on the strand.
template <class State>
class coordinator_session : public connection<typename State::clock_type> {
    using base = connection<typename State::clock_type>;

public:
    using visit = remote_visit<coordinator_session>;
    using completion = strider::detail::waiting_handler<error_code>;

    coordinator_session(std::shared_ptr<State> state, completion done)
        : base(state->strand(), state->options().heartbeat, state->options().timeout),
          state_(std::move(state)),
          done_(std::move(done))
    {}
    // Without an end: the context is destroyed.
    ~coordinator_session() override
    {
        if (this->is_active()) state_->forget(*this);
    }

    [[nodiscard]] auto info() const noexcept -> worker_info const& { return info_; }
    // True if the worker was accepted.
    [[nodiscard]] auto has_joined() const noexcept -> bool
    {
        return phase_ != phase::opening && phase_ != phase::rejected;
    }
    // True if visits may be sent.
    [[nodiscard]] auto is_open() const noexcept -> bool { return phase_ == phase::open; }
    [[nodiscard]] auto has_credit() const noexcept -> bool
    {
        return info_.outstanding < std::uint64_t{info_.slots} + prefetch_;
    }

    void take(typename visit::pointer v, std::uint64_t token)
    {
        v->session = this;
        v->report.worker = info_.name;
        v->report.fencing_token = token;
        ++v->report.attempts;
        record_.clear();
        visit_message{token, v->report.attempts, v->key, v->action}.encode(record_);
        this->encoder().add_record(frame_type::visits, record_, state_->options().max_frame_size);
        ++info_.outstanding;
        in_flight_.emplace(token, std::move(v));
        last_token_ = token;
    }
    void cancel(std::uint64_t token)
    {
        record_.clear();
        field_writer(record_).number(token);
        this->encoder().add_record(frame_type::cancel, record_, state_->options().max_frame_size);
        this->flush();
    }
    // Ends when nothing is outstanding, at once if the worker was not accepted yet.
    void leave()
    {
        if (phase_ == phase::opening) return this->end(asio::error::operation_aborted);
        drain();
    }
    // Sends nothing more, and ends when nothing is outstanding.
    void drain()
    {
        if (phase_ == phase::open) phase_ = phase::draining;
        if (phase_ == phase::draining && in_flight_.empty()) {
            phase_ = phase::leaving;
            this->expect_end();
            this->send(frame_type::goodbye);
        }
    }

private:
    enum class phase : std::uint8_t { opening, open, draining, leaving, rejected };

    auto on_frame(frame_type type, std::string_view payload) -> error_code override
    {
        auto const broken = make_error_code(remote_errc::protocol_error);
        if (phase_ == phase::rejected) return {};
        if (phase_ == phase::opening) return type == frame_type::hello ? on_hello(payload) : broken;
        switch (type) {
        case frame_type::heartbeat: return payload.empty() ? error_code() : broken;
        case frame_type::answers: return on_answers(payload);
        case frame_type::drain:
            if (!payload.empty()) return broken;
            drain();
            return {};
        default: return broken;
        }
    }

    auto on_hello(std::string_view payload) -> error_code
    {
        auto const hello = hello_message::decode(payload);
        if (!hello) return make_error_code(remote_errc::protocol_error);
        auto const version = hello->common_version();
        info_.name = std::make_shared<std::string const>(hello->worker);
        if (!version) return reject(remote_errc::incompatible_version);
        if (hello->application != state_->options().application) return reject(remote_errc::wrong_application);
        if (!equal_secrets(hello->credential, state_->options().credential)) return reject(remote_errc::not_authorized);
        if (state_->is_draining()) return reject(remote_errc::draining);
        info_.slots = std::min(hello->slots, max_slots);
        info_.labels = hello->labels;
        std::sort(info_.labels.begin(), info_.labels.end());
        info_.labels.erase(std::unique(info_.labels.begin(), info_.labels.end()), info_.labels.end());
        info_.epoch = state_->next_epoch();
        welcome_message welcome;
        welcome.version = *version;
        welcome.epoch = info_.epoch;
        welcome.heartbeat = state_->options().heartbeat;
        welcome.timeout = state_->options().timeout;
        welcome.max_frame_size = state_->options().max_frame_size;
        std::string text;
        welcome.encode(text);
        this->establish(welcome.heartbeat, welcome.timeout, welcome.max_frame_size);
        phase_ = phase::open;
        this->send(frame_type::welcome, text);
        state_->joined(*this);
        return {};
    }
    auto reject(remote_errc reason) -> error_code
    {
        phase_ = phase::rejected;
        reason_ = make_error_code(reason);
        std::string text;
        rejection_message{reason}.encode(text);
        this->send(frame_type::rejection, text);
        return {};
    }

    auto on_answers(std::string_view payload) -> error_code
    {
        field_reader in(payload);
        while (!in.at_end()) {
            answer_message answer;
            if (!answer.decode(in)) return make_error_code(remote_errc::protocol_error);
            auto const found = answer.epoch == info_.epoch ? in_flight_.find(answer.token) : in_flight_.end();
            if (found == in_flight_.end()) {
                state_->refused(*this);
                continue;
            }
            auto v = std::move(found->second);
            in_flight_.erase(found);
            --info_.outstanding;
            v->session = nullptr;
            v->report.duration = answer.duration;
            adapt(answer);
            state_->answered(std::move(v), answer);
        }
        return {};
    }
    // As many visits wait at the worker as it runs in the prefetch time.
    void adapt(answer_message const& answer)
    {
        if (answer.status == answer_status::not_started) return;
        auto const duration = std::max(answer.duration, std::chrono::nanoseconds(1));
        mean_ = mean_.count() == 0 ? duration : mean_ + (duration - mean_) / 8;
        auto const wanted = state_->options().prefetch_time / std::max(mean_, std::chrono::nanoseconds(1));
        auto const most = static_cast<std::int64_t>(state_->options().max_prefetch);
        prefetch_ =
            static_cast<std::uint32_t>(std::min<std::int64_t>(wanted >= most ? most : wanted * info_.slots, most));
    }

    void on_received() override
    {
        if (phase_ == phase::draining) drain();
        state_->schedule();
    }
    void on_sent() override { sent_token_ = last_token_; }
    void on_written() override
    {
        if (phase_ == phase::rejected) this->end(reason_);
    }
    auto on_closed(error_code error) -> error_code override
    {
        if (phase_ == phase::rejected) return reason_;
        return phase_ == phase::leaving ? error_code() : base::on_closed(error);
    }
    void on_end(error_code error) override
    {
        bool const had_joined = has_joined();
        phase_ = phase::leaving;
        std::vector<std::pair<std::uint64_t, typename visit::pointer>> lost;
        lost.reserve(in_flight_.size());
        for (auto& [token, v] : in_flight_) lost.emplace_back(token, std::move(v));
        in_flight_.clear();
        info_.outstanding = 0;
        // The last one is queued first, because each of them goes to the front of its queue.
        std::sort(lost.begin(), lost.end(), [](auto const& a, auto const& b) { return a.first > b.first; });
        for (auto& [token, v] : lost) {
            v->session = nullptr;
            state_->lost(std::move(v), token <= sent_token_);
        }
        state_->left(*this, error, had_joined);
        std::move(done_).complete(error);
    }

    // Takes the same time for every text of this length.
    [[nodiscard]] static auto equal_secrets(std::string_view a, std::string_view b) noexcept -> bool
    {
        unsigned different = a.size() == b.size() ? 0U : 1U;
        for (std::size_t i = 0; i < a.size(); ++i)
            different |= static_cast<unsigned char>(a[i])
                ^ static_cast<unsigned>(static_cast<unsigned char>(i < b.size() ? b[i] : 0));
        return different == 0;
    }

    static constexpr std::uint32_t max_slots = 1U << 16U;

    std::shared_ptr<State> state_;
    completion done_;
    worker_info info_;
    std::unordered_map<std::uint64_t, typename visit::pointer> in_flight_;
    std::string record_;
    std::chrono::nanoseconds mean_{};
    std::uint64_t last_token_ = 0;
    std::uint64_t sent_token_ = 0;
    std::uint32_t prefetch_ = 0;
    error_code reason_;
    phase phase_ = phase::opening;
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_COORDINATOR_SESSION_HPP
