// SPDX-License-Identifier: BSL-1.0
#include "ephemeral_lease.hpp"

#include "wire_diagnostics.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace iacctl::plugin {

namespace {

namespace asio = boost::asio;
using strider::infra::diagnostics;

// The minimum time between renewals, for a provider that requests them in the past.
constexpr std::chrono::milliseconds shortest_term{100};

}  // namespace

ephemeral_lease::ephemeral_lease(
    asio::any_io_executor on, std::shared_ptr<client> c, std::string type, std::string about, std::string bytes)
    : executor_(std::move(on)),
      client_(std::move(c)),
      type_(std::move(type)),
      about_(std::move(about)),
      bytes_(std::move(bytes)),
      renewal_(executor_),
      renewals_ended_(executor_, asio::steady_timer::time_point::max())
{}

void ephemeral_lease::renew_at(time_point when)
{
    renews_ = true;
    auto renewing = [](std::shared_ptr<ephemeral_lease> lease, time_point first) -> asio::awaitable<void> {
        auto work = lease->renew(first);
        co_await std::move(work);
    };
    asio::co_spawn(executor_, renewing(shared_from_this(), when), asio::detached);
}

auto ephemeral_lease::renew(time_point when) -> asio::awaitable<void>
{
    std::optional<time_point> next = when;
    while (next) {
        auto const now = std::chrono::system_clock::now();
        renewal_.expires_after(std::max<std::chrono::system_clock::duration>(*next - now, shortest_term));
        boost::system::error_code ignored;
        if (!closing_) co_await renewal_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        if (closing_) break;
        next.reset();
        protocol::RenewEphemeralResource::Request request;
        request.set_type_name(type_);
        request.set_private_data(bytes_);
        auto calling = client_->call<protocol::RenewEphemeralResource>(std::move(request));
        auto const answer = co_await std::move(calling);
        diagnostics found = answer ? diagnostics_of(answer->diagnostics(), about_) : diagnostics{answer.error().what};
        if (answer && !found.has_errors()) {
            bytes_ = answer->private_data();
            if (answer->has_renew_at()) next = time_of(answer->renew_at());
        }
        problems_.add(std::move(found));
    }
    renews_ = false;
    renewals_ended_.cancel();
}

auto ephemeral_lease::close() -> asio::awaitable<diagnostics>
{
    auto ending = [](std::shared_ptr<ephemeral_lease> lease) -> asio::awaitable<diagnostics> {
        auto work = lease->end();
        co_return co_await std::move(work);
    };
    auto waiting = asio::co_spawn(executor_, ending(shared_from_this()), asio::use_awaitable);
    co_return co_await std::move(waiting);
}

auto ephemeral_lease::end() -> asio::awaitable<diagnostics>
{
    closing_ = true;
    renewal_.cancel();
    boost::system::error_code ignored;
    while (renews_) co_await renewals_ended_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    protocol::CloseEphemeralResource::Request request;
    request.set_type_name(type_);
    request.set_private_data(bytes_);
    auto calling = client_->call<protocol::CloseEphemeralResource>(std::move(request));
    auto const answer = co_await std::move(calling);
    problems_.add(answer ? diagnostics_of(answer->diagnostics(), about_) : diagnostics{answer.error().what});
    co_return std::move(problems_);
}

void ephemeral_lease::abandon()
{
    asio::post(executor_, [one = shared_from_this()] {
        one->closing_ = true;
        one->renewal_.cancel();
    });
}

}  // namespace iacctl::plugin
