// SPDX-License-Identifier: BSL-1.0
#include "views/plan_json.hpp"

#include "base/json_writer.hpp"

#include "language/values/value.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

namespace views = iacctl::views;
using iacctl::language::mark;
using iacctl::language::number;
using iacctl::language::type;
using iacctl::language::value;
using strider::infra::action;
using strider::infra::action_reason;
using strider::infra::address;
using strider::infra::instance_key;
using strider::infra::parse_address;
using testing::HasSubstr;

views::resource_schema const schema = {
    {{"id", type::string()}, {"secret", type::string(), false, true, false, true}, {"list", type()}}, 2};

[[nodiscard]] auto plan_with(views::change_view change) -> views::plan_view
{
    views::plan_view out;
    out.changes.push_back(std::move(change));
    return out;
}

[[nodiscard]] auto change(char const* at, action a, value before, value after) -> views::change_view
{
    views::change_view out;
    out.address = parse_address(at).value();
    out.provider_name = "provider[\"terraform.io/builtin/terraform\"]";
    out.action = a;
    out.before = std::move(before);
    out.after = std::move(after);
    out.schema = &schema;
    return out;
}

}  // namespace

TEST(PlanJson, SeparatesKnownUnknownAndSensitiveParts)
{
    auto const after = value::object({{"id", value::unknown(type::string())}, {"secret", value("s")},
        {"list", value::tuple({value(number(1)), value::unknown()})}});

    auto const json = views::plan_json(plan_with(change("module.m[\"k\"].t.a[0]", action::create, value(), after)));

    EXPECT_THAT(json, testing::StartsWith(R"({"format_version":"1.2","terraform_version":"1.11.4","planned_values":)"));
    EXPECT_THAT(json,
        HasSubstr(
            R"json("resource_changes":[{"address":"module.m[\"k\"].t.a[0]","module_address":"module.m[\"k\"]","mode":"managed","type":"t","name":"a","index":0,"provider_name":"terraform.io/builtin/terraform","change":{"actions":["create"],"before":null,"after":{"list":[1,null],"secret":"s"},"after_unknown":{"id":true,"list":[false,true]},"before_sensitive":false,"after_sensitive":{"list":[false,false],"secret":true}}}])json"));
    EXPECT_THAT(json,
        HasSubstr(
            R"json("planned_values":{"root_module":{"child_modules":[{"resources":[{"address":"module.m[\"k\"].t.a[0]","mode":"managed","type":"t","name":"a","index":0,"provider_name":"terraform.io/builtin/terraform","schema_version":2,"values":{"list":[1,null],"secret":"s"},"sensitive_values":{"list":[false,false],"secret":true}}],"address":"module.m[\"k\"]"}]}})json"));
    EXPECT_THAT(json, testing::EndsWith(R"("applyable":true,"complete":true,"errored":false})"));
}

TEST(PlanJson, ContainsReplacementMoveAndDeposedObject)
{
    auto replaced = change(
        "t.a", action::create_then_destroy, value::object({{"id", value("1")}}), value::object({{"id", value("2")}}));
    replaced.reason = action_reason::replace_because_cannot_update;
    replaced.replace_paths = {{"list", std::int64_t(0)}, {"id"}};
    replaced.previous_address = address("t", "old");
    auto deposed = change("t.a", action::destroy, value::object({{"id", value("0")}}), value());
    deposed.deposed_key = "0a1b2c3d";
    auto view = plan_with(deposed);
    view.changes.push_back(replaced);

    auto const json = views::plan_json(view);

    EXPECT_THAT(json, HasSubstr(R"("address":"t.a","previous_address":"t.old","mode":"managed")"));
    EXPECT_THAT(json, HasSubstr(R"("actions":["create","delete"])"));
    EXPECT_THAT(
        json, HasSubstr(R"("replace_paths":[["list",0],["id"]]},"action_reason":"replace_because_cannot_update"})"));
    EXPECT_THAT(json,
        HasSubstr(
            R"("deposed":"0a1b2c3d","change":{"actions":["delete"],"before":{"id":"0"},"after":null,"after_unknown":{},"before_sensitive":{},"after_sensitive":false}})"));
    EXPECT_LT(json.find("previous_address"), json.find("deposed"));
}

TEST(PlanJson, ContainsOutputsVariablesAndPriorState)
{
    views::plan_view view;
    view.output_changes = {{"o", action::update, value("<a>"), value::unknown(), false},
        {"s", action::create, value(), value(number(5)), true}};
    view.variables = {{"v", value::tuple({})}};
    view.prior_state.outputs = {{"o", value("<a>"), false}};
    view.timestamp = "2024-01-02T03:04:05Z";
    view.errored = true;

    auto const json = views::plan_json(view);

    EXPECT_THAT(json, HasSubstr(R"("variables":{"v":{"value":[]}})"));
    EXPECT_THAT(json,
        HasSubstr(
            R"("o":{"actions":["update"],"before":"\u003ca\u003e","after_unknown":true,"before_sensitive":false,"after_sensitive":false})"));
    EXPECT_THAT(json,
        HasSubstr(
            R"("s":{"actions":["create"],"before":null,"after":5,"after_unknown":false,"before_sensitive":true,"after_sensitive":true})"));
    EXPECT_THAT(json,
        HasSubstr(
            R"("planned_values":{"outputs":{"o":{"sensitive":false},"s":{"sensitive":true,"type":"number","value":5}},"root_module":{}})"));
    EXPECT_THAT(json,
        HasSubstr(
            R"("prior_state":{"format_version":"1.0","terraform_version":"1.11.4","values":{"outputs":{"o":{"sensitive":false,"value":"\u003ca\u003e","type":"string"}},"root_module":{}}})"));
    EXPECT_THAT(json,
        testing::EndsWith(R"("timestamp":"2024-01-02T03:04:05Z","applyable":true,"complete":true,"errored":true})"));
}

TEST(PlanJson, NullOutputsHaveNoTypeAsInTerraform)
{
    views::plan_view view;
    view.output_changes = {{"o", action::create, value(), value::null(type::string()), false}};
    EXPECT_THAT(views::plan_json(view),
        HasSubstr(
            R"("planned_values":{"outputs":{"o":{"sensitive":false,"type":"dynamic","value":null}},"root_module":{}})"));
}

TEST(StateJson, HoldsResourcesInTheTreeOfModules)
{
    views::state_view view;
    view.resources.push_back(
        {parse_address("module.m.t.b").value(), "", "p", 1, value::object({{"id", value("2")}}), {"t.a"}, true});
    view.resources.push_back(
        {parse_address("t.a").value(), "", "p", 0, value::object({{"id", value("1")}}), {}, false});
    view.resources.push_back({parse_address("t.a").value(), "0a1b2c3d", "p", 0, value::object({}), {}, false});

    EXPECT_EQ(views::state_json(view),
        R"({"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"resources":[)"
        R"({"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p","schema_version":0,"values":{"id":"1"},"sensitive_values":{}},)"
        R"({"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p","schema_version":0,"sensitive_values":{},"deposed_key":"0a1b2c3d"}],)"
        R"("child_modules":[{"resources":[{"address":"module.m.t.b","mode":"managed","type":"t","name":"b","provider_name":"p","schema_version":1,"values":{"id":"2"},"sensitive_values":{},"depends_on":["t.a"],"tainted":true}],"address":"module.m"}]}}})");
    EXPECT_EQ(views::state_json({}), R"({"format_version":"1.0"})");
}

TEST(OutputsJson, IsSortedAndIndented)
{
    EXPECT_EQ(views::outputs_json({{"z", value(number(1)), false},
                  {"b", value::tuple({value("x, [y]: \"{}\""), value::object({}), value()}), true}}),
        R"({
  "b": {
    "sensitive": true,
    "type": [
      "tuple",
      [
        "string",
        [
          "object",
          {}
        ],
        "dynamic"
      ]
    ],
    "value": [
      "x, [y]: \"{}\"",
      {},
      null
    ]
  },
  "z": {
    "sensitive": false,
    "type": "number",
    "value": 1
  }
})");
    EXPECT_EQ(views::outputs_json({}), "{}");
    EXPECT_EQ(views::output_json({"a", value("x").with_marks(mark::sensitive), true}), "\"x\"");
}
