// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_DETAIL_CONNECTION_HPP
#define STRIDER_REMOTE_DETAIL_CONNECTION_HPP

#include <strider/remote/frame.hpp>
#include <strider/remote/remote_error.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/clock.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace strider::remote::detail {

template <class Stream>
void close_stream(Stream& stream) noexcept
{
    error_code ignored;
    if constexpr (requires { stream.lowest_layer().close(ignored); }) stream.lowest_layer().close(ignored);
    else if constexpr (requires { stream.close(ignored); }) stream.close(ignored);
    else stream.close();
}

// One end of a connection: reads frames, writes those of the encoder one batch at a time, sends heartbeats, and ends when the peer
// is silent or does not receive for the timeout. All members are used on the strand.
template <class Clock>
class connection : public std::enable_shared_from_this<connection<Clock>> {
public:
    using strand_type = asio::strand<asio::any_io_executor>;

    connection(strand_type strand, std::chrono::nanoseconds heartbeat, std::chrono::nanoseconds timeout)
        : strand_(std::move(strand)),
          timer_(strand_.get_inner_executor()),
          heartbeat_(heartbeat),
          timeout_(timeout)
    {}
    connection(connection const&) = delete;
    auto operator=(connection const&) -> connection& = delete;
    virtual ~connection() = default;

    // Begins to read and to watch the peer.
    void start()
    {
        is_started_ = true;
        watched_since_ = last_write_ = now();
        start_read(decoder_.prepare());
        watch();
    }
    // Writes what the encoder holds, unless a write is in progress, which then is followed by another one.
    void flush()
    {
        if (has_ended_ || is_writing_ || encoder_.empty()) return;
        is_writing_ = true;
        last_write_ = now();
        encoder_.take(sending_);
        on_sent();
        start_write(sending_);
    }
    // Closes the stream, once. `on_end` is called with the error.
    void end(error_code error)
    {
        if (std::exchange(has_ended_, true)) return;
        timer_.cancel();
        close();
        on_end(error);
    }

    void read_done(error_code error, std::size_t size)
    {
        if (has_ended_) return;
        if (error) return end(on_closed(error));
        if (is_established_) watched_since_ = now();
        decoder_.commit(size);
        frame received;
        while (!has_ended_ && decoder_.next(received, error)) {
            error = on_frame(received.type, received.payload);
            if (error) break;
        }
        if (has_ended_) return;
        on_received();
        if (error) return end(error);
        if (!has_ended_) start_read(decoder_.prepare());
    }
    // The stream has taken a part of the bytes.
    void write_progressed() { last_write_ = now(); }
    void write_done(error_code error)
    {
        is_writing_ = false;
        if (has_ended_) return;
        if (error) return end(on_closed(error));
        flush();
        if (!is_writing_) on_written();
    }

protected:
    [[nodiscard]] auto strand() const noexcept -> strand_type const& { return strand_; }
    [[nodiscard]] auto encoder() noexcept -> frame_encoder& { return encoder_; }
    // True if the connection was started and has not ended.
    [[nodiscard]] auto is_active() const noexcept -> bool { return is_started_ && !has_ended_; }
    [[nodiscard]] auto now() const -> typename Clock::time_point { return Clock::now(strand_.get_inner_executor()); }
    // The handshake is over: heartbeats begin.
    void establish(std::chrono::nanoseconds heartbeat, std::chrono::nanoseconds timeout, std::uint32_t max_frame_size)
    {
        heartbeat_ = heartbeat;
        timeout_ = timeout;
        is_established_ = true;
        watched_since_ = now();
        decoder_.set_max_size(max_frame_size);
        timer_.cancel();
    }
    // The peer shall close the connection. It gets no further heartbeats, and its own do not extend the timeout.
    void expect_end()
    {
        is_established_ = false;
        watched_since_ = now();
    }
    void send(frame_type type, std::string_view payload = {})
    {
        encoder_.add(type, payload);
        flush();
    }

    // The error of the end for an error of the stream.
    virtual auto on_closed(error_code error) -> error_code
    {
        return error == asio::error::eof ? make_error_code(remote_errc::connection_lost) : error;
    }

private:
    virtual void start_read(std::span<char> into) = 0;
    virtual void start_write(std::string const& bytes) = 0;
    virtual void close() noexcept = 0;

    // A frame. An error ends the connection.
    virtual auto on_frame(frame_type type, std::string_view payload) -> error_code = 0;
    // All received frames are handled.
    virtual void on_received() {}
    // The frames of the encoder were passed to the stream.
    virtual void on_sent() {}
    // The stream has taken all frames.
    virtual void on_written() {}
    virtual void on_end(error_code error) = 0;

    // Wakes at the time of the next heartbeat, or when the peer has been silent for too long.
    void watch()
    {
        auto const time = now();
        auto next = watched_since_ + timeout_;
        if (is_writing_) next = std::min(next, time + heartbeat_);
        else if (is_established_) next = std::min(next, last_write_ + heartbeat_);
        timer_.expires_after(std::chrono::duration_cast<typename Clock::duration>(next - time));
        timer_.async_wait(
            asio::bind_executor(strand_, [self = this->shared_from_this()](error_code) { self->tick(); }));
    }
    void tick()
    {
        if (has_ended_) return;
        auto const time = now();
        bool const is_silent = time - watched_since_ >= timeout_;
        bool const is_stuck = is_writing_ && time - last_write_ >= timeout_;
        if (is_silent || is_stuck) return end(on_closed(make_error_code(remote_errc::timed_out)));
        if (is_established_ && !is_writing_ && time - last_write_ >= heartbeat_) send(frame_type::heartbeat);
        watch();
    }

    strand_type strand_;
    clock_timer_t<Clock> timer_;
    frame_decoder decoder_;
    frame_encoder encoder_;
    std::string sending_;
    std::chrono::nanoseconds heartbeat_;
    std::chrono::nanoseconds timeout_;
    typename Clock::time_point watched_since_{};  // the last receipt, or the beginning of the handshake or of the end
    typename Clock::time_point last_write_{};
    bool is_writing_ = false;
    bool is_started_ = false;
    bool is_established_ = false;
    bool has_ended_ = false;
};

// A session over a stream. `Session` derives from `connection` and has the rest.
template <class Session, class Stream>
class connection_over final : public Session {
public:
    template <class... Args>
    explicit connection_over(Stream stream, Args&&... args)
        : Session(std::forward<Args>(args)...),
          stream_(std::move(stream))
    {}

private:
    void start_read(std::span<char> into) override
    {
        stream_.async_read_some(asio::buffer(into.data(), into.size()),
            asio::bind_executor(this->strand(), [self = this->shared_from_this()](error_code error, std::size_t size) {
                self->read_done(error, size);
            }));
    }
    void start_write(std::string const& bytes) override
    {
        auto const all = [this](error_code error, std::size_t size) {
            if (size != 0) this->write_progressed();
            return asio::transfer_all()(error, size);
        };
        asio::async_write(stream_, asio::buffer(bytes), all,
            asio::bind_executor(this->strand(),
                [self = this->shared_from_this()](error_code error, std::size_t) { self->write_done(error); }));
    }
    void close() noexcept override { close_stream(stream_); }

    Stream stream_;
};

}  // namespace strider::remote::detail

#endif  // STRIDER_REMOTE_DETAIL_CONNECTION_HPP
