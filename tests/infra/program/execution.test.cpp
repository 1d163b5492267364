// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/program/execution.hpp>

#include <strider/walk/asio.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace strider::infra;
namespace asio = strider::asio;

TEST(AsioExecution, PassesTheLimitsToTheWalk)
{
    asio::thread_pool pool(0);  // whose occupancy is 0 until a thread attaches
    execution_limits limits;
    limits.parallelism = 7;
    limits.threads = 3;
    limits.stop_on_first_failure = true;

    auto const options = asio_execution(pool.get_executor(), limits).options([](auto) { return std::string(); });

    EXPECT_EQ(options.max_concurrency, 7U);
    EXPECT_EQ(options.threads, 3U);
    EXPECT_TRUE(options.stop_on_first_failure);
}

}  // namespace
