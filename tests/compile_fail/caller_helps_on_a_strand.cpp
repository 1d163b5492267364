// SPDX-License-Identifier: BSL-1.0
// expect: caller_helps is for walks by workers: with a plain visitor, a dag and ascending_id, and not on a strand
#include <strider/walk/walk.hpp>

#include <strider/core/dag.hpp>

#include <boost/asio/thread_pool.hpp>

auto test(strider::dag<int> const& graph, boost::asio::thread_pool& pool) -> strider::walk_report
{
    return strider::walk(
        boost::asio::make_strand(pool), graph, [](strider::vertex_id, int) {}, {}, strider::caller_helps);
}
