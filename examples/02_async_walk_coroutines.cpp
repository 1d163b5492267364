// SPDX-License-Identifier: BSL-1.0
// Services start in order of their dependencies, each in a coroutine; independent services wait concurrently.
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace {

struct service {
    std::string name;
    std::chrono::milliseconds needs;
};

//! [async_walk_visitor]
// A visitor: called once per service, after all of its dependencies have started.
auto start(strider::vertex_id, service const& s) -> asio::awaitable<void>
{
    std::cout << s.name << " is starting\n";
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_after(s.needs);
    co_await timer.async_wait(asio::use_awaitable);
    if (s.name == "mail") throw std::runtime_error("port 25 is taken");
    std::cout << s.name << " is up\n";
}
//! [async_walk_visitor]

auto run() -> asio::awaitable<void>
{
    using std::chrono::milliseconds;
    strider::digraph<service> draft;
    auto const database = draft.add_vertex({"database", milliseconds(40)});
    auto const cache = draft.add_vertex({"cache", milliseconds(200)});
    auto const mail = draft.add_vertex({"mail", milliseconds(400)});
    auto const web = draft.add_vertex({"web", milliseconds(20)});
    auto const newsletter = draft.add_vertex({"newsletter", milliseconds(20)});
    draft.add_edge(web, depends_on(database));  // from the dependent to its dependency
    draft.add_edge(web, depends_on(cache));
    draft.add_edge(newsletter, depends_on(mail));
    auto const services = strider::freeze(std::move(draft)).value();

    //! [async_walk]
    auto const executor = co_await asio::this_coro::executor;
    auto walking = strider::async_walk(executor, services, start);
    auto const [error, report] = co_await std::move(walking);
    //! [async_walk]

    std::cout << "in the end: " << (error ? error.message() : "all is well") << '\n';
    for (strider::vertex_id const v : services.vertices()) {
        auto const& outcome = report[v];
        std::cout << "  " << services[v].name << ": " << strider::to_string(outcome.status());
        std::cout << (outcome.message().empty() ? "" : ", ") << outcome.message() << '\n';
    }
}

}  // namespace

auto main() -> int
{
    asio::thread_pool pool(1);  // one thread is enough: no visit blocks it
    asio::co_spawn(pool, run(), asio::detached);
    pool.join();
}
