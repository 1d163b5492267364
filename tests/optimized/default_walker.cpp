// SPDX-License-Identifier: BSL-1.0
// A default walker that a program calls from two places.
//
// While runs by workers had virtual functions, g++ 11 and 12.2 compiled this program to one that crashed at -O2 and -O3. They
// knew from the walker that the run is a `blocking_run` or of a derived class, found no function in these classes for the call of
// `post_worker`, and replaced the call by `__builtin_unreachable()` (-fdump-ipa-inline-details). It is a defect of these
// compilers: g++ 12.4 compiled the same preprocessed text correctly, and so did g++ 12.2 with -fno-devirtualize or with
// sanitizers, which found nothing.
#include <strider/core.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <array>
#include <cstddef>

template <class Frame>
[[gnu::noinline]] auto count_errors(Frame frame) -> int
{
    int errors = 0;
    for (int i = 0; i < 200; ++i) errors += frame() ? 1 : 0;
    for (int i = 0; i < 1000; ++i) errors += frame() ? 1 : 0;
    return errors;
}

int main()
{
    std::array<int, 60> visits{};
    strider::digraph<std::size_t> draft;
    for (std::size_t i = 0; i < visits.size(); ++i) draft.add_vertex(i);
    auto const graph = strider::freeze(draft).value();
    boost::asio::thread_pool pool(2);
    strider::walker frame(pool, graph, [&](strider::vertex_id, std::size_t i) { ++visits[i]; });

    int wrong = count_errors([&] { return frame.run().error().failed(); });
    for (int const count : visits) wrong += count == 1200 ? 0 : 1;
    return wrong == 0 ? 0 : 1;
}
