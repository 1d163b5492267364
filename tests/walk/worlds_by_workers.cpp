// SPDX-License-Identifier: BSL-1.0
#include <walk/worlds.hpp>

#include <utility>

namespace strider::test {

template <class World, class Visitor>
auto walk_erased(World& world, text_frozen const& g, Visitor visitor, strict_options options,
    asio::cancellation_signal* signal, std::function<void()> const& meanwhile) -> ending
{
    walk_options<worker_handlers, ascending_id, silence> shared{
        .limit = options.limit, .stop_on_first_failure = options.stop_on_first_failure, .deadline = options.deadline};
    return walk_as_is(world, g, std::move(visitor), shared, signal, meanwhile);
}

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
