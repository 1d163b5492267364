// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_CLIENT_HPP
#define IACCTL_PROVIDERS_PLUGIN_CLIENT_HPP

#include "base/log.hpp"
#include "base/process.hpp"
#include "grpc_channel.hpp"
#include "handshake.hpp"
#include "methods.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace iacctl::plugin {

enum class failure_kind : std::uint8_t {
    not_started,  ///< there is no connection with a provider
    refused,      ///< the provider answered with a status of gRPC
    invalid,      ///< its answer breaks the protocol
    crashed,      ///< its process has ended
    lost,         ///< the connection has ended
    timed_out,
    cancelled,
};

/// The reason why a call failed.
class failure {
public:
    failure_kind kind = failure_kind::refused;
    int status = 0;  ///< of gRPC, if the provider refused the call
    bool sent = false;  ///< the provider may have acted on the call
    strider::infra::diagnostic what;

    static constexpr int unimplemented = 12;  ///< the status of a call that a provider does not implement
};

template <class T>
using outcome = boost::system::result<T, failure>;

/// The time limits of a provider.
class client_times {
public:
    std::chrono::milliseconds start{60'000};     ///< to accept calls
    std::chrono::milliseconds stop{5'000};       ///< to answer `stop`
    std::chrono::milliseconds shutdown{2'000};   ///< to end by itself
    std::chrono::milliseconds termination{2'000};  ///< to end after SIGTERM; then it gets SIGKILL
};

class client_options {
public:
    client_times times;
    grpc_limits limits;
    log_sink log;  ///< receives the logs of the provider; empty: they are dropped, and TF_LOG_SDK reduces them
};

/// A running provider and the calls of its protocol.
///
/// A client runs on a strand of the executor with which it was started. Its functions can be called from any thread,
/// and resume the caller on its own executor. While it is open, its context does not run out of work; call `close`
/// before waiting for that. Without `close`, the destructor kills the process.
///
/// \par Cancellation
/// Terminal cancellation of a call resets it; the provider may continue its work. See `stop`.
class client {
public:
    /// Starts a provider. \param provider  its name in messages \param program  the command that runs it
    [[nodiscard]] static auto start(boost::asio::any_io_executor executor, std::string provider,
        process_command program, client_options options) -> boost::asio::awaitable<outcome<std::shared_ptr<client>>>;
    /// Connects to a running provider.
    [[nodiscard]] static auto reattach(boost::asio::any_io_executor executor, std::string provider,
        reattached_provider where, client_options options) -> boost::asio::awaitable<outcome<std::shared_ptr<client>>>;

    client(client const&) = delete;
    auto operator=(client const&) -> client& = delete;
    ~client();

    /// 5 or 6. The messages are the same in both versions.
    [[nodiscard]] auto protocol_version() const noexcept -> int;

    /// False if the connection has ended.
    [[nodiscard]] auto is_open() const noexcept -> bool;

    /// Sends a request: `call<protocol::ReadResource>(request)`.
    /// \param timeout  for the answer; 0: none
    template <class Call>
    [[nodiscard]] auto call(typename Call::Request request, std::chrono::milliseconds timeout = {})
        -> boost::asio::awaitable<outcome<typename Call::Response>>
    {
        method_name const& name = Call::name;
        auto sending = send(name, request.SerializeAsString(), timeout);
        auto const answer = co_await std::move(sending);
        if (!answer) co_return answer.error();
        typename Call::Response response;
        if (!response.ParseFromString(*answer)) co_return invalid(name, "it is not a message of the protocol");
        if constexpr (std::is_same_v<Call, protocol::GetProviderSchema>)
            if (protocol_version() == 5) translate_version_5(response);
        co_return response;
    }

    /// Sends a request that is answered with events. `take` receives each of them on the strand of the client, and
    /// returns false to end the call.
    template <class Call>
    [[nodiscard]] auto stream(typename Call::Request request, std::function<bool(typename Call::Event)> take)
        -> boost::asio::awaitable<outcome<void>>
    {
        method_name const& name = Call::name;
        auto const valid = std::make_shared<bool>(true);
        auto read = [take = std::move(take), valid](std::string_view message) {
            typename Call::Event event;
            if (*valid) *valid = event.ParseFromArray(message.data(), static_cast<int>(message.size()));
            return *valid && take(std::move(event));
        };
        auto sending = send(name, request.SerializeAsString(), {}, std::move(read));
        auto const answer = co_await std::move(sending);
        if (!answer) co_return answer.error();
        if (!*valid) co_return invalid(name, "an event is not a message of the protocol");
        co_return boost::system::in_place_value;
    }

    /// Requests the provider to end its operations early. Running calls are answered as usual, but sooner.
    /// \return the error that the provider reports; empty: none
    [[nodiscard]] auto stop() -> boost::asio::awaitable<std::string>;
    /// Ends the provider: it has some time to exit, then receives SIGTERM, then SIGKILL. Running calls are lost.
    [[nodiscard]] auto close() -> boost::asio::awaitable<void>;

private:
    struct impl;

    explicit client(std::shared_ptr<impl> state);
    /// \param on_message  receives the messages of a streamed answer; empty: the answer is one message
    [[nodiscard]] auto send(method_name const& name, std::string request, std::chrono::milliseconds timeout,
        message_sink on_message = {}) -> boost::asio::awaitable<outcome<std::string>>;
    [[nodiscard]] auto invalid(method_name const& name, std::string_view why) const -> failure;

    std::shared_ptr<impl> impl_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_CLIENT_HPP
