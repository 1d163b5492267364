// SPDX-License-Identifier: BSL-1.0
#include "grpc_channel.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

namespace iacctl::plugin {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr std::size_t prefix_size = 5;  // of a message: a flag for compression, and the size
constexpr std::size_t read_size = std::size_t{64} << 10U;
constexpr std::size_t write_size = std::size_t{64} << 10U;
// Answers are kept in memory in any case, up to their limit: flow control would only delay them.
constexpr std::int32_t window_size = 0x7fffffff;

auto with_prefix(std::string message) -> std::string
{
    std::array<char, prefix_size> prefix{};
    auto const size = message.size();
    for (std::size_t i = 1; i < prefix_size; ++i)
        prefix[i] = static_cast<char>(size >> 8 * (prefix_size - 1 - i) & 0xffU);
    message.insert(message.begin(), prefix.begin(), prefix.end());
    return message;
}

auto size_in(std::string_view prefix) -> std::size_t
{
    std::size_t size = 0;
    for (char const c : prefix.substr(1, prefix_size - 1)) size = size << 8U | static_cast<unsigned char>(c);
    return size;
}

auto percent_decoded(std::string_view text) -> std::string
{
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        bool const escaped = text[i] == '%' && text.size() - i > 2
            && std::from_chars(&text[i] + 1, &text[i] + 3, byte, 16).ptr == &text[i] + 3;
        made += escaped ? static_cast<char>(byte) : text[i];
        if (escaped) i += 2;
    }
    return made;
}

// At most eight digits and a unit.
auto timeout_text(milliseconds timeout) -> std::string
{
    constexpr std::int64_t most = 99'999'999;
    return timeout.count() <= most ? std::to_string(timeout.count()) + "m"
                                   : std::to_string(std::min<std::int64_t>(timeout.count() / 1000, most)) + "S";
}

auto header(std::string_view name, std::string_view value) -> nghttp2_nv
{
    auto const bytes = [](std::string_view text) {
        return const_cast<std::uint8_t*>(reinterpret_cast<std::uint8_t const*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

/// A running call.
struct grpc_channel::exchange {
    exchange(std::string its_path, std::string message, milliseconds its_time)
        : path(std::move(its_path)),
          outgoing(with_prefix(std::move(message))),
          time(its_time)
    {
        if (time.count() > 0) timeout = timeout_text(time);
    }

    // Completes the call with the reply.
    void complete()
    {
        done = true;
        limit.reset();
        if (!handler) return;
        auto const where = std::move(executor);
        auto passing = [last = std::move(*handler), answer = std::move(reply)]() mutable {
            std::move(last)(std::move(answer));
        };
        handler.reset();
        asio::post(where, std::move(passing));
    }

    // False: the call must be reset; the reply reports a violation of the protocol, if there is one.
    auto take(std::string_view piece, std::size_t longest) -> bool
    {
        incoming += piece;
        while (incoming.size() >= prefix_size) {
            std::size_t const size = size_in(incoming);
            if (incoming[0] != '\0') return refuse("the message is compressed, although no compression was offered");
            if (size > longest)
                return refuse("a message of " + std::to_string(size) + " bytes, where " + std::to_string(longest)
                    + " are allowed");
            if (incoming.size() < prefix_size + size) return true;
            if (on_message) {
                answered = true;
                bool const more = on_message(std::string_view(incoming).substr(prefix_size, size));
                incoming.erase(0, prefix_size + size);
                if (!more) {
                    reply.end = grpc_end::answered;
                    done = true;
                    return false;
                }
            } else {
                if (incoming.size() > prefix_size + size || answered) return refuse("more than one message");
                answered = true;
                reply.message = std::move(incoming);
                reply.message.erase(0, prefix_size);
                incoming.clear();
            }
        }
        return true;
    }
    auto refuse(std::string why) -> bool
    {
        reply.end = grpc_end::malformed;
        reply.text = std::move(why);
        done = true;
        return false;
    }
    void finish(std::uint32_t error)
    {
        if (std::exchange(done, true)) return;
        reply.text = percent_decoded(status_text);
        if (status) {
            reply.end = grpc_end::answered;
            reply.status = *status;
            if (*status == 0 && !answered && !on_message) refuse("there is no message");
        } else if (http_status != 0 && http_status != 200) {
            refuse("HTTP status " + std::to_string(http_status));
        } else if (error == NGHTTP2_NO_ERROR) {
            refuse("there is no status");
        } else {
            reply.end = grpc_end::lost;
            reply.text = std::string("the call was reset: ") + nghttp2_http2_strerror(error);
            reply.sent = reply.sent && error != NGHTTP2_REFUSED_STREAM;
        }
    }

    std::string path;
    std::string timeout;  // in the format of the header
    std::string outgoing;
    std::size_t written = 0;
    std::string incoming;
    message_sink on_message;
    int http_status = 0;
    std::optional<int> status;
    std::string status_text;
    bool answered = false;
    bool counted = false;  // counts towards the limit of calls, unlike a subscription
    std::int32_t stream = 0;  // 0: not submitted yet
    bool done = false;  // the reply is final
    grpc_reply reply;
    milliseconds time;  // 0: no limit
    std::optional<asio::steady_timer> limit;
    std::optional<reply_handler> handler;  // empty after it was called, and for a subscription
    asio::any_io_executor executor;  // of the handler
};

struct grpc_channel::callbacks {
    static auto of(void* channel, std::int32_t stream) -> exchange*
    {
        auto const& running = static_cast<grpc_channel*>(channel)->running_;
        auto const found = running.find(stream);
        return found == running.end() ? nullptr : found->second.get();
    }
    static auto on_header(nghttp2_session*, nghttp2_frame const* frame, std::uint8_t const* name, std::size_t name_size,
        std::uint8_t const* value, std::size_t value_size, std::uint8_t, void* channel) -> int
    {
        exchange* const one = of(channel, frame->hd.stream_id);
        if (one == nullptr) return 0;
        std::string_view const key(reinterpret_cast<char const*>(name), name_size);
        std::string_view const text(reinterpret_cast<char const*>(value), value_size);
        int number = 0;
        bool const numeric = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
        if (key == ":status") one->http_status = number;
        else if (key == "grpc-status") one->status = numeric ? number : 2;
        else if (key == "grpc-message") one->status_text = text;
        return 0;
    }
    static auto on_data(nghttp2_session* session, std::uint8_t, std::int32_t stream, std::uint8_t const* data,
        std::size_t size, void* channel) -> int
    {
        exchange* const one = of(channel, stream);
        if (one == nullptr || one->done) return 0;
        std::string_view const piece(reinterpret_cast<char const*>(data), size);
        if (!one->take(piece, static_cast<grpc_channel*>(channel)->limits_.longest_message))
            nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
        return 0;
    }
    static auto on_close(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* channel) -> int
    {
        static_cast<grpc_channel*>(channel)->end(stream, error);
        return 0;
    }
    static auto on_sent(nghttp2_session*, nghttp2_frame const* frame, void* channel) -> int
    {
        exchange* const one = of(channel, frame->hd.stream_id);
        if (one != nullptr && frame->hd.type == NGHTTP2_HEADERS) one->reply.sent = true;
        return 0;
    }
    static auto source(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size, std::uint32_t* flags,
        nghttp2_data_source* from, void*) -> ssize_t
    {
        auto& one = *static_cast<exchange*>(from->ptr);
        std::size_t const count = std::min(size, one.outgoing.size() - one.written);
        std::memcpy(into, one.outgoing.data() + one.written, count);
        one.written += count;
        if (one.written == one.outgoing.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(count);
    }
};

grpc_channel::grpc_channel(std::shared_ptr<net::byte_stream> stream, grpc_limits const& limits)
    : stream_(std::move(stream)),
      limits_(limits),
      watchdog_(stream_->get_executor())
{
    nghttp2_session_callbacks* all = nullptr;
    if (nghttp2_session_callbacks_new(&all) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_header_callback(all, &callbacks::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, &callbacks::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(all, &callbacks::on_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(all, &callbacks::on_sent);
    int const failed = nghttp2_session_client_new(&session_, all, this);
    nghttp2_session_callbacks_del(all);
    if (failed != 0) throw std::bad_alloc();
    nghttp2_settings_entry const settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(window_size)}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, window_size);
}

grpc_channel::~grpc_channel()
{
    nghttp2_session_del(session_);
}

void grpc_channel::open()
{
    opened_ = true;
    incoming_.resize(read_size);
    read();
    flush();
    watch();
}

auto grpc_channel::make_exchange(std::string path, std::string message, milliseconds timeout, message_sink on_message)
    -> std::shared_ptr<exchange>
{
    auto made = std::make_shared<exchange>(std::move(path), std::move(message), timeout);
    made->on_message = std::move(on_message);
    return made;
}

void grpc_channel::start(std::shared_ptr<exchange> e, reply_handler handler, asio::any_io_executor executor)
{
    auto const self = shared_from_this();
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected())
        slot.assign([channel = weak_from_this(), known = std::weak_ptr(e)](asio::cancellation_type type) {
            auto const on = channel.lock();
            if (!on || (type & asio::cancellation_type::terminal) == asio::cancellation_type::none) return;
            asio::post(on->executor(), [on, known] {
                auto const cancelled = known.lock();
                if (cancelled) on->give_up(cancelled, grpc_end::cancelled, "cancelled");
            });
        });
    e->handler.emplace(std::move(handler));
    e->executor = std::move(executor);
    asio::dispatch(this->executor(), [self, e = std::move(e)] { self->admit(e); });
}

void grpc_channel::admit(std::shared_ptr<exchange> const& e)
{
    if (e->time.count() > 0) {
        e->limit.emplace(executor(), e->time);
        e->limit->async_wait([self = shared_from_this(), known = std::weak_ptr(e)](error_code const& cancelled) {
            auto const late = known.lock();
            if (late && !cancelled)
                self->give_up(
                    late, grpc_end::timed_out, "no response within " + std::to_string(late->time.count()) + " ms");
        });
    }
    if (active_ >= limits_.most_calls) return waiting_.push_back(e);
    ++active_;
    e->counted = true;
    submit(e);
}

void grpc_channel::give_up(std::shared_ptr<exchange> const& e, grpc_end why, std::string text)
{
    if (e->done) return;
    e->reply.end = why;
    e->reply.text = std::move(text);
    e->complete();
    reset(*e);
    std::erase(waiting_, e);
}

void grpc_channel::drop() noexcept
{
    closed_ = true;
    auto const running = std::exchange(running_, {});
    auto const waiting = std::exchange(waiting_, {});
    for (auto const& [_, one] : running) one->handler.reset();
    for (auto const& one : waiting) one->handler.reset();
}

void grpc_channel::subscribe(std::string const& path, message_sink on_message)
{
    submit(make_exchange(path, {}, {}, std::move(on_message)));
}

void grpc_channel::submit(std::shared_ptr<exchange> const& e)
{
    auto const fail = [&](std::string why) {
        e->reply.text = std::move(why);
        e->complete();
        if (e->counted) pass_on();
    };
    if (closed_) return fail(why_closed_);
    nghttp2_nv const headers[] = {header(":method", "POST"), header(":scheme", "https"), header(":path", e->path),
        header(":authority", "localhost"), header("te", "trailers"), header("content-type", "application/grpc"),
        header("user-agent", "iacctl"), header("grpc-timeout", e->timeout)};
    std::size_t const count = std::size(headers) - (e->timeout.empty() ? 1 : 0);
    nghttp2_data_provider const body{{.ptr = e.get()}, &callbacks::source};
    std::int32_t const stream = nghttp2_submit_request(session_, nullptr, headers, count, &body, nullptr);
    if (stream < 0) return fail(nghttp2_strerror(stream));
    e->stream = stream;
    running_.emplace(stream, e);
    flush_soon();
}

void grpc_channel::reset(exchange& e)
{
    if (closed_ || e.stream == 0 || !running_.contains(e.stream)) return;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, e.stream, NGHTTP2_CANCEL);
    flush_soon();
}

// Called by nghttp2, so it must not call nghttp2.
void grpc_channel::end(std::int32_t stream, std::uint32_t error)
{
    auto const found = running_.find(stream);
    if (found == running_.end()) return;
    auto const one = std::move(found->second);
    running_.erase(found);
    one->finish(error);
    one->complete();
    if (one->counted) pass_on();
}

// Starts the calls that wait longest, in place of an ended one.
void grpc_channel::pass_on()
{
    if (waiting_.empty()) {
        if (active_ > 0) --active_;
        return;
    }
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    auto begin = [self = shared_from_this(), next = std::move(next)] {
        next->counted = true;
        if (next->done) self->pass_on();
        else self->submit(next);
    };
    asio::post(executor(), std::move(begin));
}

void grpc_channel::read()
{
    auto got = [guard = read_guard(shared_from_this())](error_code const& error, std::size_t size) mutable {
        auto const self = guard.release();
        if (self->closed_) return;
        if (error) return self->close("the connection was closed");
        self->received_ += size;
        ssize_t const taken = nghttp2_session_mem_recv(self->session_, self->incoming_.data(), size);
        if (taken < 0) return self->close(nghttp2_strerror(static_cast<int>(taken)));
        bool const over =
            nghttp2_session_want_read(self->session_) == 0 && nghttp2_session_want_write(self->session_) == 0;
        if (over) return self->close("the provider ended the connection");
        self->flush_soon();
        self->read();
    };
    stream_->async_read_some(asio::buffer(incoming_), std::move(got));
}

// Runs after the handlers that are ready, which usually start further calls.
void grpc_channel::flush_soon()
{
    if (!opened_ || writing_ || closed_ || nghttp2_session_want_write(session_) == 0) return;
    if (std::exchange(flushing_, true)) return;
    asio::post(executor(), [self = shared_from_this()] {
        self->flushing_ = false;
        self->flush();
    });
}

void grpc_channel::flush()
{
    if (!opened_ || writing_ || closed_) return;
    outgoing_.clear();
    while (outgoing_.size() < write_size) {
        std::uint8_t const* data = nullptr;
        ssize_t const size = nghttp2_session_mem_send(session_, &data);
        if (size < 0) return close(nghttp2_strerror(static_cast<int>(size)));
        if (size == 0) break;
        outgoing_.append(reinterpret_cast<char const*>(data), static_cast<std::size_t>(size));
    }
    if (outgoing_.empty()) return;
    writing_ = true;
    auto written = [self = shared_from_this()](error_code const& error, std::size_t) {
        self->writing_ = false;
        if (self->closed_) return;
        if (error) return self->close("the connection was closed");
        self->flush();
    };
    stream_->async_write(asio::buffer(outgoing_), std::move(written));
}

void grpc_channel::watch()
{
    watchdog_.expires_after(limits_.silence);
    auto expired = [self = shared_from_this(), before = received_](error_code const& error) {
        if (error || self->closed_) return;
        if (self->active_ == 0 || self->received_ != before) return self->watch();
        nghttp2_submit_ping(self->session_, NGHTTP2_FLAG_NONE, nullptr);
        self->flush_soon();
        self->watchdog_.expires_after(self->limits_.ping_timeout);
        self->watchdog_.async_wait([self, before](error_code const& ended) {
            if (ended || self->closed_) return;
            if (self->received_ != before) return self->watch();
            self->close("the provider does not respond");
        });
    };
    watchdog_.async_wait(std::move(expired));
}

void grpc_channel::close(std::string_view why)
{
    if (closed_.exchange(true)) return;
    why_closed_ = why;
    stream_->close();
    watchdog_.cancel();
    auto const fail = [&](exchange& e) {
        if (!e.done) e.reply.text = why;
        e.complete();
    };
    for (auto const& [_, one] : std::exchange(running_, {})) fail(*one);
    for (auto const& one : std::exchange(waiting_, {})) fail(*one);
    active_ = 0;
}

}  // namespace iacctl::plugin
