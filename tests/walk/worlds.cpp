// SPDX-License-Identifier: BSL-1.0
#include <walk/worlds.hpp>

#include <utility>

namespace strider::test {

template <class Visitor>
auto walk_erased(any_world& here, text_frozen const& g, Visitor visitor, strict_options options,
    asio::cancellation_signal* signal, std::function<void()> const& meanwhile) -> ending
{
    if (!here.has_workers()) return walk_as_is(here, g, std::move(visitor), options, signal, meanwhile);
    walk_options<work_stealing_scheduler, own_order> const of_workers{.max_concurrency = options.max_concurrency,
        .stop_on_first_failure = options.stop_on_first_failure,
        .timeout = options.timeout};
    return walk_as_is(here, g, std::move(visitor), of_workers, signal, meanwhile);
}

template auto walk_erased(any_world&, text_frozen const&, erased_visitor<void>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<error_code>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_handle_visitor, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;

}  // namespace strider::test
