// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_DETAIL_NETWORK_CONNECTION_HPP
#define STRIDER_SIM_DETAIL_NETWORK_CONNECTION_HPP

#include <strider/core/assert.hpp>
#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/waiting_handler.hpp>

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::sim {

/// Options of a simulated network.
struct network_options {
    /// Least delay of bytes.
    std::chrono::nanoseconds min_delay = std::chrono::microseconds(50);
    /// Greatest delay of bytes.
    std::chrono::nanoseconds max_delay = std::chrono::milliseconds(2);
    /// Bytes that one direction of a connection holds before writes wait.
    std::size_t window = std::size_t{64} * 1024;
};

namespace detail {

// Executor, time, options and blocked directions of a network, shared by its connections.
class network_state {
public:
    network_state(asio::any_io_executor executor, std::uint64_t seed, network_options options)
        : executor_(std::move(executor)),
          time_(asio::use_service<virtual_time>(asio::query(executor_, asio::execution::context))),
          options_(options),
          random_(seed)
    {}

    [[nodiscard]] auto executor() const noexcept -> asio::any_io_executor const& { return executor_; }
    [[nodiscard]] auto time() const noexcept -> virtual_time& { return time_; }
    [[nodiscard]] auto options() const noexcept -> network_options const& { return options_; }
    [[nodiscard]] auto random(std::uint64_t below) -> std::uint64_t { return random_() % below; }
    [[nodiscard]] auto delay() -> std::chrono::nanoseconds
    {
        auto const range = static_cast<std::uint64_t>((options_.max_delay - options_.min_delay).count()) + 1;
        return options_.min_delay + std::chrono::nanoseconds(static_cast<std::int64_t>(random(range)));
    }
    [[nodiscard]] auto is_blocked(std::string const& from, std::string const& to) const -> bool
    {
        return blocked_.contains({from, to});
    }
    void set_blocked(std::string_view from, std::string_view to, bool is_blocked)
    {
        std::pair<std::string, std::string> const direction(from, to);
        if (is_blocked) blocked_.insert(direction);
        else blocked_.erase(direction);
    }

private:
    asio::any_io_executor executor_;
    virtual_time& time_;
    network_options options_;
    std::mt19937_64 random_;
    std::set<std::pair<std::string, std::string>> blocked_;
};

// A connection of two ends. Bytes that an end sends are segments at the other end, which arrive later.
class network_connection : public std::enable_shared_from_this<network_connection> {
public:
    struct operation {
        strider::detail::waiting_handler<error_code, std::size_t> handler;
        std::vector<asio::mutable_buffer> to;
        std::string bytes;
    };

    network_connection(std::shared_ptr<network_state> network, std::string from, std::string to)
        : network_(std::move(network))
    {
        ends_[0].host = std::move(from);
        ends_[1].host = std::move(to);
    }

    [[nodiscard]] auto executor() const noexcept -> asio::any_io_executor const& { return network_->executor(); }
    [[nodiscard]] auto host(unsigned end) const noexcept -> std::string const& { return ends_[end].host; }
    [[nodiscard]] auto is_between(std::string_view a, std::string_view b) const noexcept -> bool
    {
        return (host(0) == a && host(1) == b) || (host(0) == b && host(1) == a);
    }
    [[nodiscard]] auto is_open(unsigned end) const noexcept -> bool { return !ends_[end].is_closed; }

    void begin(unsigned end, bool reads, operation what)
    {
        one_end& here = ends_[end];
        if (here.is_closed) return complete(std::move(what), asio::error::bad_descriptor);
        std::optional<operation>& waiting = reads ? here.reader : here.writer;
        STRIDER_ASSERT(!waiting, "at most one read and one write of a stream wait at a time");
        waiting = std::move(what);
        if (reads) try_read(end);
        else try_write(end);
    }
    void cancel(unsigned end, bool reads)
    {
        abort(reads ? ends_[end].reader : ends_[end].writer, asio::error::operation_aborted);
    }
    void close(unsigned end)
    {
        if (ends_[end].is_closed) return;
        shut(end, asio::error::operation_aborted);
        send(1 - end, {{}, asio::error::eof});
    }
    // The end fails; the peer learns it only if `is_noticed`.
    void crash(unsigned end, bool is_noticed)
    {
        if (ends_[end].is_closed) return;
        shut(end, asio::error::connection_reset);
        if (is_noticed) send(1 - end, {{}, asio::error::connection_reset});
        else ends_[end].is_silent = true;
    }
    // Destroys what waits, without a call. Its handlers may own the ends of the connection.
    void drop()
    {
        std::array<std::optional<operation>, 4> const gone{std::exchange(ends_[0].reader, {}),
            std::exchange(ends_[0].writer, {}), std::exchange(ends_[1].reader, {}), std::exchange(ends_[1].writer, {})};
    }
    // Segments that were held arrive after a new delay.
    void resume()
    {
        for (unsigned const end : {0U, 1U})
            if (std::exchange(ends_[end].is_held, false)) arrive_later(end);
    }

private:
    struct segment {
        std::string bytes;
        error_code end;
        virtual_time::time_point arrival{};
    };
    struct one_end {
        std::string host;
        std::deque<segment> segments;  // on their way to this end
        std::size_t on_their_way = 0;  // bytes of them
        std::string received;
        error_code ended;  // after what was received
        std::optional<operation> reader;
        std::optional<operation> writer;
        virtual_time::time_point last_arrival{};
        bool is_closed = false;
        bool is_silent = false;  // answers nothing, not even that it is closed
        bool is_held = false;
    };
    class arrival final : public virtual_time::wait {
    public:
        arrival(std::shared_ptr<network_connection> connection, unsigned end)
            : connection_(std::move(connection)),
              end_(end)
        {}
        void complete(error_code error) override
        {
            if (!error) connection_->arrive(end_);
        }

    private:
        std::shared_ptr<network_connection> connection_;  // which bytes on their way keep, after its ends are destroyed
        unsigned end_;
    };

    void send(unsigned to, segment what)
    {
        ends_[to].on_their_way += what.bytes.size();
        what.arrival = arrive_later(to);
        ends_[to].segments.push_back(std::move(what));
    }
    auto arrive_later(unsigned to) -> virtual_time::time_point
    {
        auto const then = std::max(ends_[to].last_arrival, network_->time().now() + network_->delay());
        ends_[to].last_arrival = then;
        network_->time().add(then, std::make_unique<arrival>(shared_from_this(), to));
        return then;
    }
    void arrive(unsigned to)
    {
        one_end& here = ends_[to];
        if (network_->is_blocked(host(1 - to), host(to))) {
            here.is_held = true;
            return;
        }
        while (!here.segments.empty() && here.segments.front().arrival <= network_->time().now()) {
            segment next = std::move(here.segments.front());
            here.segments.pop_front();
            here.on_their_way -= next.bytes.size();
            if (here.is_closed) {
                bool const answers = !here.is_silent && !next.bytes.empty() && !ends_[1 - to].is_closed;
                if (answers) send(1 - to, {{}, asio::error::connection_reset});
                continue;
            }
            here.received += next.bytes;
            if (!next.end) continue;
            here.ended = next.end;
            if (next.end != asio::error::eof) abort(here.writer, next.end);
        }
        try_read(to);
        try_write(1 - to);
    }

    void try_read(unsigned end)
    {
        one_end& here = ends_[end];
        if (!here.reader || (here.received.empty() && !here.ended)) return;
        if (here.received.empty()) return abort(here.reader, here.ended);
        std::size_t const piece = 1 + network_->random(here.received.size());
        std::size_t const size = asio::buffer_copy(here.reader->to, asio::buffer(here.received.data(), piece));
        here.received.erase(0, size);
        complete(take(here.reader), {}, size);
        try_write(1 - end);
    }
    void try_write(unsigned end)
    {
        one_end& here = ends_[end];
        one_end& peer = ends_[1 - end];
        if (!here.writer) return;
        if (here.ended && here.ended != asio::error::eof) return abort(here.writer, here.ended);
        std::size_t const used = peer.on_their_way + peer.received.size();
        if (used >= network_->options().window && !peer.is_closed) return;
        std::size_t const space = peer.is_closed ? here.writer->bytes.size() : network_->options().window - used;
        operation what = take(here.writer);
        std::size_t size = std::min(what.bytes.size(), space);
        if (size > 1) size = 1 + network_->random(size);
        what.bytes.resize(size);
        if (size != 0) send(1 - end, {std::move(what.bytes), {}});
        complete(std::move(what), {}, size);
    }

    void shut(unsigned end, error_code error)
    {
        one_end& here = ends_[end];
        here.is_closed = true;
        here.received.clear();
        abort(here.reader, error);
        abort(here.writer, error);
    }
    [[nodiscard]] static auto take(std::optional<operation>& from) -> operation
    {
        operation taken = std::move(*from);
        from.reset();
        return taken;
    }
    static void abort(std::optional<operation>& what, error_code error)
    {
        if (what) complete(take(what), error);
    }
    static void complete(operation what, error_code error, std::size_t size = 0)
    {
        std::move(what.handler).complete(error, size);
    }

    std::shared_ptr<network_state> network_;
    std::array<one_end, 2> ends_;
};

}  // namespace detail

}  // namespace strider::sim

#endif  // STRIDER_SIM_DETAIL_NETWORK_CONNECTION_HPP
