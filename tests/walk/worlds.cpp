// SPDX-License-Identifier: BSL-1.0
#include <walk/worlds.hpp>

#include <utility>

namespace strider::test {

template <class World, class Visitor>
auto walk_erased(World& world, text_frozen const& g, Visitor visitor, walk_options<> options,
    asio::cancellation_signal* signal, std::function<void()> const& meanwhile) -> ending
{
    return walk_as_is(world, g, std::move(visitor), options, signal, meanwhile);
}

template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<void>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<error_code>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    walk_options<>, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(pool_world&, text_frozen const&, erased_handle_visitor, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<void>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<error_code>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<void>>, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<error_code>>,
    walk_options<>, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_visitor<asio::awaitable<visit_outcome>>,
    walk_options<>, asio::cancellation_signal*, std::function<void()> const&) -> ending;
template auto walk_erased(manual_world&, text_frozen const&, erased_handle_visitor, walk_options<>,
    asio::cancellation_signal*, std::function<void()> const&) -> ending;

}  // namespace strider::test
