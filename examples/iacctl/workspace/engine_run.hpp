// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_ENGINE_RUN_HPP
#define IACCTL_WORKSPACE_ENGINE_RUN_HPP

#include "engine_context.hpp"
#include "engine_runner.hpp"
#include "event_log.hpp"
#include "long_operations.hpp"
#include "providers/provider_set.hpp"
#include "worker_threads.hpp"

#include <strider/infra/engine.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <utility>

// The engine of the program, and what a run of it needs. Compiling an instantiation of the engine takes long: each phase has a
// source of its own, run_plan.cpp and run_apply.cpp.
namespace iacctl::workspace::detail {

namespace asio = strider::asio;
using pool_executor = worker_threads::executor_type;
using engine = infra::basic_engine<program::hcl_program, providers::provider_set, state::store,
    infra::asio_execution<pool_executor>>;

// Passes every kind of cancellation on to the walk, but does not let it end the coroutine while operations are running.
template <class T>
auto stoppable(infra::task<T> work) -> infra::task<T>
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
    co_return co_await std::move(work);
}

// Adds problems at the end of a run to its result.
inline void add_to(expected<plan>& result, infra::diagnostics problems)
{
    if (result && !problems.has_errors()) result->warnings.add(std::move(problems));
    else if (result) result = infra::failure(std::move(problems));
    else {
        infra::diagnostics all = result.error().why();
        all.add(std::move(problems));
        result = infra::failure(std::move(all));
    }
}
inline void add_to(infra::apply_report& result, infra::diagnostics problems)
{
    result.problems.add(std::move(problems));
}

// Closes the ephemeral resources that a run has opened, whatever its result is.
template <class T>
auto closing(infra::task<T> work, providers::provider_set& providers) -> infra::task<T>
{
    T result = co_await std::move(work);
    auto ending = providers.close_ephemeral();
    add_to(result, co_await std::move(ending));
    co_return result;
}

// Runs one coroutine of the engine to its end, and converts interrupts to cancellation.
template <class T>
auto run(worker_threads& pool, asio::io_context& beside, infra::task<T> work, run_options const& options,
    providers::provider_set& providers) -> T
{
    std::optional<T> result;
    std::exception_ptr thrown;
    asio::cancellation_signal stop;
    auto const strand = asio::make_strand(pool.get_executor());
    auto const interrupted = [&](int count) {
        asio::post(strand, [&, count] {
            if (options.with.interrupted) options.with.interrupted(count);
            if (count == 1) providers.stop();
            else providers.cancel_functions();
            stop.emit(count == 1 ? asio::cancellation_type::partial : asio::cancellation_type::terminal);
        });
    };
    auto done = [&](std::exception_ptr failed, T value) {
        thrown = failed;
        result.emplace(std::move(value));
    };
    // Another thread waits for timers, because a pool that also monitors descriptors makes system calls whenever it has
    // no work.
    auto const waiting = asio::make_work_guard(beside);
    std::thread watching([&] { beside.run(); });
    asio::co_spawn(strand, stoppable(std::move(work)), asio::bind_cancellation_slot(stop.slot(), std::move(done)));
    if (options.interrupts != nullptr) options.interrupts->set_handler(interrupted);
    pool.join();
    if (options.interrupts != nullptr) options.interrupts->set_handler({});
    beside.stop();
    watching.join();
    if (thrown) std::rethrow_exception(thrown);
    if (!result) throw std::bad_alloc();  // the engine could not start
    return std::move(*result);
}

// Runs the coroutine that `start(engine)` returns, with everything that an engine needs.
template <class Start>
auto with_engine(program::hcl_program const& desired, state::store& store, run_options const& options, Start start)
{
    auto const watch = with_log(options.with.watch);
    providers::provider_set providers(desired.catalog(), context_of(desired, options), watch);
    worker_threads pool(thread_count());
    asio::io_context beside(1);
    long_operations lasting(beside, watch);
    infra::execution_limits limits = options.limits;
    limits.threads = pool.size();
    engine e(desired, providers, store, infra::asio_execution<pool_executor>(pool.get_executor(), std::move(limits)),
        lasting.observer());
    return run(pool, beside, closing(start(e), providers), options, providers);
}

}  // namespace iacctl::workspace::detail

#endif  // IACCTL_WORKSPACE_ENGINE_RUN_HPP
