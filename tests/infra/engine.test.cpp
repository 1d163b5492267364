// SPDX-License-Identifier: BSL-1.0
// The engine with policies that have only the required members.
#include <strider/infra.hpp>

#include <support/build_engine.hpp>

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace strider::test::build;
namespace asio = boost::asio;
using testing::ElementsAre;
using testing::IsEmpty;

using execution = asio_execution<asio::io_context::executor_type>;

static_assert(program<build_file> && provider_for<compiler, build_file> && state_store<memory>);
static_assert(!has_modules<build_file> && !has_output_form<build_file> && !has_provisioners<build_file>
    && !has_lifecycle<build_file> && !has_answer_checks<build_file> && !keeps_lineage<memory>);

class Builds : public testing::Test {
protected:
    // Codes of the errors of a plan and its apply.
    auto run(build_file const& file) -> std::vector<std::string>
    {
        made.log.clear();
        std::vector<std::string> codes;
        for (diagnostic const& d : run_engine(file, made, kept, "run " + std::to_string(runs++)))
            codes.push_back(d.code);
        return codes;
    }

    compiler made;
    memory kept;
    int runs = 0;
    build_file both{{{"app", "main", {"lib"}}, {"lib", "sum", {}}}};
};

TEST_F(Builds, CreateMissingResultsInOrder)
{
    EXPECT_THAT(run(both), IsEmpty());
    EXPECT_THAT(made.log, ElementsAre("create lib", "create app"));
    EXPECT_EQ(kept.state.find(address("file", "app"))->current->attributes.text(), "#main+#sum:main+#sum");
    EXPECT_TRUE(kept.state.lineage.empty());
}

TEST_F(Builds, RepeatNothing)
{
    (void)run(both);

    EXPECT_THAT(run(both), IsEmpty());
    EXPECT_THAT(made.log, IsEmpty());
}

TEST_F(Builds, UpdateDependentsOfAChange)
{
    (void)run(both);

    EXPECT_THAT(run(build_file{{{"app", "main", {"lib"}}, {"lib", "product", {}}}}), IsEmpty());
    EXPECT_THAT(made.log, ElementsAre("update lib", "update app"));
}

TEST_F(Builds, DestroyInReverseOrder)
{
    (void)run(both);

    EXPECT_THAT(run(build_file{{}}), IsEmpty());
    EXPECT_THAT(made.log, ElementsAre("destroy app", "destroy lib"));
    EXPECT_TRUE(kept.state.resources.empty());
}

TEST_F(Builds, FailIfAResultDiffersFromThePlan)
{
    made.promises = true;
    made.lies = true;

    EXPECT_THAT(run(build_file{{{"lib", "sum", {}}}}), ElementsAre("result_differs"));
    EXPECT_TRUE(kept.state.find(address("file", "lib"))->current->tainted);
}

TEST_F(Builds, LeaveAnInterruptedOperationToTheUser)
{
    made.breaks = true;
    EXPECT_THAT(run(build_file{{{"lib", "sum", {}}}}), ElementsAre("operation_threw"));
    made.breaks = false;

    EXPECT_THAT(run(both), ElementsAre("undecided_operation"));
    EXPECT_THAT(made.log, IsEmpty());
}

struct one_by_one {
    using executor_type = asio::io_context::executor_type;
    using clock_type = steady_clock;

    executor_type executor;

    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return executor; }
    [[nodiscard]] auto limits() const -> execution_limits
    {
        execution_limits all;
        all.parallelism = 1;
        return all;
    }
    template <class TypeOf>
    [[nodiscard]] auto options(TypeOf) const
    {
        return strider::walk_options<>{.max_concurrency = 1};
    }
};
struct without_options : one_by_one {
    template <class TypeOf>
    [[nodiscard]] auto options(TypeOf) const -> int
    {
        return 0;
    }
};
struct without_time : one_by_one {
    struct clock_type {
        using duration = int;
        using time_point = int;
        using timer_type = int;
        [[nodiscard]] static auto now(executor_type const&) -> int { return 0; }
    };
};
static_assert(execution_policy<one_by_one> && execution_policy<execution>);
static_assert(!execution_policy<without_options> && !execution_policy<without_time>);

}  // namespace
