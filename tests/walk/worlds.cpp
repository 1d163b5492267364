// SPDX-License-Identifier: BSL-1.0
#include <walk/worlds.hpp>

#include <utility>

namespace strider::test {

namespace {

template <class World>
auto options_in(World const&, strict_options of) -> strict_options
{
    return of;
}

template <class World>
auto options_in(by_workers<World> const&, strict_options of) -> walk_options<work_stealing_scheduler, own_order>
{
    return {.max_concurrency = of.max_concurrency,
        .stop_on_first_failure = of.stop_on_first_failure,
        .timeout = of.timeout};
}

}  // namespace

template <class World, class Visitor>
auto walk_erased(World& world, text_frozen const& g, Visitor visitor, strict_options options,
    asio::cancellation_signal* signal, std::function<void()> const& meanwhile) -> ending
{
    return walk_as_is(world, g, std::move(visitor), options_in(world, options), signal, meanwhile);
}

template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<void>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<error_code>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_handle_visitor, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<void>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<error_code>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_handle_visitor, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_visitor<void>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_visitor<error_code>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_visitor<asio::awaitable<void>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<pool_world>&, text_frozen const&, erased_handle_visitor, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_visitor<void>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_visitor<error_code>, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_visitor<asio::awaitable<void>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    strict_options, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(by_workers<manual_world>&, text_frozen const&, erased_handle_visitor, strict_options,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;

}  // namespace strider::test
