// SPDX-License-Identifier: BSL-1.0
#include <strider/infra.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <utility>

namespace strider::infra {
namespace {

// A recursion over the dependencies of the configuration of a provider would overflow the stack.
TEST(PendingOperation, IsResolvedByAProviderBehindALongChainOfValues)
{
    constexpr int length = 60'000;
    sim::toy_program wanted;
    for (int i = 0; i < length; ++i) {
        sim::toy_declaration value;
        value.name = "local.v" + std::to_string(i);
        value.kind = declaration_kind::value;
        value.attributes.emplace(
            "value", i + 1 < length ? sim::toy_term::of("local.v" + std::to_string(i + 1)) : sim::toy_term("x"));
        wanted.add(std::move(value));
    }
    sim::toy_declaration configured;
    configured.name = "sim";
    configured.kind = declaration_kind::provider;
    configured.attributes.emplace("host", sim::toy_term::of("local.v0"));
    wanted.add(std::move(configured));

    snapshot state;
    state.lineage = "l";
    pending_operation operation;
    operation.operation = "1";
    operation.kind = operation_kind::create;
    operation.target = address("toy", "a");
    operation.provider = "sim";
    std::vector<journal_entry> entries;
    state.pending.emplace(operation.operation, operation);

    asio::io_context context;
    sim::cloud cloud;
    sim::provider<> provider(context.get_executor(), cloud);
    bool ended = false;
    diagnostics problems;
    declaration_index<sim::toy_program> const declared(wanted);
    asio::co_spawn(
        context,
        [&]() -> task<void> {
            auto recovering = recover_pending(declared, provider, state, entries);
            problems = co_await std::move(recovering);
            ended = true;
        },
        asio::detached);
    context.run();

    EXPECT_TRUE(ended);
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(state.pending.empty());
    EXPECT_EQ(entries.size(), 1U);
}

}  // namespace
}  // namespace strider::infra
