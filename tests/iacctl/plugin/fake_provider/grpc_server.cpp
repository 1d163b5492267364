// SPDX-License-Identifier: BSL-1.0
#include "grpc_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fake {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

auto field(std::string_view name, std::string_view value) -> nghttp2_nv
{
    auto const bytes = [](std::string_view text) {
        return const_cast<std::uint8_t*>(reinterpret_cast<std::uint8_t const*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

auto with_prefix(std::string const& message) -> std::string
{
    std::string made(1, '\0');
    for (unsigned shift = 32; shift > 0;) {
        shift -= 8;
        made += static_cast<char>(message.size() >> shift & 0xffU);
    }
    return made + message;
}

struct grpc_server::call {
    std::string path;
    std::string incoming;
    answer reply;
    std::string outgoing;
    std::size_t written = 0;
};

struct grpc_server::callbacks {
    static auto self(void* user) -> grpc_server& { return *static_cast<grpc_server*>(user); }
    static auto on_begin(nghttp2_session*, nghttp2_frame const* frame, void* user) -> int
    {
        self(user).calls_.emplace(frame->hd.stream_id, std::make_unique<call>());
        return 0;
    }
    static auto on_header(nghttp2_session*, nghttp2_frame const* frame, std::uint8_t const* name, std::size_t name_size,
        std::uint8_t const* value, std::size_t value_size, std::uint8_t, void* user) -> int
    {
        if (std::string_view(reinterpret_cast<char const*>(name), name_size) == ":path")
            self(user).calls_.at(frame->hd.stream_id)->path.assign(reinterpret_cast<char const*>(value), value_size);
        return 0;
    }
    static auto on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, std::uint8_t const* data, std::size_t size,
        void* user) -> int
    {
        self(user).calls_.at(stream)->incoming.append(reinterpret_cast<char const*>(data), size);
        return 0;
    }
    static auto on_frame(nghttp2_session*, nghttp2_frame const* frame, void* user) -> int
    {
        bool const body = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        if (body && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) self(user).begin(frame->hd.stream_id);
        return 0;
    }
    static auto on_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* user) -> int
    {
        self(user).calls_.erase(stream);
        return 0;
    }
    static auto source(nghttp2_session* session, std::int32_t stream, std::uint8_t* into, std::size_t size,
        std::uint32_t* flags, nghttp2_data_source* from, void*) -> ssize_t
    {
        auto& one = *static_cast<call*>(from->ptr);
        std::size_t const count = std::min(size, one.outgoing.size() - one.written);
        std::memcpy(into, one.outgoing.data() + one.written, count);
        one.written += count;
        if (one.written < one.outgoing.size()) return static_cast<ssize_t>(count);
        if (one.reply.stays_open) return count == 0 ? ssize_t{NGHTTP2_ERR_DEFERRED} : static_cast<ssize_t>(count);
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (one.reply.without_status) return static_cast<ssize_t>(count);
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        std::string const status = std::to_string(one.reply.status);
        nghttp2_nv const trailers[] = {field("grpc-status", status), field("grpc-message", one.reply.text)};
        nghttp2_submit_trailer(session, stream, trailers, std::size(trailers));
        return static_cast<ssize_t>(count);
    }
};

grpc_server::grpc_server(std::shared_ptr<iacctl::net::byte_stream> stream, handler handle)
    : stream_(std::move(stream)),
      handle_(std::move(handle))
{
    nghttp2_session_callbacks* all = nullptr;
    nghttp2_session_callbacks_new(&all);
    nghttp2_session_callbacks_set_on_begin_headers_callback(all, &callbacks::on_begin);
    nghttp2_session_callbacks_set_on_header_callback(all, &callbacks::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, &callbacks::on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(all, &callbacks::on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(all, &callbacks::on_close);
    nghttp2_session_server_new(&session_, all, this);
    nghttp2_session_callbacks_del(all);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
}

grpc_server::~grpc_server()
{
    nghttp2_session_del(session_);
}

void grpc_server::open()
{
    incoming_.resize(std::size_t{64} << 10U);
    read();
    flush();
}

void grpc_server::go_away()
{
    nghttp2_submit_goaway(
        session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR, nullptr, 0);
    asio::post(stream_->get_executor(), [self = shared_from_this()] { self->flush(); });
}

// nghttp2 calls this function, which must not call nghttp2 itself.
void grpc_server::begin(std::int32_t stream)
{
    asio::post(stream_->get_executor(), [self = shared_from_this(), stream] {
        auto const found = self->calls_.find(stream);
        if (found == self->calls_.end()) return;
        call& one = *found->second;
        one.reply = self->handle_(one.path, one.incoming.substr(std::min<std::size_t>(5, one.incoming.size())));
        if (one.reply.never) return;
        if (one.reply.delay.count() == 0) return self->respond(stream);
        auto timer = std::make_shared<asio::steady_timer>(self->stream_->get_executor(), one.reply.delay);
        timer->async_wait([self, stream, timer](error_code const&) {
            if (self->calls_.contains(stream)) self->respond(stream);
        });
    });
}

void grpc_server::respond(std::int32_t stream)
{
    call& one = *calls_.at(stream);
    std::string const status = std::to_string(one.reply.status);
    nghttp2_nv const headers[] = {field(":status", "200"), field("content-type", "application/grpc"),
        field("grpc-status", status), field("grpc-message", one.reply.text)};
    if (one.reply.status != 0) {  // trailers only
        nghttp2_submit_response(session_, stream, headers, std::size(headers), nullptr);
    } else {
        one.outgoing = one.reply.raw ? *one.reply.raw : with_prefix(one.reply.message);
        nghttp2_data_provider const body{{.ptr = &one}, &callbacks::source};
        nghttp2_submit_response(session_, stream, headers, 2, &body);
    }
    flush();
}

void grpc_server::read()
{
    auto got = [self = shared_from_this()](error_code const& error, std::size_t size) {
        if (error || nghttp2_session_mem_recv(self->session_, self->incoming_.data(), size) < 0) return self->close();
        self->flush();
        self->read();
    };
    stream_->async_read_some(asio::buffer(incoming_), std::move(got));
}

void grpc_server::flush()
{
    if (writing_) return;
    outgoing_.clear();
    while (outgoing_.size() < (std::size_t{64} << 10U)) {
        std::uint8_t const* data = nullptr;
        ssize_t const size = nghttp2_session_mem_send(session_, &data);
        if (size <= 0) break;
        outgoing_.append(reinterpret_cast<char const*>(data), static_cast<std::size_t>(size));
    }
    if (outgoing_.empty()) return;
    writing_ = true;
    auto written = [self = shared_from_this()](error_code const& error, std::size_t) {
        self->writing_ = false;
        if (!error) self->flush();
    };
    stream_->async_write(asio::buffer(outgoing_), std::move(written));
}

}  // namespace fake
