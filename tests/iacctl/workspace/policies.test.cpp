// SPDX-License-Identifier: BSL-1.0
// Policies in the form of iacctl: the changes that they check, and their messages.
#include "policy/hcl_policies.hpp"
#include "policy/rego.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
using namespace iacctl::policy;
using language::mark;
using language::value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

auto change_of(std::string const& address, strider::infra::action a, value before, value after) -> planned_change
{
    planned_change made;
    made.address = strider::infra::parse_address(address).value();
    made.what = a;
    made.before = std::move(before);
    made.after = std::move(after);
    return made;
}

auto object_with(value input) -> value
{
    return value::object({{"input", std::move(input)}});
}

auto created(std::string const& address, value input) -> planned_change
{
    return change_of(address, strider::infra::action::create, {}, object_with(std::move(input)));
}

auto destroyed(std::string const& address) -> planned_change
{
    return change_of(address, strider::infra::action::destroy, object_with(value("x")), {});
}

// The codes and addresses of the messages of policies about changes, for example "policy_violated terraform_data.a".
struct checked {
    std::vector<std::string> codes;
    std::string details;
    bool refused = false;
};

auto check(std::string text, std::vector<planned_change> changes, std::vector<std::string> const& approved = {})
    -> checked
{
    infra::diagnostics found;
    hcl_policies policies;
    policies.read("a.policy.hcl", std::move(text), found);
    planned_run run;
    run.mode = "normal";
    run.workspace = "default";
    run.created = "2026-01-01T00:00:00Z";
    run.changes = std::move(changes);
    std::vector<strider::infra::address> addresses;
    for (std::string const& one : approved) addresses.push_back(strider::infra::parse_address(one).value());
    if (!found.has_errors()) policies.check(run, addresses, found);
    checked made;
    for (infra::diagnostic const& d : found) {
        made.codes.push_back(std::string(d.code) + (d.address.empty() ? "" : " " + d.address));
        made.details += d.detail + '\n';
        for (std::string const& note : d.source.notes) made.details += note + '\n';
    }
    made.refused = found.has_errors();
    return made;
}

TEST(HclPolicies, AreEvaluatedForTheSelectedChanges)
{
    auto const text = R"(policy "a" {
  condition = false
  changes {
    types     = ["terraform_*", "null"]
    modules   = ["module.m*"]
    actions   = ["create"]
    addresses = ["*.a*"]
  }
})";

    auto const made = check(text,
        {created("module.m[0].terraform_data.a[0]", value("x")), created("terraform_data.a", value("x")),
            created("module.m.terraform_data.b", value("x")), created("module.m.other.a", value("x")),
            destroyed("module.m.terraform_data.a")});

    EXPECT_THAT(made.codes, ElementsAre("policy_violated module.m[0].terraform_data.a[0]"));
    EXPECT_TRUE(made.refused);
}

TEST(HclPolicies, CanReferToChangesAndThePlan)
{
    auto const text = R"(policy "a" {
  condition = plan.counts.create == 1 && plan.counts.delete == 1 && length(plan.changes) == 2 && plan.mode == "normal"
}
policy "b" {
  condition = change.after_unknown.input && change.actions == tolist(["create"]) && change.key == 0 && change.before == null
  changes {
    actions = ["create"]
  }
})";

    auto const made = check(text,
        {created("terraform_data.a[0]", value::unknown(language::type::string())), destroyed("terraform_data.b")});

    EXPECT_THAT(made.codes, IsEmpty()) << made.details;
}

TEST(HclPolicies, ReportUnknownResultsWithTheirOwnSeverity)
{
    std::string const text = "  condition = change.after.input == \"x\"\n  changes {}\n}\n";
    std::vector<planned_change> const changes{created("terraform_data.a", value::unknown(language::type::string()))};

    auto const strict = check("policy \"a\" {\n" + text, changes);
    auto const lenient = check("policy \"a\" {\n  undecided = \"info\"\n" + text, changes);

    EXPECT_THAT(strict.codes, ElementsAre("policy_undecided terraform_data.a"));
    EXPECT_TRUE(strict.refused);
    EXPECT_THAT(lenient.codes, ElementsAre("policy_undecided terraform_data.a"));
    EXPECT_FALSE(lenient.refused);
}

TEST(HclPolicies, DoNotShowSensitiveValues)
{
    auto const text = R"(policy "a" {
  condition = change.after.input == "y"
  message   = "It is ${change.after.input}."
  severity  = "warning"
  changes {}
})";

    auto const made = check(text, {created("terraform_data.a", value("hidden-text").with_marks(mark::sensitive))});

    EXPECT_THAT(made.codes, ElementsAre("policy_warning terraform_data.a"));
    EXPECT_THAT(made.details, Not(HasSubstr("hidden-text")));
    EXPECT_THAT(made.details, HasSubstr("not shown"));
}

TEST(Protections, RequireAnApprovalForEachObjectThatIsDestroyedOrReplaced)
{
    auto const text = R"(protect "a" {
  condition = change.before.input == "x"
})";
    auto const replaced = change_of("terraform_data.b", strider::infra::action::create_then_destroy,
        object_with(value("x")), object_with(value("y")));
    auto const kept =
        change_of("terraform_data.c", strider::infra::action::update, object_with(value("x")), object_with(value("y")));
    std::vector<planned_change> const changes{
        destroyed("terraform_data.a[0]"), destroyed("terraform_data.a[1]"), replaced, kept};

    EXPECT_THAT(check(text, changes).codes,
        ElementsAre("approval_of_change_required terraform_data.a[0]",
            "approval_of_change_required terraform_data.a[1]", "approval_of_change_required terraform_data.b"));
    EXPECT_THAT(check(text, changes, {"terraform_data.a[1]", "terraform_data.b"}).codes,
        ElementsAre("approval_of_change_required terraform_data.a[0]"));
    EXPECT_THAT(check(text, changes, {"terraform_data.a", "terraform_data.b"}).codes, IsEmpty());
    EXPECT_THAT(check(text, changes, {"terraform_data.a", "terraform_data.b", "terraform_data.c"}).codes,
        ElementsAre("approval_unused"));
}

// With destroy = false the prior object leaves state, and there is a new one.
TEST(HclPolicies, TreatAReplacementThatKeepsThePriorObjectAsAReplacement)
{
    std::vector<planned_change> const changes{change_of("terraform_data.a", strider::infra::action::forget_then_create,
        object_with(value("x")), object_with(value("y")))};

    EXPECT_THAT(
        check("policy \"a\" {\n  condition = false\n  changes {\n    actions = [\"replace\"]\n  }\n}\n", changes).codes,
        ElementsAre("policy_violated terraform_data.a"));
    EXPECT_THAT(
        check("policy \"a\" {\n  condition = plan.counts.replace == 1 && plan.counts.forget == 0\n}\n", changes).codes,
        IsEmpty());
    EXPECT_THAT(
        check("protect \"a\" {\n}\n", changes).codes, ElementsAre("approval_of_change_required terraform_data.a"));
}

TEST(Protections, ApplyIfTheirConditionIsUnknown)
{
    auto change = destroyed("terraform_data.a");
    change.before = object_with(value::unknown(language::type::string()));

    auto const made = check("protect \"a\" {\n  condition = change.before.input == \"x\"\n}\n", {change});

    EXPECT_THAT(made.codes, ElementsAre("approval_of_change_required terraform_data.a"));
}

TEST(Secrets, AreHiddenInTexts)
{
    secrets all;
    all.add(value::object({{"a", value("abc").with_marks(mark::sensitive)}, {"b", value("def")}}));
    all.add(value::tuple({value("abcabc")}), true);

    EXPECT_EQ(all.hidden_in("abc abcabc def"), "(sensitive value) (sensitive value) def");
}

}  // namespace
