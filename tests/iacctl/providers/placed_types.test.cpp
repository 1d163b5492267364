// SPDX-License-Identifier: BSL-1.0
#include "providers/built_in/perform.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace {

using namespace providers_test;
using iacctl::run_obstacle;
using iacctl::language::mark;
using iacctl::providers::can_be_placed;
using iacctl::providers::decode_answer;
using iacctl::providers::decode_operation;
using iacctl::providers::operation;
using iacctl::providers::operation_answer;
using infra::lookup_answer;
using infra::operation_kind;
using testing::HasSubstr;

auto content_of(std::string const& file) -> std::string
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PlacedTypes, AreCreatedReadResolvedAndDestroyedOnWorkers)
{
    scratch_directory const folder;
    simulated_placement const placed;
    std::string const file = folder.path("notes");

    auto const made = create("local_file", {{"filename", text(file)}, {"content", text("some")}});

    ASSERT_EQ(made.error(), "");
    EXPECT_EQ(content_of(file), "some");
    EXPECT_EQ(text_at(*made, "id"), "eb875812858d27b22cb2b75f992dffadc1b05c66");
    EXPECT_EQ(read("local_file", *made)->value(), *made);
    EXPECT_EQ(look_up("local_file", operation_kind::create, {}, *made).answer, lookup_answer::done);
    EXPECT_FALSE(apply("local_file", operation_kind::destroy, *made, {}).object);
    EXPECT_EQ(content_of(file), "");
    EXPECT_FALSE(read("local_file", *made)->has_value());
    EXPECT_EQ(placed.performed().size(), 5U);
}

TEST(PlacedTypes, AreImportedOnWorkers)
{
    simulated_placement const placed;

    EXPECT_EQ(text_at(*import_object("random_string", "test"), "id"), "test");
    EXPECT_THAT(import_object("local_file", "a").error(), HasSubstr("[import_unsupported]"));
    EXPECT_EQ(placed.performed().size(), 2U);
}

TEST(PlacedTypes, HaveDataThatAreReadOnWorkers)
{
    simulated_placement const placed;

    auto const found = read_data("external", {{"program", texts({"sh", "-c", "echo '{\"a\":\"b\"}'"})}});

    ASSERT_EQ(found.error(), "");
    EXPECT_EQ(text_at(at(*found, "result"), "a"), "b");
    EXPECT_THAT(read_data("external", {{"program", texts({"false"})}}).error(), HasSubstr("external"));
    EXPECT_EQ(placed.performed().size(), 2U);
}

TEST(PlacedTypes, ReceiveTheSettingsOfTheirProvider)
{
    simulated_placement const placed;
    scoped_settings const settings("restapi_object", {{"uri", text("http://127.0.0.1:1")}});

    auto const made = create("restapi_object", {{"path", text("/objects")}, {"data", text("{\"id\":\"1\"}")}});

    EXPECT_THAT(made.error(), HasSubstr("[api_create_failed]"));
    ASSERT_EQ(placed.performed().size(), 1U);
    EXPECT_EQ(text_at(placed.performed().front().settings, "uri"), "http://127.0.0.1:1");
}

TEST(PlacedTypes, KeepTheirObjectIfAnOperationWasNotPerformed)
{
    simulated_placement placed;
    placed.fail_with(run_obstacle::not_run, "no node");
    auto const object = desired("local_file", {{"filename", text("a")}});

    auto const outcome = apply("local_file", operation_kind::destroy, object, {});

    ASSERT_TRUE(outcome.object);
    EXPECT_EQ(text_at(*outcome.object, "filename"), "a");
    EXPECT_FALSE(outcome.interrupted);
    EXPECT_THAT(first_error(outcome.problems), HasSubstr("no node"));
    EXPECT_THAT(first_error(outcome.problems), HasSubstr("[operation_not_placed]"));
    EXPECT_THAT(read("local_file", object).error(), HasSubstr("[operation_not_placed]"));
    EXPECT_EQ(look_up("local_file", operation_kind::create, {}, object).answer, lookup_answer::unknown);
}

TEST(PlacedTypes, HaveUnknownResultsIfTheWorkerWasLost)
{
    simulated_placement placed;
    placed.fail_with(run_obstacle::outcome_unknown, "worker n1");

    auto const outcome = apply("local_file", operation_kind::create, {}, desired("local_file", {}));

    EXPECT_TRUE(outcome.interrupted);
    EXPECT_THAT(first_error(outcome.problems), HasSubstr("[operation_outcome_unknown]"));
}

TEST(PlacedTypes, AreRejectedIfTheirProviderIsAPlugin)
{
    auto const outcome = apply_with_placed_plugin("local_file");

    EXPECT_THAT(first_error(outcome.problems), HasSubstr("[place_of_plugin]"));
}

TEST(PlacedTypes, AreBuiltInAndNeedNoSecretsOfThisMachine)
{
    EXPECT_TRUE(can_be_placed(infra::resource_mode::managed, "local_file"));
    EXPECT_TRUE(can_be_placed(infra::resource_mode::data, "external"));
    EXPECT_FALSE(can_be_placed(infra::resource_mode::managed, "external"));
    EXPECT_FALSE(can_be_placed(infra::resource_mode::managed, "aws_instance"));
    EXPECT_FALSE(can_be_placed(infra::resource_mode::data, "terraform_remote_state"));
    EXPECT_FALSE(can_be_placed(infra::resource_mode::ephemeral, "local_file"));
}

TEST(OperationCodec, PreservesOperations)
{
    operation sent;
    sent.kind = operation::kind_type::apply;
    sent.type = "local_file";
    sent.settings = value::object({{"a", text("b").with_marks(mark::sensitive)}});
    sent.planned = value::object({{"id", value::unknown(iacctl::language::type::string()).refined_not_null()}});
    sent.config = value::object({{"n", whole(3)}});
    sent.pending.operation = "key";
    sent.pending.kind = operation_kind::update;
    sent.id = "id";
    sent.withheld = {"SECRET"};

    auto const got = decode_operation(encode(sent));

    ASSERT_TRUE(got);
    EXPECT_EQ(got->kind, sent.kind);
    EXPECT_EQ(got->type, sent.type);
    EXPECT_EQ(got->settings, sent.settings);
    EXPECT_TRUE(got->settings.has_deep(mark::sensitive));
    EXPECT_EQ(got->prior, std::nullopt);
    EXPECT_EQ(got->planned, sent.planned);
    EXPECT_EQ(got->config, sent.config);
    EXPECT_EQ(got->pending.operation, "key");
    EXPECT_EQ(got->pending.kind, operation_kind::update);
    EXPECT_EQ(got->id, "id");
    EXPECT_EQ(got->withheld, sent.withheld);
}

TEST(OperationCodec, PreservesResults)
{
    operation_answer sent;
    sent.object = text("a");
    sent.problems = {{"summary", "detail \xff", "a.b", {}, infra::severity::warning, "name", "code", {"x"}}};
    sent.interrupted = true;
    sent.found = lookup_answer::not_done;

    auto const got = decode_answer(encode(sent));

    ASSERT_TRUE(got);
    EXPECT_EQ(got->object, sent.object);
    ASSERT_EQ(got->problems.size(), 1U);
    EXPECT_THAT(got->problems.front().detail, testing::StartsWith("detail "));
    EXPECT_EQ(got->problems.front().level, infra::severity::warning);
    EXPECT_EQ(got->problems.front().attribute, "name");
    EXPECT_EQ(got->problems.front().code, "code");
    EXPECT_EQ(got->problems.front().arguments, std::vector<std::string>{"x"});
    EXPECT_TRUE(got->interrupted);
    EXPECT_EQ(got->found, lookup_answer::not_done);
}

TEST(OperationCodec, RejectsOtherTexts)
{
    std::string const whole = encode(operation());

    for (std::string const& wrong : {std::string(), std::string("{}"), whole.substr(1), std::string("[1]")}) {
        EXPECT_FALSE(decode_operation(wrong)) << wrong;
        EXPECT_FALSE(decode_answer(wrong)) << wrong;
    }
    EXPECT_FALSE(decode_operation("{\"kind\":9" + whole.substr(whole.find(','))));
}

}  // namespace
