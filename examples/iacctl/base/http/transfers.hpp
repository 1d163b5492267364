// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_TRANSFERS_HPP
#define IACCTL_BASE_HTTP_TRANSFERS_HPP

#include "client.hpp"
#include "curl_library.hpp"
#include "proxies.hpp"
#include "url.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::http {

/// One request to one server, and its response. \pre its arguments outlive it
class transfer {
public:
    /// \param limit  for the whole transfer; 0: none
    transfer(request const& r, url const& where, proxy_choice const& proxy, std::chrono::milliseconds limit);
    transfer(transfer const&) = delete;
    auto operator=(transfer const&) -> transfer& = delete;
    ~transfer();

    /// The response, or the reason why there is none. \pre it has ended
    [[nodiscard]] auto result() -> response;

private:
    friend class transfers;

    template <class T>
    void set(CURLoption option, T value);
    void set_pem(CURLoption option, std::string const& pem);
    void set_up_tls();
    void set_up_body();
    void add_headers();
    void take_header(std::string_view line);
    [[nodiscard]] auto take_body(std::string_view piece) -> bool;
    void fail(failure_kind kind, std::string why);
    void explain(CURLcode code);

    request const* what_;
    url const* where_;
    proxy_choice const* proxy_;
    std::chrono::milliseconds limit_;
    curl_library const* curl_ = &curl_library::instance();
    CURL* easy_ = nullptr;
    curl_slist* header_lines_ = nullptr;
    std::array<char, CURL_ERROR_SIZE> detail_{};
    std::string* last_header_ = nullptr;
    std::size_t header_size_ = 0;
    response made_;
    boost::asio::steady_timer* ended_ = nullptr;  // cancelled at the end
};

/// All transfers of an execution context, whose event loop drives libcurl.
///
/// All calls of libcurl are made on one strand. Descriptors are watched only while a transfer needs them, so that idle
/// connections do not keep the context running.
class transfers final : public boost::asio::execution_context::service {
public:
    using key_type = transfers;
    static boost::asio::execution_context::id id;

    explicit transfers(boost::asio::execution_context& context);
    transfers(transfers const&) = delete;
    auto operator=(transfers const&) -> transfers& = delete;
    ~transfers() override = default;
    /// The service of the context of an executor.
    [[nodiscard]] static auto of(boost::asio::any_io_executor const& executor) -> transfers&;

    [[nodiscard]] auto proxy_for(url const& where) const -> proxy_choice { return proxies_.proxy_for(where); }
    /// Waits until a transfer has ended. Terminal cancellation ends it at once.
    [[nodiscard]] auto perform(transfer& t) -> boost::asio::awaitable<void>;

private:
    class watched_socket;
    using strand = boost::asio::strand<boost::asio::any_io_executor>;

    void shutdown() override;
    void open(boost::asio::any_io_executor const& executor);
    [[nodiscard]] auto run(transfer& t) -> boost::asio::awaitable<void>;
    void watch(curl_socket_t socket, int number);
    void wait_for(std::shared_ptr<watched_socket> const& ws, int event);
    void set_timer(std::chrono::milliseconds wait);
    void act(curl_socket_t socket, int events);
    void end(transfer& t, CURLcode code);

    curl_library const* curl_ = &curl_library::instance();
    proxies proxies_ = proxies::from_environment();
    std::once_flag opened_;
    std::optional<strand> strand_;
    std::optional<boost::asio::steady_timer> timer_;
    std::map<curl_socket_t, std::shared_ptr<watched_socket>> sockets_;
    std::set<transfer*> running_;
    CURLM* multi_ = nullptr;
};

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_TRANSFERS_HPP
