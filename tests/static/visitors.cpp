// SPDX-License-Identifier: BSL-1.0
// The kinds of visitors are known to the header of the concepts, and do not depend on what is included later.
#include <strider/core/dag.hpp>
#include <strider/walk/visitor.hpp>

#include <boost/asio/thread_pool.hpp>

#include <ios>
#include <system_error>

namespace {

using strider::vertex_id;
using graph = strider::dag<int>;
using executor = boost::asio::thread_pool::executor_type;
using strand = boost::asio::strand<executor>;

template <class R>
using visitor = R (*)(vertex_id, int const&);
using awaiting = visitor<boost::asio::awaitable<void>>;
using awaiting_on_strand = visitor<boost::asio::awaitable<void, strand>>;
using with_handle = void (*)(vertex_id, int const&, strider::visit_handle);

template <class V, class Executor = executor>
constexpr bool is_accepted()
{
    return strider::visitor_for<V, graph, Executor>;
}
static_assert(is_accepted<visitor<void>>() && is_accepted<awaiting>() && is_accepted<with_handle>());
static_assert(is_accepted<awaiting_on_strand>() && is_accepted<awaiting_on_strand, strand>());
static_assert(!is_accepted<visitor<int>>() && !is_accepted<visitor<boost::asio::awaitable<int>>>());

// Results of visits: error codes of Boost and of the standard library, and enumerations of them.
static_assert(strider::visit_result<void> && strider::visit_result<strider::visit_outcome>);
static_assert(strider::visit_result<strider::error_code> && strider::visit_result<std::error_code>);
static_assert(strider::visit_result<strider::walk_errc> && strider::visit_result<boost::asio::error::basic_errors>);
static_assert(strider::visit_result<std::io_errc>);
static_assert(!strider::visit_result<int> && !strider::visit_result<bool> && !strider::visit_result<std::errc>);

}  // namespace

#include <strider/walk.hpp>
#include <strider/walk/visit_values.hpp>

namespace {

static_assert(is_accepted<visitor<void>>() && is_accepted<awaiting>() && is_accepted<with_handle>());
static_assert(strider::visitor_for<awaiting, graph, executor> && strider::visitor_for<with_handle, graph, executor>);
static_assert(strider::visitor_for<awaiting_on_strand, graph, strand>);

}  // namespace
