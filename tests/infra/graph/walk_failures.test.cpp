// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/infra.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// The diagnostics after a walk of two vertices whose limit function throws.
template <class Thrown>
auto failures_after(Thrown const& thrown) -> infra::diagnostics
{
    digraph<std::string> draft;
    draft.add_vertex("a");
    draft.add_vertex("b");
    auto const frozen = freeze(std::move(draft)).value();
    asio::thread_pool pool(1);
    auto const limit = [&thrown](vertex_id) -> resource_pool { throw thrown; };
    auto const report = walk(
        pool.get_executor(), frozen, [](vertex_id, std::string const&) {},
        walk_options{.ready = resource_pools(limit)});
    infra::diagnostics found;
    infra::detail::append_walk_failures(
        found, report, infra::codes::operation_failed, [&](vertex_id v) { return frozen[v]; });
    return found;
}

TEST(WalkFailures, LackOfMemoryIsReportedIfNoVertexFailed)
{
    auto const found = failures_after(std::bad_alloc());

    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].code, infra::codes::out_of_memory);
}

TEST(WalkFailures, AnExceptionOutsideOfVisitsIsAnError)
{
    auto const found = failures_after(std::runtime_error("the limit broke"));

    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].code, infra::codes::operation_failed);
    EXPECT_TRUE(found.has_errors());
}

}  // namespace
}  // namespace strider::test
