// SPDX-License-Identifier: BSL-1.0
// Tests of configurations: mock values instead of those of providers, parallel runs, interrupts.
#include "iacctl/state/support.hpp"
#include "language/validation/schema.hpp"
#include "testing/mocks.hpp"
#include "testing/test_suite.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
using namespace iacctl::testing;
using language::nesting;
using language::type;
using language::value;
using state::test::temporary_directory;
using state::test::write_text;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

auto object(std::vector<language::value_entry> entries) -> value
{
    return value::object(std::move(entries));
}

TEST(GeneratedValues, HaveTheSmallestValueOfTheirTypeAndRandomStrings)
{
    EXPECT_EQ(generated(type::number()), value(language::number(0)));
    EXPECT_EQ(generated(type::boolean()), value(false));
    EXPECT_THAT(generated(type::string()).as_string(), MatchesRegex("[a-z0-9]{8}"));
    EXPECT_NE(generated(type::string()), generated(type::string()));
    EXPECT_EQ(generated(type::list(type::string())), value::list(type::string(), {}));
    EXPECT_EQ(generated(type::map(type::number())), value::map(type::number(), {}));
    EXPECT_TRUE(generated(type::dynamic()).is_null());
    auto const made = generated(type::object({{"n", type::number(), false}, {"s", type::string(), false}}));
    EXPECT_EQ(*made.find("n"), value(language::number(0)));
    EXPECT_EQ(made.find("s")->as_string().size(), 8U);
}

TEST(GivenValues, AreConvertedAndCompleted)
{
    std::string why;
    auto const wanted = type::object({{"id", type::string(), false}, {"size", type::number(), false}});
    EXPECT_EQ(filled(value(language::number(1)), type::string(), why), value("1"));
    auto const made = filled(object({{"id", value("a")}, {"extra", value(true)}}), wanted, why);
    EXPECT_EQ(made, object({{"id", value("a")}, {"size", value(language::number(0))}}));
    auto const list = filled(value::tuple({object({{"id", value("b")}})}), type::list(wanted), why);
    ASSERT_TRUE(list);
    EXPECT_EQ(*list->elements()[0].find("id"), value("b"));
    EXPECT_FALSE(filled(value("text"), wanted, why));
    EXPECT_FALSE(why.empty());
    EXPECT_FALSE(filled(value::tuple({value("x")}), type::map(wanted), why));
}

// A type with a nested attribute and nested blocks, each with a computed attribute.
auto nested_schema() -> language::schema
{
    auto inner = std::make_shared<language::schema>();
    inner->attributes = {{.name = "name", .of = type::string(), .optional = true},
        {.name = "arn", .of = type::string(), .computed = true}};
    language::schema made;
    made.attributes = {
        {.name = "id", .of = type::string(), .computed = true}, {.name = "one", .of = {}, .optional = true}};
    made.attributes[1].nest(nesting::single, inner);
    made.blocks = {{.name = "rule", .how = nesting::list, .content = inner}};
    return made;
}

class fake_source final : public providers::provider_source {
public:
    fake_source() { schema_.resources.emplace("fake_thing", providers::type_schema(nested_schema())); }

    auto address() const noexcept -> std::string_view override { return "registry.terraform.io/hashicorp/fake"; }
    auto schema() -> expected<providers::provider_schema const*> override { return &schema_; }
    auto make(providers::provider_context const&) -> std::shared_ptr<providers::provider> override { return nullptr; }

private:
    providers::provider_schema schema_;
};

template <class T>
auto result_of(providers::task<T> work) -> T
{
    boost::asio::io_context context;
    std::optional<T> made;
    boost::asio::co_spawn(
        context, std::move(work), [&](std::exception_ptr, T value) { made.emplace(std::move(value)); });
    context.run();
    return std::move(*made);
}

constexpr auto configuration_name = "provider[\"registry.terraform.io/hashicorp/fake\"]";
infra::address const thing({}, infra::resource_mode::managed, "fake_thing", "a", {});

class MockedProvider : public ::testing::Test {
protected:
    MockedProvider()
    {
        mock_values set;
        set.values =
            object({{"one", object({{"arn", value("arn:one")}})}, {"rule", object({{"arn", value("arn:rule")}})}});
        mock.types.emplace(std::pair(infra::resource_mode::managed, std::string("fake_thing")), std::move(set));
    }

    [[nodiscard]] auto provider() -> std::shared_ptr<providers::provider>
    {
        auto all = std::make_shared<mocks>();
        all->providers.emplace(configuration_name, mock);
        return make_mocks(std::move(all))(configuration_name, source, {});
    }
    [[nodiscard]] static auto configured(std::string const& name) -> value
    {
        auto const part = object({{"name", value(name)}, {"arn", value::null(type::string())}});
        auto rule = part;
        return object(
            {{"id", value::null(type::string())}, {"one", part}, {"rule", value::list(part.get_type(), {part, part})}});
    }
    [[nodiscard]] auto planned(std::optional<value> prior, value wanted) -> value
    {
        auto made = result_of(provider()->plan({thing, configuration_name, std::move(prior), std::move(wanted)}));
        return made ? made->after : value();
    }
    [[nodiscard]] auto applied(value planned) -> value
    {
        infra::pending_operation operation;
        operation.target = thing;
        operation.provider = configuration_name;
        return *result_of(provider()->apply({operation, std::nullopt, std::move(planned)})).object;
    }

    fake_source source;
    mocked_provider mock;
};

TEST_F(MockedProvider, PlansUnknownValuesInNestedAttributesAndBlocks)
{
    auto const made = planned(std::nullopt, configured("x"));
    EXPECT_TRUE(made.find("id")->is_unknown());
    EXPECT_TRUE(made.find("one")->find("arn")->is_unknown());
    EXPECT_EQ(*made.find("one")->find("name"), value("x"));
    EXPECT_TRUE(made.find("rule")->elements()[1].find("arn")->is_unknown());
}

TEST_F(MockedProvider, SetsTheValuesInAllElements)
{
    auto const made = applied(planned(std::nullopt, configured("x")));
    EXPECT_EQ(*made.find("one")->find("arn"), value("arn:one"));
    EXPECT_EQ(*made.find("rule")->elements()[0].find("arn"), value("arn:rule"));
    EXPECT_EQ(*made.find("rule")->elements()[1].find("arn"), value("arn:rule"));
    EXPECT_THAT(made.find("id")->as_string(), MatchesRegex("[a-z0-9]{8}"));
}

TEST_F(MockedProvider, KeepsExistingValues)
{
    auto const there = applied(planned(std::nullopt, configured("x")));
    auto const made = planned(there, configured("y"));
    EXPECT_EQ(*made.find("id"), *there.find("id"));
    EXPECT_EQ(*made.find("one")->find("name"), value("y"));
    EXPECT_TRUE(made.wholly_known());
}

TEST_F(MockedProvider, PlansTheValuesThatAreSetForPlans)
{
    mock.types.begin()->second.in_plan = true;
    EXPECT_EQ(*planned(std::nullopt, configured("x")).find("one")->find("arn"), value("arn:one"));
}

TEST_F(MockedProvider, RejectsValuesThatDoNotFit)
{
    mock.types.begin()->second.values = object({{"id", value::tuple({})}});
    infra::pending_operation operation;
    operation.target = thing;
    auto const made = result_of(provider()->apply({operation, std::nullopt, planned(std::nullopt, configured("x"))}));
    EXPECT_TRUE(made.problems.has_errors());
    EXPECT_EQ(made.problems.front().address, "fake_thing.a");
}

class recorder final : public test_listener {
public:
    void begins(std::vector<language::test_file> const&) override {}
    void file_begins(std::string const&) override {}
    void run_begins(std::string const&, std::string const& run) override
    {
        if (interrupt_at == run && interrupts) interrupts();
    }
    void run_ends(std::string const&, run_result const& result) override
    {
        ended.push_back(result.name + " " + std::string(to_string(result.status)));
    }
    void tears_down(std::string const&) override {}
    void clean_up_begins(std::string const&, std::string const& run) override { ended.push_back("clean up " + run); }
    void clean_up_ends(std::string const&, clean_up const& up) override
    {
        for (std::string const& one : up.left) left.push_back(one);
    }
    void is_interrupted(std::string const&, int count, std::vector<std::string> const& there) override
    {
        ended.push_back("interrupt " + std::to_string(count));
        exist = there;
    }
    void file_ends(file_result const&) override {}
    void ends(suite_result const&) override {}

    std::vector<std::string> ended;
    std::vector<std::string> left;
    std::vector<std::string> exist;  // at the time of the interrupt
    std::string interrupt_at;
    std::function<void()> interrupts;
};

class scripted_interrupt final : public workspace::interrupt_source {
public:
    void trigger()
    {
        std::scoped_lock const held(guard_);
        ++count_;
        if (to_) to_(count_);
    }
    void defer() override {}
    auto defers() const noexcept -> bool override { return true; }
    void restore() override {}
    auto count() const noexcept -> int override { return count_; }
    void set_handler(handler to) override
    {
        std::scoped_lock const held(guard_);
        to_ = std::move(to);
    }

private:
    std::mutex guard_;
    handler to_;
    int count_ = 0;
};

class TestSuite : public ::testing::Test {
protected:
    TestSuite()
    {
        write_text(place.path() / "main.tf",
            "variable \"n\" {\n  default = 1\n}\nresource \"terraform_data\" \"a\" {\n  input = var.n\n}\n"
            "output \"n\" {\n  value = terraform_data.a.output\n}\n");
    }
    auto run(std::string const& text) -> suite_result
    {
        write_text(place.path() / "a.tftest.hcl", text);
        workspace::settings all;
        all.directory = place.path();
        all.interrupts = &stop;
        test_suite suite(std::move(all), {});
        auto const problems = suite.load();
        EXPECT_FALSE(problems.has_errors());
        return suite.run(events);
    }

    temporary_directory place;
    scripted_interrupt stop;
    recorder events;
};

TEST_F(TestSuite, ParallelRunsHaveTheirOwnStates)
{
    std::string text = "test {\n  parallel = true\n}\n";
    for (int i = 0; i < 8; ++i) {
        auto const n = std::to_string(i);
        text += "run \"r" + n + "\" {\n  state_key = \"k" + n + "\"\n  variables {\n    n = " + n
            + "\n  }\n  assert {\n    condition     = output.n == " + n + "\n    error_message = \"no\"\n  }\n}\n";
    }
    text += "run \"sum\" {\n  state_key = \"sum\"\n  variables {\n    n = run.r0.n + run.r7.n\n  }\n"
            "  assert {\n    condition     = output.n == 7\n    error_message = \"no\"\n  }\n}\n";
    auto const result = run(text);
    EXPECT_EQ(result.status, test_status::pass);
    EXPECT_EQ(result.count(test_status::pass), 9U);
    EXPECT_THAT(events.left, ::testing::IsEmpty());
    EXPECT_EQ(events.ended.size(), 18U);
}

TEST_F(TestSuite, ReportsParallelRunsInTheOrderOfTheFile)
{
    write_text(place.path() / "main.tf",
        "variable \"seconds\" {\n}\nresource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n"
        "    command = \"sleep ${var.seconds}\"\n  }\n}\n");

    run("test {\n  parallel = true\n}\n"
        "run \"slow\" {\n  state_key = \"a\"\n  variables {\n    seconds = 0.5\n  }\n}\n"
        "run \"quick\" {\n  state_key = \"b\"\n  variables {\n    seconds = 0\n  }\n}\n");

    events.ended.resize(2);
    EXPECT_THAT(events.ended, ElementsAre("slow pass", "quick pass"));
}

TEST_F(TestSuite, AnInterruptSkipsTheOtherRunsAndDestroysObjects)
{
    events.interrupt_at = "second";
    events.interrupts = [this] { stop.trigger(); };
    auto const result = run("run \"first\" {\n}\nrun \"second\" {\n}\nrun \"third\" {\n}\n");
    EXPECT_TRUE(result.interrupted);
    EXPECT_THAT(events.ended, ElementsAre("first pass", "interrupt 1", "second error", "third skip", "clean up first"));
    EXPECT_THAT(events.exist, ElementsAre("terraform_data.a"));
    EXPECT_THAT(events.left, ::testing::IsEmpty());
}

}  // namespace
