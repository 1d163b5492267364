// SPDX-License-Identifier: BSL-1.0
// The engine with the configurations and built-in types of the program. The tests change the answers of the types.
#include <program/hcl_program.hpp>
#include <providers/provider_set.hpp>
#include <providers/resource_type.hpp>

#include <strider/infra/engine.hpp>
#include <strider/infra/sim/store.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
namespace asio = strider::asio;
namespace infra = strider::infra;
using language::value;
using providers::task;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A provider that returns the answers of the built-in types with one change.
class faulty_provider {
public:
    std::function<value(value)> of_plan;
    std::function<std::optional<value>(value)> of_result;
    std::function<value(value)> of_read;

    auto read(infra::read_request<value> r) -> task<infra::expected<infra::read_result<value>>>
    {
        auto asking = honest_.read(std::move(r));
        auto found = co_await std::move(asking);
        if (found && found->object && of_read) found->object = of_read(*found->object);
        co_return found;
    }
    auto plan(infra::plan_request<value> r) -> task<infra::expected<infra::planned<value>>>
    {
        auto asking = honest_.plan(std::move(r));
        auto made = co_await std::move(asking);
        if (made && of_plan) made->after = of_plan(made->after);
        co_return made;
    }
    auto apply(infra::apply_request<value> r) -> task<infra::applied<value>>
    {
        auto asking = honest_.apply(std::move(r));
        auto made = co_await std::move(asking);
        if (made.object && of_result) made.object = of_result(*made.object);
        co_return made;
    }
    auto read_data(infra::data_request<value> r) -> task<infra::expected<infra::read_result<value>>>
    {
        auto asking = honest_.read_data(std::move(r));
        auto found = co_await std::move(asking);
        if (found && of_read) found->object = of_read(*found->object);
        co_return found;
    }
    auto look_up(infra::apply_request<value> r) { return honest_.look_up(std::move(r)); }
    auto provision(infra::provision_request<value> r) { return honest_.provision(std::move(r)); }
    void stop() noexcept {}

private:
    providers::provider_set honest_{std::make_shared<providers::catalog>()};
};

class FaultyProvider : public testing::Test {
protected:
    using executor = asio::thread_pool::executor_type;
    using store_type = infra::sim::store<>;
    using engine =
        infra::basic_engine<program::hcl_program, faulty_provider, store_type, infra::asio_execution<executor>>;
    using plan = infra::basic_plan<value>;

    template <class Work>
    auto in_engine(std::string const& text, Work work)
    {
        language::diagnostics found;
        program::hcl_program const wanted(language::load_configuration({{"main.tf", text}}, found), {}, "default",
            std::make_shared<providers::catalog>());
        EXPECT_FALSE(found.has_errors());
        asio::thread_pool pool(2);
        store_type store(kept);
        engine e(wanted, provider, store, infra::asio_execution<executor>(pool.get_executor()));
        auto done = asio::co_spawn(pool, work(e), asio::use_future);
        auto result = done.get();
        pool.join();
        return result;
    }
    auto planned(std::string const& text) -> infra::expected<plan>
    {
        return in_engine(text, [](engine& e) { return e.plan({}); });
    }
    auto applied(std::string const& text, plan const& p) -> infra::apply_report
    {
        return in_engine(text, [&](engine& e) { return e.apply(p, "run" + std::to_string(++runs_)); });
    }
    auto applied(std::string const& text) -> infra::apply_report
    {
        auto const p = planned(text);
        EXPECT_TRUE(p.has_value());
        return p ? applied(text, *p) : infra::apply_report();
    }
    auto object(char const* name) const -> infra::object const*
    {
        auto const* const record = kept.now().find(infra::address("terraform_data", name));
        return record != nullptr && record->current ? &*record->current : nullptr;
    }

    infra::sim::durable_state kept;
    faulty_provider provider;

private:
    int runs_ = 0;
};

constexpr auto one = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\n";

auto set_to(char const* name, value to) -> std::function<value(value)>
{
    return [=](value const& of) { return providers::with(of, {{name, to}}); };
}

TEST_F(FaultyProvider, CorrectResultsAreAccepted)
{
    EXPECT_TRUE(applied(one).ok());
    ASSERT_NE(object("a"), nullptr);
    EXPECT_FALSE(object("a")->tainted);
}

TEST_F(FaultyProvider, APlanThatContradictsTheConfigurationIsRejectedWithItsPlace)
{
    provider.of_plan = set_to("input", value("y"));

    auto const made = planned(one);

    ASSERT_FALSE(made.has_value());
    infra::diagnostics const why = made.error().why();
    ASSERT_EQ(why.size(), 1U);
    EXPECT_EQ(why[0].code, "invalid_provider_plan");
    EXPECT_EQ(why[0].address, "terraform_data.a");
    EXPECT_THAT(why[0].detail, AllOf(HasSubstr(".input"), HasSubstr("\"x\""), HasSubstr("\"y\"")));
    EXPECT_EQ(why[0].source.file, "main.tf");
    EXPECT_EQ(why[0].source.line, 1U);
}

TEST_F(FaultyProvider, AnObjectThatDiffersFromThePlanIsTaintedAndReported)
{
    provider.of_result = set_to("input", value("y"));

    auto const done = applied(one);

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].code, "inconsistent_result_after_apply");
    EXPECT_THAT(done.problems[0].detail, AllOf(HasSubstr(".input"), HasSubstr("\"x\""), HasSubstr("\"y\"")));
    EXPECT_EQ(done.problems[0].source.file, "main.tf");
    ASSERT_NE(object("a"), nullptr);
    EXPECT_TRUE(object("a")->tainted);
    EXPECT_THAT(object("a")->attributes.text(), HasSubstr("\"y\""));
    EXPECT_EQ(done.added, 0U);
}

TEST_F(FaultyProvider, AnUpdateThatDiffersFromThePlanDoesNotTaint)
{
    ASSERT_TRUE(applied(one).ok());
    provider.of_result = set_to("id", value("another"));

    auto const done = applied("resource \"terraform_data\" \"a\" {\n  input = \"z\"\n}\n");

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].code, "inconsistent_result_after_apply");
    ASSERT_NE(object("a"), nullptr);
    EXPECT_FALSE(object("a")->tainted);
    EXPECT_THAT(object("a")->attributes.text(), HasSubstr("another"));
}

TEST_F(FaultyProvider, AnObjectOfAnotherTypeIsReported)
{
    provider.of_result = set_to("output", value(true));

    auto const done = applied(one);

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_THAT(done.problems[0].detail, AllOf(HasSubstr(".output"), HasSubstr("string"), HasSubstr("bool")));
}

TEST_F(FaultyProvider, DependentsOfAWrongObjectAreNotCreated)
{
    provider.of_result = set_to("input", value("y"));

    (void)applied(std::string(one) + "resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n");

    EXPECT_NE(object("a"), nullptr);
    EXPECT_EQ(object("b"), nullptr);
}

TEST_F(FaultyProvider, AFinalPlanThatDiffersInKnownValuesStartsNoOperation)
{
    provider.of_plan = set_to("id", value("promised"));
    auto const made = planned(one);
    ASSERT_TRUE(made.has_value());
    provider.of_plan = set_to("id", value("other"));

    auto const done = applied(one, *made);

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].code, "inconsistent_final_plan");
    EXPECT_THAT(done.problems[0].detail, AllOf(HasSubstr(".id"), HasSubstr("promised"), HasSubstr("other")));
    EXPECT_EQ(object("a"), nullptr);
    EXPECT_THAT(kept.now().pending, IsEmpty());
}

TEST_F(FaultyProvider, AWrongSensitiveValueIsNotShown)
{
    provider.of_result = set_to("input", value("geheim-neu"));

    auto const done = applied("resource \"terraform_data\" \"a\" {\n  input = sensitive(\"geheim\")\n}\n");

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_THAT(done.problems[0].detail, AllOf(HasSubstr(".input"), Not(HasSubstr("geheim"))));
}

TEST_F(FaultyProvider, UnknownPartsOfAResultAreReported)
{
    provider.of_result = set_to("output", value::unknown(language::type::string()));

    auto const done = applied(one);

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].code, "unknown_after_apply");
}

TEST_F(FaultyProvider, InvalidReadObjectsAreRejected)
{
    ASSERT_TRUE(applied(one).ok());
    provider.of_read = set_to("id", value(language::number(7)));
    auto const of_another_type = planned(one);
    provider.of_read = set_to("id", value::unknown(language::type::string()));
    auto const unknown = planned(one);

    ASSERT_FALSE(of_another_type.has_value() || unknown.has_value());
    EXPECT_EQ(of_another_type.error().why()[0].code, "invalid_provider_object");
    EXPECT_THAT(of_another_type.error().why()[0].detail, AllOf(HasSubstr(".id"), HasSubstr("number")));
    EXPECT_EQ(unknown.error().why()[0].code, "invalid_provider_object");
}

TEST_F(FaultyProvider, InvalidReadDataAreRejected)
{
    std::string const file = testing::TempDir() + "of_a_lying_provider";
    std::ofstream(file) << "content";
    std::string const text = "data \"local_file\" \"d\" {\n  filename = \"" + file + "\"\n}\n";
    ASSERT_TRUE(planned(text).has_value());
    provider.of_read = set_to("content", value::unknown(language::type::string()));

    auto const made = planned(text);

    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().why()[0].code, "invalid_provider_object");
    EXPECT_EQ(made.error().why()[0].address, "data.local_file.d");
    EXPECT_THAT(made.error().why()[0].detail, HasSubstr(".content"));
}

TEST_F(FaultyProvider, AMissingObjectIsReported)
{
    provider.of_result = [](value const&) { return std::optional<value>(); };

    auto const done = applied(one);

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].code, "no_object_after_apply");
    EXPECT_EQ(object("a"), nullptr);
}

}  // namespace
