// SPDX-License-Identifier: BSL-1.0
// Child processes: commands run in order of their dependencies, and one thread waits for all of them.
#include <strider/core.hpp>
#include <strider/walk/async_walk.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>

#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

namespace asio = boost::asio;

// Runs a command and returns its output: the pipe ends when the process ends.
auto output_of(std::string command) -> asio::awaitable<std::string>
{
    auto const executor = co_await asio::this_coro::executor;
    std::FILE* const child = ::popen(command.c_str(), "r");
    if (child == nullptr) throw std::runtime_error("no process was started");
    asio::posix::stream_descriptor pipe(executor, ::fileno(child));
    std::string text;
    strider::error_code end;
    co_await asio::async_read(pipe, asio::dynamic_buffer(text), asio::redirect_error(asio::use_awaitable, end));
    pipe.release();
    int const status = ::pclose(child);
    if (status != 0) throw std::runtime_error("exit code " + std::to_string(WEXITSTATUS(status)));
    co_return text;
}

int main()
{
    strider::digraph<std::string> draft;
    auto const left = draft.add_vertex("sleep 0.05; echo left"), right = draft.add_vertex("sleep 0.1; echo right");
    auto const both = draft.add_vertex("echo both");
    draft.add_vertex("exit 3");
    draft.add_edge(both, depends_on(left));
    draft.add_edge(both, depends_on(right));
    auto const commands = strider::freeze(std::move(draft)).value();

    std::vector<std::string> outputs(commands.vertex_count());  // each visit writes its own element
    auto const run = [&](strider::vertex_id v, std::string const& command) -> asio::awaitable<void> {
        outputs[v.index()] = co_await output_of(command);
    };
    asio::io_context context;
    strider::async_walk(context, commands, run, {}, [&](strider::error_code, strider::walk_report const& report) {
        for (auto const v : commands.vertices())
            std::cout << commands[v] << " -> "
                      << (report[v].is_done() ? outputs[v.index()] : report[v].message() + '\n');
    });
    context.run();
}
