// SPDX-License-Identifier: BSL-1.0
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/network.hpp>
#include <strider/walk/asio.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace strider::sim::test {
namespace {

TEST(NetworkStream, ReadsWhatThePeerHasWritten)
{
    manual_context world;
    network between(world.get_executor(), 1);
    auto [client, server] = between.connect("client", "server");
    char const sent = 'x';
    char received = ' ';

    client.async_write_some(asio::buffer(&sent, 1), asio::detached);
    server.async_read_some(asio::buffer(&received, 1), [](error_code, std::size_t) {});
    world.run();

    EXPECT_EQ(received, 'x');
}

#ifndef NDEBUG
TEST(NetworkStreamDeathTest, RejectsASecondReadWhileOneWaits)
{
    manual_context world;
    network between(world.get_executor(), 1);
    auto [client, server] = between.connect("client", "server");
    char received = ' ';
    auto const read = [&stream = client, &received] {
        stream.async_read_some(asio::buffer(&received, 1), asio::detached);
    };

    read();

    EXPECT_DEATH(read(), "at most one read and one write");
}
#endif

}  // namespace
}  // namespace strider::sim::test
