// SPDX-License-Identifier: BSL-1.0
// The engine of the program with a provider that changes the answers of the built-in types.
#include "providers/catalog.hpp"
#include "providers/resource_type.hpp"
#include "state/memory_backend.hpp"
#include "workspace/engine_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace iacctl;
namespace infra = strider::infra;
using language::value;
using providers::task;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using workspace::plan;

// Changes of answers; empty ones change nothing.
struct faults {
    std::function<value(value)> of_plan;
    std::function<std::optional<value>(value)> of_result;
    std::function<value(value)> of_read;
};

class faulty_provider final : public providers::provider {
public:
    faulty_provider(std::shared_ptr<providers::provider> honest, faults const& f)
        : honest_(std::move(honest)),
          with_(&f)
    {}

    auto configure(value settings) -> task<infra::diagnostics> override
    {
        return honest_->configure(std::move(settings));
    }
    auto read(providers::read_request r) -> task<expected<providers::read_result>> override
    {
        return changed(honest_->read(std::move(r)));
    }
    auto plan(providers::plan_request r) -> task<expected<providers::planned>> override
    {
        auto asking = honest_->plan(std::move(r));
        auto made = co_await std::move(asking);
        if (made && with_->of_plan) made->after = with_->of_plan(made->after);
        co_return made;
    }
    auto apply(providers::apply_request r) -> task<providers::applied> override
    {
        auto asking = honest_->apply(std::move(r));
        auto made = co_await std::move(asking);
        if (made.object && with_->of_result) made.object = with_->of_result(*made.object);
        co_return made;
    }
    auto has_side_effects(std::string_view type) const -> bool override { return honest_->has_side_effects(type); }
    auto look_up(providers::apply_request r) -> task<providers::looked_up> override
    {
        return honest_->look_up(std::move(r));
    }
    auto import_object(providers::import_request r) -> task<expected<providers::read_result>> override
    {
        return honest_->import_object(std::move(r));
    }
    auto read_data(providers::data_request r) -> task<expected<providers::read_result>> override
    {
        return changed(honest_->read_data(std::move(r)));
    }

private:
    auto changed(task<expected<providers::read_result>> asking) -> task<expected<providers::read_result>>
    {
        auto found = co_await std::move(asking);
        if (found && found->object && with_->of_read) found->object = with_->of_read(*found->object);
        co_return found;
    }

    std::shared_ptr<providers::provider> honest_;
    faults const* with_;
};

class FaultyProvider : public testing::Test {
protected:
    auto planned(std::string const& text) -> expected<plan>
    {
        return workspace::run_plan(configuration(text), *store_, {}, state(), run());
    }
    auto applied(std::string const& text, plan const& p) -> infra::apply_report
    {
        return workspace::run_apply(configuration(text), *store_, p, state(), run());
    }
    auto applied(std::string const& text) -> infra::apply_report
    {
        auto const p = planned(text);
        EXPECT_TRUE(p.has_value());
        return p ? applied(text, *p) : infra::apply_report();
    }
    auto state() const -> infra::snapshot { return states_.content(); }
    auto object(char const* name) const -> std::optional<infra::object>
    {
        infra::snapshot const now = state();
        auto const* const record = now.find(infra::address("terraform_data", name));
        return record != nullptr && record->current ? std::optional(*record->current) : std::nullopt;
    }

    faults provider;

private:
    static auto configuration(std::string const& text) -> program::hcl_program
    {
        infra::diagnostics found;
        program::hcl_program wanted(language::load_configuration({{"main.tf", text}}, found), {}, "default",
            std::make_shared<providers::catalog>(providers::built_in_providers()));
        EXPECT_FALSE(found.has_errors());
        return wanted;
    }
    auto run() const -> workspace::run_options
    {
        workspace::run_options how;
        how.make_provider = [this](std::string_view, providers::provider_source& source,
                                providers::provider_context const& in) {
            return std::make_shared<faulty_provider>(source.make(in), provider);
        };
        return how;
    }

    state::memory_backend states_;
    std::unique_ptr<state::store> store_ = states_.open("default", state::open_mode::read_write);
};

constexpr auto one = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\n";

auto set_to(char const* name, value to) -> std::function<value(value)>
{
    return [=](value const& v) { return providers::with(v, {{name, to}}); };
}

TEST_F(FaultyProvider, CorrectResultsAreAccepted)
{
    EXPECT_TRUE(applied(one).ok());
    ASSERT_TRUE(object("a"));
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
    ASSERT_TRUE(object("a"));
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
    ASSERT_TRUE(object("a"));
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

    EXPECT_TRUE(object("a"));
    EXPECT_FALSE(object("b"));
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
    EXPECT_FALSE(object("a"));
    EXPECT_THAT(state().pending, IsEmpty());
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
    EXPECT_FALSE(object("a"));
}

}  // namespace
