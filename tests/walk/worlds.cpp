// SPDX-License-Identifier: BSL-1.0
#include <walk/worlds.hpp>

#include <utility>

namespace strider::test {

template <class Visitor>
auto walk_erased(any_world& here, text_frozen const& g, Visitor visitor, walk_options<> options,
    asio::cancellation_signal* signal, std::function<void()> const& meanwhile) -> ending
{
    walk_options<own_order> const with_ledger{.max_concurrency = options.max_concurrency,
        .stop_on_first_failure = options.stop_on_first_failure,
        .timeout = options.timeout};
    auto const executor = here.executor();
    if (here.has_workers()) return walk_on(here, executor, g, std::move(visitor), with_ledger, signal, meanwhile);
    return walk_on(here, on_strand(executor), g, std::move(visitor), with_ledger, signal, meanwhile);
}

template auto walk_erased(any_world&, text_frozen const&, erased_visitor<void>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<error_code>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    walk_options<>, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(any_world&, text_frozen const&, erased_handle_visitor, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;

}  // namespace strider::test
