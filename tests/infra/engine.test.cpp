// SPDX-License-Identifier: BSL-1.0
// The engine in another domain: targets of a build. Program, provider and store have only the required members.
#include <strider/infra.hpp>

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider::infra;
namespace asio = boost::asio;
using testing::ElementsAre;
using testing::IsEmpty;

// A file: the text from which it is built, and its digest, which is known after the build.
struct artefact {
    std::string source;
    std::optional<std::string> digest;

    [[nodiscard]] auto wholly_known() const -> bool { return digest.has_value(); }
    friend auto operator==(artefact const&, artefact const&) -> bool = default;
};

struct target {
    std::string name;
    std::string source;
    std::vector<std::string> inputs;
};

class build_file {
public:
    using value_type = artefact;
    using declaration_type = target;
    using scope_type = evaluation_scope<artefact>;

    explicit build_file(std::vector<target> targets) : targets_(std::move(targets)) {}

    [[nodiscard]] auto declarations() const -> std::vector<target> const& { return targets_; }
    [[nodiscard]] auto name_of(target const& t) const -> std::string { return t.name; }
    [[nodiscard]] auto address_of(target const& t) const -> address { return {"file", t.name}; }
    [[nodiscard]] auto provider_of(target const&) const -> std::string { return "compiler"; }
    [[nodiscard]] auto references(target const& t) const -> std::vector<reference>
    {
        std::vector<reference> all;
        for (std::string const& input : t.inputs) all.push_back({input, {}});
        return all;
    }
    [[nodiscard]] auto evaluate(target const& t, address const&, scope_type const& scope) const -> expected<artefact>
    {
        artefact a{t.source, std::nullopt};
        for (std::string const& input : t.inputs) a.source += "+" + scope.value(input)->digest.value_or("?");
        return a;
    }
    [[nodiscard]] auto encode(address const&, std::string const&, artefact const& a) const -> object
    {
        object o;
        o.attributes = document(a.digest.value_or("") + ":" + a.source);
        return o;
    }
    [[nodiscard]] auto decode(address const&, object const& o) const -> expected<artefact>
    {
        std::string const& text = o.attributes.text();
        auto const colon = text.find(':');
        return artefact{text.substr(colon + 1), text.substr(0, colon)};
    }

private:
    std::vector<target> targets_;
};

class compiler {
public:
    [[nodiscard]] auto read(read_request<artefact> r) -> task<expected<read_result<artefact>>>
    {
        co_return read_result<artefact>(std::move(r.prior));
    }
    [[nodiscard]] auto plan(plan_request<artefact> r) -> task<expected<planned<artefact>>>
    {
        bool const same = r.prior && r.prior->source == r.config.source;
        planned<artefact> p(same ? *r.prior : r.config);
        if (promises) p.after.digest = "#" + r.config.source;
        co_return p;
    }
    [[nodiscard]] auto apply(apply_request<artefact> r) -> task<applied<artefact>>
    {
        log.push_back(std::string(to_string(r.operation.kind)) + " " + r.operation.target.name());
        if (breaks) throw std::runtime_error("the compiler broke");
        if (r.planned) r.planned->digest = lies ? "none" : "#" + r.planned->source;
        applied<artefact> a(std::move(r.planned));
        co_return a;
    }

    std::vector<std::string> log;
    bool promises = false;  // plans the digest
    bool lies = false;      // creates a file with another digest
    bool breaks = false;
};

struct memory {
    snapshot state;

    [[nodiscard]] auto read() -> task<expected<snapshot>> { co_return state; }
    [[nodiscard]] auto append(std::span<journal_entry const>, snapshot const& after) -> task<strider::error_code>
    {
        state = after;
        co_return strider::error_code();
    }
};

using execution = asio_execution<asio::io_context::executor_type>;
using engine = basic_engine<build_file, compiler, memory, execution>;

static_assert(program<build_file> && provider_for<compiler, build_file> && state_store<memory>);
static_assert(!has_modules<build_file> && !has_output_form<build_file> && !has_provisioners<build_file>
    && !has_lifecycle<build_file> && !has_answer_checks<build_file> && !keeps_lineage<memory>);

class Builds : public testing::Test {
protected:
    // Codes of the errors of a plan and its apply.
    auto run(build_file const& file) -> std::vector<std::string>
    {
        made.log.clear();
        asio::io_context context;
        engine builder(file, made, kept, execution(context.get_executor()));
        diagnostics problems;
        auto body = [&]() -> task<void> {
            auto planning = builder.plan({});
            auto plan = co_await std::move(planning);
            if (!plan) {
                problems = plan.error().why();
                co_return;
            }
            auto applying = builder.apply(*plan, "run " + std::to_string(runs++));
            apply_report const report = co_await std::move(applying);
            problems = report.problems;
        };
        asio::co_spawn(context, body, [](std::exception_ptr thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
        context.run();
        std::vector<std::string> codes;
        for (diagnostic const& d : problems) codes.push_back(d.code);
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
