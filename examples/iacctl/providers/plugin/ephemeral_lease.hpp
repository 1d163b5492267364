// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_EPHEMERAL_LEASE_HPP
#define IACCTL_PROVIDERS_PLUGIN_EPHEMERAL_LEASE_HPP

#include "client.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace iacctl::plugin {

/// An open ephemeral resource. It is renewed at the times that its provider specifies, until it is closed.
///
/// It runs on the thread of the executor. Its functions can be called from any thread.
class ephemeral_lease : public std::enable_shared_from_this<ephemeral_lease> {
public:
    using time_point = std::chrono::system_clock::time_point;

    /// \param on     an executor of one thread \param about  the address of the resource
    /// \param bytes  private data of the provider for the resource
    ephemeral_lease(boost::asio::any_io_executor on, std::shared_ptr<client> c, std::string type, std::string about,
        std::string bytes);
    ephemeral_lease(ephemeral_lease const&) = delete;
    auto operator=(ephemeral_lease const&) -> ephemeral_lease& = delete;
    ~ephemeral_lease() = default;

    /// Renews the resource at that time, and then at the times in the responses. Called once.
    void renew_at(time_point when);
    /// Ends the renewals and closes the resource. \return warnings and errors of the renewals and of the close
    [[nodiscard]] auto close() -> boost::asio::awaitable<strider::infra::diagnostics>;
    /// Ends the renewals. The resource stays open.
    void abandon();

private:
    [[nodiscard]] auto renew(time_point when) -> boost::asio::awaitable<void>;
    [[nodiscard]] auto end() -> boost::asio::awaitable<strider::infra::diagnostics>;

    boost::asio::any_io_executor executor_;
    std::shared_ptr<client> client_;
    std::string type_;
    std::string about_;
    std::string bytes_;
    boost::asio::steady_timer renewal_;
    boost::asio::steady_timer renewals_ended_;  // cancelled at their end
    bool renews_ = false;
    bool closing_ = false;
    strider::infra::diagnostics problems_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_EPHEMERAL_LEASE_HPP
