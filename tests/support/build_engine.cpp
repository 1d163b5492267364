// SPDX-License-Identifier: BSL-1.0
#include <support/build_engine.hpp>

#include <strider/infra/engine.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>

namespace strider::test::build {

auto run_engine(build_file const& wanted, compiler& with, memory& kept, std::string const& run) -> diagnostics
{
    using execution = asio_execution<asio::io_context::executor_type>;
    asio::io_context context;
    basic_engine<build_file, compiler, memory, execution> engine(wanted, with, kept, execution(context.get_executor()));
    diagnostics problems;
    auto body = [&]() -> task<void> {
        auto planning = engine.plan({});
        auto plan = co_await std::move(planning);
        if (!plan) {
            problems = plan.error().why();
            co_return;
        }
        auto applying = engine.apply(*plan, run);
        apply_report const report = co_await std::move(applying);
        problems = report.problems;
    };
    asio::co_spawn(context, body, [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
    context.run();
    return problems;
}

}  // namespace strider::test::build
