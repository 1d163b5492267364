// SPDX-License-Identifier: BSL-1.0
#include "views/plan_text.hpp"

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
using iacctl::language::value_entry;
using strider::infra::action;
using strider::infra::action_reason;
using strider::infra::address;
using strider::infra::instance_key;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

views::resource_schema const bucket = {{{"id", type::string(), false, false, true}, {"tags", type::map(type::string())},
                                           {"zones", type::set(type::string())}, {"rules", type::list(type::string())},
                                           {"secret", type::string(), false, true, false, true},
                                           {"size", type::number()}, {"note", type::string()}, {"any", type()}},
    3};

[[nodiscard]] auto object(std::vector<value_entry> entries) -> value
{
    return value::object(std::move(entries));
}

[[nodiscard]] auto change(action a, value before, value after) -> views::change_view
{
    views::change_view out;
    out.address = address("bucket", "b");
    out.provider_name = "example.com/test/bucket";
    out.action = a;
    out.before = std::move(before);
    out.after = std::move(after);
    out.schema = &bucket;
    return out;
}

[[nodiscard]] auto plan(views::change_view change) -> views::plan_view
{
    views::plan_view out;
    out.changes.push_back(std::move(change));
    return out;
}

// The block of the only change, without the text around it.
[[nodiscard]] auto block(views::change_view change) -> std::string
{
    auto const text = views::plan_text(plan(std::move(change)));
    auto const begin = text.find("actions:\n\n") + 10;
    return text.substr(begin, text.find("\n\nPlan:") + 1 - begin);
}

[[nodiscard]] auto outputs(std::vector<views::output_change_view> changes) -> views::plan_view
{
    views::plan_view out;
    out.output_changes = std::move(changes);
    return out;
}

}  // namespace

TEST(PlanText, ShowsLegendChangesSumsAndOutputs)
{
    auto view = plan(
        change(action::create, value(), object({{"id", value::unknown(type::string())}, {"size", value(number(3))}})));
    view.output_changes.push_back({"size", action::create, value(), value(number(3)), false});

    auto const text = views::plan_text(view);

    EXPECT_EQ(text, R"(
Symbols in this plan:
  + create

Planned actions:

  # bucket.b will be created
  + resource "bucket" "b" {
      + id   = (known after apply)
      + size = 3
    }

Plan: 1 to add, 0 to change, 0 to destroy.

Changes to Outputs:
  + size = 3
)");
}

TEST(PlanText, HidesUnchangedAttributesExceptNames)
{
    auto const before = object({{"id", value("i")}, {"note", value("old")}, {"size", value(number(3))}});
    auto const after = object({{"id", value("i")}, {"note", value("new")}, {"size", value(number(3))}});

    EXPECT_EQ(block(change(action::update, before, after)), R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
        id   = "i"
      ~ note = "old" -> "new"
        # (1 unchanged attribute hidden)
    }
)");
}

TEST(PlanText, ShowsTheAttributeThatForcesReplacement)
{
    auto const before = object({{"id", value("i")}, {"rules", value::list(type::string(), {value("a"), value("b")})},
        {"size", value(number(3))}});
    auto const after = object({{"id", value::unknown(type::string())},
        {"rules", value::list(type::string(), {value("a"), value("c"), value("d")})}, {"size", value(number(4))}});
    auto replaced = change(action::create_then_destroy, before, after);
    replaced.reason = action_reason::replace_because_cannot_update;
    replaced.replace_paths = {{"size"}, {"rules"}};

    EXPECT_EQ(block(replaced), R"(  # bucket.b must be replaced
+/- resource "bucket" "b" {
      ~ id    = "i" -> (known after apply)
      ~ rules = [ # forces replacement
            "a",
          - "b",
          + "c",
          + "d",
        ]
      ~ size  = 3 -> 4 # forces replacement
    }
)");
}

TEST(PlanText, ComparesElementsOneByOneUnlessTheyMoved)
{
    auto const list = [](std::vector<char const*> const& texts) {
        std::vector<value> elements;
        for (auto const* text : texts) elements.emplace_back(text);
        return object({{"id", value("i")}, {"rules", value::list(type::string(), std::move(elements))}});
    };

    EXPECT_THAT(block(change(action::update, list({"a", "b", "c", "d"}), list({"a", "b", "x", "d"}))), HasSubstr(R"(
      ~ rules = [
            # (1 unchanged element hidden)
            "b",
          ~ "c" -> "x",
            "d",
        ]
)"));
    EXPECT_THAT(block(change(action::update, list({"a", "b", "c"}), list({"c", "a", "b"}))), HasSubstr(R"(
      ~ rules = [
          + "c",
            "a",
            "b",
          - "c",
        ]
)"));
}

TEST(PlanText, ShowsMapsAndSetsByTheirTypes)
{
    auto const before =
        object({{"id", value("i")}, {"tags", value::map(type::string(), {{"a", value("1")}, {"long", value("2")}})},
            {"zones", value::set(type::string(), {value("x"), value("y")})}});
    auto const after =
        object({{"id", value("i")}, {"tags", value::map(type::string(), {{"a", value("9")}, {"new", value("3")}})},
            {"zones", value::set(type::string(), {value("y"), value("z")})}});

    EXPECT_EQ(block(change(action::update, before, after)), R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
        id    = "i"
      ~ tags  = {
          ~ "a"    = "1" -> "9"
          - "long" = "2" -> null
          + "new"  = "3"
        }
      ~ zones = [
          - "x",
          + "z",
            # (1 unchanged element hidden)
        ]
    }
)");
}

TEST(PlanText, HidesSensitiveValues)
{
    auto const secret = [](char const* text) { return value(text).with_marks(mark::sensitive); };
    auto const before =
        object({{"id", value("i")}, {"secret", value("s3cret")}, {"any", value("plain")}, {"note", secret("hidden")}});
    auto const after = object(
        {{"id", value("i")}, {"secret", value("t0psecret")}, {"any", secret("plain")}, {"note", value("hidden")}});

    auto const text = block(change(action::update, before, after));

    EXPECT_EQ(text, R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
      # Warning: sensitive from now on, so it will be hidden (the value stays)
      ~ any    = (sensitive value)
        id     = "i"
      # Warning: no longer sensitive, so it will be shown (the value stays)
      ~ note   = (sensitive value)
      ~ secret = (sensitive value)
    }
)");
}

TEST(PlanText, HidesCopiesOfSensitiveValues)
{
    auto const secret = [](char const* text) { return value(text).with_marks(mark::sensitive); };
    auto const nested = [&](value copied) {
        return object({{"x", copied}, {"y", value::tuple({value("shown"), std::move(copied)})}});
    };
    auto const before = object({{"id", value("i")}, {"note", secret("hidden")}, {"any", nested(value("hidden"))},
        {"rules", value::list(type::string(), {value("abc")})}});
    auto const after =
        object({{"id", value("i")}, {"note", value("new")}, {"any", value::unknown()}, {"rules", value()}});

    auto const text = block(change(action::update, before, after));

    EXPECT_THAT(text, Not(HasSubstr("hidden\"")));
    EXPECT_THAT(text, HasSubstr("\"shown\""));
    EXPECT_THAT(text, HasSubstr("\"abc\""));
}

TEST(PlanText, ShowsNestedValuesThatBecomeUnknownOrChangeTheirType)
{
    auto const before = object(
        {{"any", object({{"a", value(number(1))}, {"b", value::tuple({value(true), value()})}, {"c", value("t")}})}});
    auto const after = object(
        {{"any", object({{"a", value("one")}, {"b", value::unknown()}, {"c", value("t")}, {"d", value::null()}})}});

    EXPECT_EQ(block(change(action::update, before, after)), R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
      ~ any = {
          ~ a = 1 -> "one"
          ~ b = [
              - true,
              - null,
            ] -> (known after apply)
          + d = null
            # (1 unchanged attribute hidden)
        }
    }
)");
}

TEST(PlanText, ComparesTextsOfSeveralLinesByLine)
{
    auto const note = [](char const* text) { return object({{"note", value(text)}}); };

    EXPECT_EQ(block(change(action::update, note("one\ntwo\nthree\n"), note("one\n2\nthree\n"))),
        R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
      ~ note = <<-EOT
            one
          - two
          + 2
            three
        EOT
    }
)");
    EXPECT_THAT(block(change(action::destroy, note("one\ntwo"), value())), HasSubstr("        EOT -> null\n"));
}

TEST(PlanText, ComparesJsonInsideOfStrings)
{
    auto const note = [](char const* text) { return object({{"note", value(text)}}); };

    EXPECT_EQ(block(change(action::update, note(R"({"a":1,"b":[]})"), note(R"({"a":2,"b":[]})"))),
        R"(  # bucket.b will be updated in-place
  ~ resource "bucket" "b" {
      ~ note = jsonencode(
          ~ {
              ~ a = 1 -> 2
                # (1 unchanged attribute hidden)
            }
        )
    }
)");
    EXPECT_THAT(block(change(action::update, note(R"({"a":1})"), note(R"({ "a": 1 })"))),
        HasSubstr("note = jsonencode( # whitespace changes\n"));
    EXPECT_THAT(block(change(action::create, value(), note("{}"))), HasSubstr("+ note = jsonencode({})\n"));
    EXPECT_THAT(block(change(action::create, value(), note("{no"))), HasSubstr("+ note = \"{no\"\n"));
}

TEST(PlanText, ShowsWhyAnInstanceIsDestroyed)
{
    auto gone = change(action::destroy, object({{"id", value("i")}}), value());
    auto const why = [&](action_reason reason, instance_key key) {
        gone.reason = reason;
        gone.address = address("bucket", "b", std::move(key));
        auto const text = block(gone);
        return text.substr(0, text.find("\n  - resource"));
    };

    EXPECT_EQ(why(action_reason::none, {}), "  # bucket.b will be destroyed");
    EXPECT_THAT(why(action_reason::delete_because_no_resource_config, instance_key(0)),
        HasSubstr("\n  # (because bucket.b is not in configuration)"));
    EXPECT_THAT(why(action_reason::delete_because_count_index, instance_key(4)),
        HasSubstr("\n  # (because index [4] is out of range for count)"));
    EXPECT_THAT(why(action_reason::delete_because_each_key, instance_key("k")),
        HasSubstr("\n  # (because key [\"k\"] is not in for_each map)"));
    EXPECT_THAT(why(action_reason::delete_because_wrong_repetition, {}),
        HasSubstr("\n  # (because resource uses count or for_each)"));
    EXPECT_THAT(why(action_reason::delete_because_wrong_repetition, instance_key(1)),
        HasSubstr("\n  # (because resource does not use count)"));
    EXPECT_THAT(why(action_reason::delete_because_wrong_repetition, instance_key("k")),
        HasSubstr("\n  # (because resource does not use for_each)"));
    gone.deposed_key = "0a1b2c3d";
    EXPECT_THAT(why(action_reason::none, {}),
        testing::AllOf(StartsWith("  # bucket.b (deposed object 0a1b2c3d) will be destroyed"),
            HasSubstr("\n  # (replaced before, but not destroyed then)")));
}

TEST(PlanText, ShowsMovesWithAndWithoutChanges)
{
    auto moved = change(action::no_op, object({{"id", value("i")}, {"size", value(number(1))}}),
        object({{"id", value("i")}, {"size", value(number(1))}}));
    moved.previous_address = address("bucket", "old");

    auto const text = views::plan_text(plan(moved));
    moved.action = action::update;

    EXPECT_EQ(text, R"(
Planned actions:

  # bucket.old has moved to bucket.b
    resource "bucket" "b" {
        id   = "i"
        # (1 unchanged attribute hidden)
    }

Plan: 0 to add, 0 to change, 0 to destroy.
)");
    EXPECT_THAT(block(moved), StartsWith("  # bucket.b will be updated in-place\n  # (moved from bucket.old)\n"));
}

TEST(PlanText, ReportsThatThereAreNoChanges)
{
    views::plan_view view;

    auto const normal = views::plan_text(view);
    view.mode = strider::infra::plan_mode::destroy;
    auto const destroy = views::plan_text(view);
    view.mode = strider::infra::plan_mode::refresh_only;
    auto const refresh = views::plan_text(view);
    view.errored = true;
    auto const errored = views::plan_text(view);

    EXPECT_EQ(normal, R"(
No changes. Your infrastructure matches the configuration.

All objects are as the configuration describes them.
)");
    EXPECT_THAT(destroy, HasSubstr("\nNo changes. No objects need to be destroyed.\n\nState has no objects"));
    EXPECT_THAT(refresh, HasSubstr("\nNo changes. Your infrastructure still matches the configuration.\n"));
    EXPECT_EQ(errored, "\nPlanning failed. No plan was made because of an error.\n\n");
}

TEST(PlanText, ReportsThatOnlyOutputsChange)
{
    auto const view = outputs({{"b", action::update, value("x"), value("y"), true},
        {"same_and_long", action::no_op, value(true), value(true), false},
        {"a", action::destroy, value::tuple({value("x")}), value(), false}});

    EXPECT_EQ(views::plan_text(view), R"(
Changes to Outputs:
  - a             = [
      - "x",
    ] -> null
  ~ b             = (sensitive value)

You can apply this plan to save these new output values to the state,
without changing any real infrastructure.
)");
}

TEST(PlanText, ShowsRelevantDriftOnly)
{
    auto const before = object({{"id", value("i")}, {"note", value("a")}, {"size", value(number(1))}});
    auto const after = object({{"id", value("i")}, {"note", value("b")}, {"size", value(number(2))}});
    auto view = plan(change(action::update, after, before));
    view.drift.push_back(change(action::update, before, after));

    auto const without = views::plan_text(view);
    view.relevant.push_back({"bucket.b", {"note"}});
    auto const with = views::plan_text(view);

    EXPECT_THAT(without, Not(HasSubstr("Objects differ from state")));
    EXPECT_THAT(with, StartsWith(R"(
Note: Objects differ from state

These objects were changed outside of iacctl since the last apply. The plan
is based on their present values:

  # bucket.b has changed
  ~ resource "bucket" "b" {
        id   = "i"
      ~ note = "a" -> "b"
        # (1 unchanged attribute hidden)
    }
)"));
}

TEST(PlanText, OrdersByDepthOfModuleAndDataFirst)
{
    views::plan_view view;
    for (auto const* name : {"module.b.module.c.bucket.x", "module.z.bucket.x", "bucket.y", "data.bucket.z"}) {
        auto one = change(action::read, value(), object({}));
        one.address = strider::infra::parse_address(name).value();
        view.changes.push_back(std::move(one));
    }

    auto const text = views::plan_text(view);

    EXPECT_LT(text.find("# data.bucket.z"), text.find("# bucket.y"));
    EXPECT_LT(text.find("# bucket.y"), text.find("# module.z.bucket.x"));
    EXPECT_LT(text.find("# module.z.bucket.x"), text.find("# module.b.module.c.bucket.x"));
}

TEST(PlanText, IsColouredOnlyOnRequest)
{
    auto const view = plan(change(action::create, value(), object({{"size", value(number(3))}})));

    auto const plain = views::plan_text(view);
    auto coloured = views::plan_text(view, {true, 78, false});

    EXPECT_THAT(plain, Not(HasSubstr("\033")));
    EXPECT_THAT(coloured, HasSubstr("\033[32m+\033[0m size = 3"));
    for (auto at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033'))
        coloured.erase(at, coloured.find('m', at) + 1 - at);
    EXPECT_EQ(coloured, plain);
}

TEST(NextStep, ShowsHowToApplyASavedPlan)
{
    EXPECT_THAT(views::next_step_text("plan.bin"), testing::EndsWith(R"(
Saved the plan to: plan.bin

To carry out exactly these actions:
    iacctl apply plan.bin
)"));
    EXPECT_THAT(views::next_step_text("a b", {}, {}, "-chdir=d apply"),
        testing::EndsWith("\n    iacctl -chdir=d apply 'a b'\n"));
    EXPECT_THAT(views::next_step_text(""), StartsWith("\n───"));
    EXPECT_THAT(views::next_step_text(""), testing::EndsWith(R"(

Note: This plan was not saved. "iacctl apply" makes a new plan, whose actions
may differ. To apply exactly this plan, save it with -out=FILE.
)"));
}

TEST(PlanText, HandlesVeryLongLists)
{
    auto const list = [](std::int64_t from, std::int64_t to) {
        std::vector<value> elements;
        for (; from < to; ++from) elements.emplace_back(number(from));
        return object({{"any", value::tuple(std::move(elements))}});
    };

    auto const same = block(change(action::update, list(0, 20'000), list(0, 20'000)));
    auto const longer = block(change(action::update, list(0, 20'000), list(0, 20'001)));

    EXPECT_THAT(same, HasSubstr("# (1 unchanged attribute hidden)"));
    EXPECT_THAT(
        longer, HasSubstr("# (19999 unchanged elements hidden)\n            19999,\n          + 20000,\n        ]"));
}
