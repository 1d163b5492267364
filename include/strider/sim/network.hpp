// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_NETWORK_HPP
#define STRIDER_SIM_NETWORK_HPP

#include <strider/sim/detail/network_connection.hpp>
#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/asio.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::sim {

/// One end of a simulated connection, with the interface of Asio's streams: `async_read_some`, `async_write_some`, `close`.
///
/// Bytes arrive in their order, in pieces of any size, or not at all. At most one read and one write wait at a time.
class network_stream {
public:
    /// The type of the executor of the stream.
    using executor_type = asio::any_io_executor;
    /// The stream has no layer below it.
    using lowest_layer_type = network_stream;

    /// Leaves `other` without a connection.
    network_stream(network_stream&&) noexcept = default;
    auto operator=(network_stream&&) -> network_stream& = delete;
    /// As `close`.
    ~network_stream() { close(); }

    /// Returns the executor of the connection. \pre The stream was not moved from.
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return connection_->executor(); }
    /// Returns this stream.
    [[nodiscard]] auto lowest_layer() noexcept -> lowest_layer_type& { return *this; }
    /// False if this end was closed, also by `network::crash` of its host or, at the host that connected, by
    /// `network::reset`; and in a stream that was moved from. An error that is read from the peer closes nothing.
    [[nodiscard]] auto is_open() const noexcept -> bool { return connection_ && connection_->is_open(end_); }

    /// Ends pending operations with `operation_aborted`. The peer reads `eof` after the bytes that were written.
    void close()
    {
        if (connection_) connection_->close(end_);
    }
    /// As above; never fails.
    void close(error_code& error)
    {
        error = {};
        close();
    }

    /// Reads at least one byte.
    /// \par Completion signature `void(error_code, std::size_t)`
    /// \par Cancellation Every type ends the operation with `operation_aborted`.
    template <class Buffers, asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
    auto async_read_some(Buffers const& buffers, Token&& token = Token())
    {
        std::vector<asio::mutable_buffer> to(asio::buffer_sequence_begin(buffers), asio::buffer_sequence_end(buffers));
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            initiate(connection_, end_, true), token, std::move(to), std::string());
    }
    /// Writes at least one byte, when the peer has space for it.
    /// \par Completion signature `void(error_code, std::size_t)`
    /// \par Cancellation Every type ends the operation with `operation_aborted`.
    template <class Buffers, asio::completion_token_for<void(error_code, std::size_t)> Token = asio::deferred_t>
    auto async_write_some(Buffers const& buffers, Token&& token = Token())
    {
        std::string bytes;
        for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at)
            bytes.append(static_cast<char const*>(asio::const_buffer(*at).data()), asio::const_buffer(*at).size());
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            initiate(connection_, end_, false), token, std::vector<asio::mutable_buffer>(), std::move(bytes));
    }

private:
    friend class network;
    network_stream(std::shared_ptr<detail::network_connection> connection, unsigned end) noexcept
        : connection_(std::move(connection)),
          end_(end)
    {}

    class initiate {
    public:
        using executor_type = asio::any_io_executor;
        initiate(std::shared_ptr<detail::network_connection> of, unsigned end, bool reads) noexcept
            : connection_(std::move(of)),
              end_(end),
              reads_(reads)
        {}
        [[nodiscard]] auto get_executor() const noexcept -> executor_type { return connection_->executor(); }

        template <class Handler>
        void operator()(Handler&& handler, std::vector<asio::mutable_buffer> to, std::string bytes) const
        {
            auto slot = asio::get_associated_cancellation_slot(handler);
            if (slot.is_connected())
                slot.assign([weak = std::weak_ptr(connection_), end = end_, reads = reads_](asio::cancellation_type_t) {
                    if (auto const connection = weak.lock()) connection->cancel(end, reads);
                });
            connection_->begin(end_, reads_,
                {{std::decay_t<Handler>(std::forward<Handler>(handler)), connection_->executor()}, std::move(to),
                    std::move(bytes)});
        }

    private:
        std::shared_ptr<detail::network_connection> connection_;
        unsigned end_;
        bool reads_;
    };

    std::shared_ptr<detail::network_connection> connection_;
    unsigned end_;
};

/// Hosts with connections between them, in the virtual time of a `manual_context`. Delays come from a seed.
///
/// Bytes of one connection keep their order; bytes of different connections overtake one another. What is sent while a direction is
/// blocked is held and arrives after it is unblocked, as the repetitions of TCP do. Not thread-safe.
///
/// The header is not part of `sim.hpp`, because few simulations need streams.
class network {
public:
    /// \param executor  of a `manual_context`
    network(asio::any_io_executor executor, std::uint64_t seed, network_options options = {})
        : state_(std::make_shared<detail::network_state>(std::move(executor), seed, options))
    {}

    network(network const&) = delete;
    auto operator=(network const&) -> network& = delete;
    /// Destroys the operations that wait, without a call. The network is destroyed before the context.
    ~network()
    {
        for (auto const& connection : alive()) connection->drop();
    }

    /// Makes a connection between two hosts, also across a blocked direction; \return the ends at `from` and at `to`.
    [[nodiscard]] auto connect(std::string from, std::string to) -> std::pair<network_stream, network_stream>
    {
        auto const made = std::make_shared<detail::network_connection>(state_, std::move(from), std::move(to));
        std::erase_if(connections_, [](auto const& weak) { return weak.expired(); });
        connections_.push_back(made);
        return {network_stream(made, 0), network_stream(made, 1)};
    }

    /// Holds what `from` sends to `to`: connections are half open.
    void block(std::string_view from, std::string_view to) { state_->set_blocked(from, to, true); }
    /// Holds what two hosts send to each other.
    void partition(std::string_view a, std::string_view b)
    {
        block(a, b);
        block(b, a);
    }
    /// Lets bytes pass between two hosts, in both directions. Held bytes arrive after a new delay.
    void heal(std::string_view a, std::string_view b)
    {
        state_->set_blocked(a, b, false);
        state_->set_blocked(b, a, false);
        for (auto const& connection : alive())
            if (connection->is_between(a, b)) connection->resume();
    }
    /// Breaks the connections between two hosts: both ends fail with `connection_reset`, the peer after a delay.
    void reset(std::string_view a, std::string_view b)
    {
        for (auto const& connection : alive())
            if (connection->is_between(a, b)) connection->crash(0, true);
    }
    /// Ends all connections of a host. With `is_noticed`, as if its process had died: peers read `connection_reset`. Without, as if it
    /// had lost its power: peers receive nothing more.
    void crash(std::string_view host, bool is_noticed = true)
    {
        for (auto const& connection : alive())
            for (unsigned const end : {0U, 1U})
                if (connection->host(end) == host) connection->crash(end, is_noticed);
    }

private:
    [[nodiscard]] auto alive() const -> std::vector<std::shared_ptr<detail::network_connection>>
    {
        std::vector<std::shared_ptr<detail::network_connection>> found;
        for (auto const& weak : connections_)
            if (auto connection = weak.lock()) found.push_back(std::move(connection));
        return found;
    }

    std::shared_ptr<detail::network_state> state_;
    std::vector<std::weak_ptr<detail::network_connection>> connections_;
};

}  // namespace strider::sim

#endif  // STRIDER_SIM_NETWORK_HPP
