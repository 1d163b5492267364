// SPDX-License-Identifier: BSL-1.0
// Measures walks whose visits run in three worker processes of this machine, over TCP: vertices per second, for empty
// actions and for actions that compute for ten microseconds.
// usage: bench_remote [--benchmark_...]
#include "support/shapes.hpp"

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/remote.hpp>
#include <strider/walk/async_walk.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace strider;
using tcp = asio::ip::tcp;

// The text of the action is the time to compute, in microseconds.
struct compute : remote::text_codec {
    [[nodiscard]] auto run(remote::visit_context const& /*context*/, std::string const& microseconds) const
        -> std::string
    {
        auto const end = std::chrono::steady_clock::now() + std::chrono::microseconds(std::stoi(microseconds));
        while (std::chrono::steady_clock::now() < end) {}
        return {};
    }
};

constexpr std::size_t workers = 3;
bool by_slurm = false;
std::string program;

[[noreturn]] void serve(tcp::endpoint const& coordinator)
{
    asio::io_context context(1);
    tcp::socket socket(context);
    socket.connect(coordinator);
    socket.set_option(tcp::no_delay(true));
    remote::basic_worker<compute> worker(context.get_executor());
    worker.async_serve(std::move(socket), [&](error_code) { context.stop(); });
    context.run();
    ::_exit(0);
}

void walk_over_three_workers(benchmark::State& state, bench::shape shape)
{
    constexpr std::size_t size = 20'000;
    auto const graph = freeze(bench::make(shape, size)).value();
    std::string const time = std::to_string(state.range(0));
    asio::io_context context(1);
    tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    std::string const port = std::to_string(acceptor.local_endpoint().port());
    std::vector<::pid_t> processes;
    for (std::size_t i = 0; i < (by_slurm ? 1 : workers); ++i) {
        processes.push_back(::fork());
        if (processes.back() != 0) continue;
        if (!by_slurm) serve(acceptor.local_endpoint());
        ::execlp("srun", "srun", "--no-kill", "--nodes=3", "--ntasks=3", "--ntasks-per-node=1", program.c_str(),
            "--serve", port.c_str(), nullptr);
        ::_exit(127);
    }
    {
        remote::basic_coordinator<remote::text_codec> coordinator(context.get_executor());
        for (std::size_t i = 0; i < workers; ++i) {
            auto socket = acceptor.accept();
            socket.set_option(tcp::no_delay(true));
            coordinator.async_session(std::move(socket), asio::detached);
        }
        auto const make = [&](vertex_id, std::uint32_t) { return time; };
        for (auto _ : state) {
            bool ended = false;
            async_walk(
                context, graph, remote::visitor(coordinator, make), {}, [&](error_code error, walk_report const&) {
                    if (error) state.SkipWithError("the walk failed");
                    ended = true;
                });
            while (!ended) context.run_one();
        }
        coordinator.async_drain(asio::detached);
        context.restart();
        context.run_for(std::chrono::seconds(5));
    }
    for (::pid_t const process : processes) {
        if (!by_slurm) ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.vertex_count()));
}

void layered(benchmark::State& state)
{
    walk_over_three_workers(state, bench::shape::layered);
}
void wide(benchmark::State& state)
{
    walk_over_three_workers(state, bench::shape::wide);
}
void infra(benchmark::State& state)
{
    walk_over_three_workers(state, bench::shape::infra);
}

}  // namespace

BENCHMARK(layered)->Arg(0)->Arg(10)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(wide)->Arg(0)->Arg(10)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(infra)->Arg(0)->Arg(10)->UseRealTime()->Unit(benchmark::kMillisecond);

auto main(int argc, char** argv) -> int
{
    program = argv[0];
    std::vector<char*> arguments(argv, argv + argc);
    if (argc == 3 && arguments[1] == std::string_view("--serve"))
        serve(tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(std::atoi(argv[2]))));
    by_slurm = std::erase_if(arguments, [](char const* word) { return word == std::string_view("--slurm"); }) != 0;
    argc = static_cast<int>(arguments.size());
    benchmark::Initialize(&argc, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 1;
    benchmark::RunSpecifiedBenchmarks();
}
