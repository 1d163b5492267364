// SPDX-License-Identifier: BSL-1.0
// Values that are sent to a provider and returned: tests the client, the messages and MessagePack together.
#include "client_support.hpp"

#include "language/values/value.hpp"
#include "providers/plugin/wire_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

namespace language = iacctl::language;
using namespace iacctl::plugin;
using namespace plugin_tests;
using testing::HasSubstr;
using testing::Not;

// The response of one call of a provider that runs in a mode.
template <class Call>
auto response_of(std::string const& mode, typename Call::Request request) -> typename Call::Response
{
    return with_provider(mode, {}, [&](client& provider) -> asio::awaitable<typename Call::Response> {
        auto calling = provider.call<Call>(request);
        auto const answer = co_await std::move(calling);
        EXPECT_TRUE(answer) << answer.error().what.detail;
        co_return answer ? *answer : typename Call::Response();
    });
}

auto type_of(std::string const& json) -> language::type
{
    return language::type_from_json(json).value();
}

auto packed(std::string const& json, language::type const& type) -> std::string
{
    return to_message_pack(language::from_json(json, type).value(), type);
}

auto unpacked(protocol::DynamicValue const& dynamic_value, language::type const& type) -> language::value
{
    return from_dynamic_value(dynamic_value.msgpack(), dynamic_value.json(), type).value();
}

language::type const simple = type_of(
    R"(["object",{"id":"string","key":"string","name":"string","old":"number","secret":"string","value":"string"}])");
constexpr char const* simple_config = R"({"id":null,"key":null,"name":"a","old":1.5,"secret":"hush","value":"b"})";

TEST(ProviderCalls, PlanValuesThatAreNotKnownYet)
{
    protocol::PlanResourceChange::Request request;
    request.set_type_name("fake_simple");
    request.mutable_prior_state()->set_msgpack(packed("null", simple));
    request.mutable_config()->set_msgpack(packed(simple_config, simple));
    *request.mutable_proposed_new_state() = request.config();
    auto const planned = response_of<protocol::PlanResourceChange>("", request);
    auto const after = unpacked(planned.planned_state(), simple);
    EXPECT_TRUE(after.find("id")->is_unknown());
    EXPECT_TRUE(after.find("key")->is_unknown());
    EXPECT_TRUE(after.find("secret")->is_null()) << "write-only values are not stored";
    EXPECT_EQ(after.find("value")->as_string(), "b");
    EXPECT_EQ(planned.planned_private(), "planned");
    EXPECT_EQ(planned.requires_replace_size(), 0);
    EXPECT_FALSE(planned.legacy_type_system());
}

TEST(ProviderCalls, NameTheValuesThatRequireANewObject)
{
    protocol::PlanResourceChange::Request request;
    request.set_type_name("fake_simple");
    request.mutable_prior_state()->set_msgpack(
        packed(R"({"id":"1","key":"k","name":"old","old":null,"secret":null,"value":null})", simple));
    request.mutable_config()->set_msgpack(packed(simple_config, simple));
    *request.mutable_proposed_new_state() = request.config();
    request.set_prior_private("mine");
    auto const planned = response_of<protocol::PlanResourceChange>("protocol=5", request);
    ASSERT_EQ(planned.requires_replace_size(), 1);
    EXPECT_EQ(planned.requires_replace(0).steps(0).attribute_name(), "name");
    EXPECT_EQ(planned.planned_private(), "mine");
}

TEST(ProviderCalls, PlanAndApplyAllKindsOfNesting)
{
    std::string const item = R"(["object",{"key":"string","made":"string"}])";
    std::string const deeper = R"(["object",{"deeper":["list",)" + item + R"(],"key":"string","made":"string"}])";
    language::type const nested = type_of(R"(["object",{"always":)" + item + R"(,"anything":"dynamic","by_key":["map",)"
        + item + R"(],"count_of":"number","distinct":["set",)" + item
        + R"(],"flag":"bool","id":"string","kept":"string","labels":["map","string"],"object_list":["list",)" + item
        + R"(],"object_map":["map",)" + item + R"(],"object_set":["set",)" + item + R"(],"one":)" + item
        + R"(,"pair":["object",{"left":"string","right":"number"}],"single_object":)" + item + R"(,"some":["list",)"
        + deeper + R"(],"tags":["set","string"],"words":["list","string"]}])");
    std::string const a = R"({"key":"a","made":null})";
    std::string const config = R"({"always":)" + a
        + R"(,"anything":{"value":[1,"x"],"type":["tuple",["number","string"]]},"by_key":{"k":)" + a
        + R"(},"count_of":12345678901234567890.5,"distinct":[)" + a
        + R"(],"flag":true,"id":null,"kept":null,"labels":{"l":"m"},"object_list":[)" + a + R"(],"object_map":{"k":)"
        + a + R"(},"object_set":[)" + a + R"(],"one":)" + a + R"(,"pair":{"left":"x","right":2},"single_object":)" + a
        + R"(,"some":[{"deeper":[)" + a + R"(],"key":"a","made":null}],"tags":["t","s"],"words":["w"]})";
    auto const made = with_provider("", {}, [&](client& provider) -> asio::awaitable<language::value> {
        protocol::PlanResourceChange::Request wanted;
        wanted.set_type_name("fake_nested");
        wanted.mutable_prior_state()->set_msgpack(packed("null", nested));
        wanted.mutable_config()->set_msgpack(packed(config, nested));
        *wanted.mutable_proposed_new_state() = wanted.config();
        auto planning = provider.call<protocol::PlanResourceChange>(wanted);
        auto const planned = co_await std::move(planning);
        EXPECT_TRUE(planned) << planned.error().what.detail;
        if (!planned) co_return language::value();
        EXPECT_FALSE(unpacked(planned->planned_state(), nested).wholly_known());
        protocol::ApplyResourceChange::Request change;
        change.set_type_name("fake_nested");
        *change.mutable_prior_state() = wanted.prior_state();
        *change.mutable_config() = wanted.config();
        *change.mutable_planned_state() = planned->planned_state();
        auto applying = provider.call<protocol::ApplyResourceChange>(change);
        auto const applied = co_await std::move(applying);
        EXPECT_TRUE(applied) << applied.error().what.detail;
        co_return applied ? unpacked(applied->new_state(), nested) : language::value();
    });
    EXPECT_TRUE(made.wholly_known());
    std::string const filled = R"({"key":"a","made":"made-made"})";
    std::string const text = language::to_json(made, nested);
    for (std::string const& part : {R"("always":)" + filled, R"("by_key":{"k":)" + filled, R"("distinct":[)" + filled,
             R"("object_list":[)" + filled, R"("object_map":{"k":)" + filled, R"("object_set":[)" + filled,
             R"("one":)" + filled, R"("single_object":)" + filled, R"("some":[{"deeper":[)" + filled,
             std::string(R"("id":"made-id")"), std::string(R"("count_of":12345678901234567890.5)"),
             std::string(R"(["tuple",["number","string"]])")})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST(ProviderCalls, UpgradeStateOfAnOlderSchema)
{
    protocol::UpgradeResourceState::Request request;
    request.set_type_name("fake_simple");
    request.set_version(0);
    request.mutable_raw()->set_json(R"({"id":"1","title":"old name"})");
    auto const upgraded = response_of<protocol::UpgradeResourceState>("", request);
    EXPECT_EQ(unpacked(upgraded.upgraded_state(), simple).find("name")->as_string(), "old name");
}

TEST(ProviderCalls, ImportAndMoveObjects)
{
    protocol::ImportResourceState::Request import;
    import.set_type_name("fake_simple");
    import.set_id("x");
    auto const imported = response_of<protocol::ImportResourceState>("", import);
    ASSERT_EQ(imported.imported_resources_size(), 1);
    EXPECT_EQ(unpacked(imported.imported_resources(0).state(), simple).find("name")->as_string(), "x");
    EXPECT_EQ(imported.imported_resources(0).private_data(), "imported");
    import.set_id("gone");
    EXPECT_THAT(
        response_of<protocol::ImportResourceState>("", import).diagnostics(0).summary(), HasSubstr("non-existent"));

    protocol::MoveResourceState::Request move;
    move.set_source_type_name("fake_0");
    move.set_target_type_name("fake_simple");
    move.mutable_source_state()->set_json(simple_config);
    auto const moved = response_of<protocol::MoveResourceState>("large=1", move);
    EXPECT_EQ(unpacked(moved.target_state(), simple).find("value")->as_string(), "b");
}

TEST(ProviderCalls, ReportErrorsWithTheirAttribute)
{
    protocol::ValidateResourceConfig::Request request;
    request.set_type_name("fake_simple");
    request.mutable_config()->set_msgpack(
        packed(R"({"id":null,"key":null,"name":"","old":null,"secret":null,"value":null})", simple));
    for (std::string const mode : {"protocol=5", "protocol=6"}) {
        auto const answer = response_of<protocol::ValidateResourceConfig>(mode, request);
        ASSERT_EQ(answer.diagnostics_size(), 1) << mode;
        EXPECT_EQ(answer.diagnostics(0).severity(), protocol::Diagnostic::ERROR);
        EXPECT_EQ(answer.diagnostics(0).attribute().steps(0).attribute_name(), "name");
    }
}

TEST(ProviderCalls, ReadDataOpenEphemeralResourcesAndCallFunctions)
{
    language::type const lookup = type_of(R"(["object",{"found":"string","name":"string"}])");
    protocol::ReadDataSource::Request read;
    read.set_type_name("fake_lookup");
    read.mutable_config()->set_msgpack(packed(R"({"found":null,"name":"a"})", lookup));
    auto const found = response_of<protocol::ReadDataSource>("protocol=5", read);
    EXPECT_EQ(unpacked(found.state(), lookup).find("found")->as_string(), "made-found");

    language::type const token = type_of(R"(["object",{"name":"string","token":"string"}])");
    protocol::OpenEphemeralResource::Request open;
    open.set_type_name("fake_token");
    open.mutable_config()->set_msgpack(packed(R"({"name":"a","token":null})", token));
    auto const opened = response_of<protocol::OpenEphemeralResource>("", open);
    EXPECT_EQ(unpacked(opened.result(), token).find("token")->as_string(), "made-token");
    EXPECT_EQ(opened.private_data(), "opened");
    EXPECT_GT(opened.renew_at().seconds(), 1'700'000'000);

    protocol::CallFunction::Request shout;
    shout.set_name("shout");
    shout.add_arguments()->set_msgpack(packed("\"ab\"", language::type::string()));
    EXPECT_EQ(
        unpacked(response_of<protocol::CallFunction>("", shout).result(), language::type::string()).as_string(), "AB");
    shout.mutable_arguments(0)->set_msgpack(packed("\"\"", language::type::string()));
    auto const refused = response_of<protocol::CallFunction>("", shout);
    EXPECT_EQ(refused.error().text(), "there are no words");
    EXPECT_TRUE(refused.error().has_function_argument());
}

TEST(ProviderCalls, CanReturnWrongResults)
{
    protocol::ApplyResourceChange::Request change;
    change.set_type_name("fake_simple");
    change.mutable_planned_state()->set_msgpack(packed(simple_config, simple));
    auto const truth = response_of<protocol::ApplyResourceChange>("", change);
    EXPECT_EQ(unpacked(truth.new_state(), simple).find("value")->as_string(), "b");
    auto const lie = response_of<protocol::ApplyResourceChange>("lie=applied", change);
    EXPECT_EQ(unpacked(lie.new_state(), simple).find("value")->as_string(), "a lie");
    auto const wrong = response_of<protocol::ApplyResourceChange>("lie=type", change);
    EXPECT_FALSE(from_message_pack(wrong.new_state().msgpack(), simple));
    EXPECT_TRUE(response_of<protocol::ApplyResourceChange>("lie=legacy", change).legacy_type_system());
}

}  // namespace
