// SPDX-License-Identifier: BSL-1.0
// Visits on executors of their own: scenes are rendered on the thread of a device, all else on a pool. During the walk, one
// scene is cancelled.
#include <strider/core.hpp>
#include <strider/walk/on_executors.hpp>
#include <strider/walk/vertex_cancellation.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

struct step {
    std::string name;
    std::vector<std::string> needs;
    bool on_device = false;
};

int main()
{
    std::vector<step> const all{{"load forest", {}}, {"render forest", {"load forest"}, true},
        {"encode forest", {"render forest"}}, {"load city", {}}, {"render city", {"load city"}, true},
        {"encode city", {"render city"}}};
    auto const steps = strider::freeze(strider::make_digraph(all, &step::name, &step::needs).value()).value();

    boost::asio::thread_pool pool(2), device(1);
    auto const executor_of = [&](strider::vertex_id v) {
        return steps[v].on_device ? device.get_executor() : pool.get_executor();
    };
    strider::vertex_cancellation cancellation(steps);
    std::vector<char> was_on_device(steps.vertex_count());  // each visit writes its own element
    auto const work = [&](strider::vertex_id v, step const& s) {
        was_on_device[v.index()] = device.get_executor().running_in_this_thread() ? 1 : 0;
        if (s.name == "load city") cancellation.cancel(v);  // any thread may do that; this visit completes
    };

    auto const report = strider::walk(pool, steps, strider::on_executors(executor_of, cancellation.visitor(work)));
    device.join();  // its threads may still leave the walk, on the pool
    for (auto const v : steps.vertices())
        std::cout << steps[v].name << ": " << to_string(report[v].status())
                  << (was_on_device[v.index()] != 0 ? " on the device\n" : "\n");
}
