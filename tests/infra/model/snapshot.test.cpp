// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace strider::infra;
using testing::ElementsAre;
using testing::IsEmpty;

auto sound() -> snapshot
{
    snapshot s;
    s.lineage = "here";
    object o;
    o.attributes = document("x");
    o.provider = "p";
    s.resources[address("t", "a")].current = o;
    o.dependencies = {"module.m.t.c", "t.a"};
    s.resources[address("t", "b")].current = o;
    s.resources[address("t", "b")].deposed["0123abcd"] = o;
    return s;
}

auto faults(snapshot const& s) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (diagnostic const& d : verify_integrity(s)) {
        all.push_back(d.code);
        for (std::string const& argument : d.arguments) all.back() += "; " + argument;
    }
    return all;
}

TEST(Integrity, ReportsNothingForAConsistentState)
{
    EXPECT_THAT(faults(sound()), IsEmpty());
    EXPECT_THAT(faults(snapshot()), IsEmpty());
}

TEST(Integrity, AcceptsADependencyThatDoesNotExist)
{
    auto s = sound();
    s.resources.erase(address("t", "a"));

    EXPECT_THAT(faults(s), IsEmpty());
}

TEST(Integrity, ReportsMissingAttributes)
{
    auto s = sound();
    s.resources.at(address("t", "a")).current->attributes = {};

    EXPECT_THAT(faults(s), ElementsAre("state_without_attributes; t.a"));
}

TEST(Integrity, ReportsAMissingProvider)
{
    auto s = sound();
    s.resources.at(address("t", "b")).deposed.at("0123abcd").provider.clear();

    EXPECT_THAT(faults(s), ElementsAre("state_without_provider; t.b (deposed 0123abcd)"));
}

TEST(Integrity, RejectsDependenciesThatAreNotConfigurationAddresses)
{
    auto s = sound();
    s.resources.at(address("t", "a")).current->dependencies = {"nonsense", "t.b[0]"};

    EXPECT_THAT(
        faults(s), ElementsAre("state_invalid_dependency; t.a; nonsense", "state_depends_on_instance; t.a; t.b[0]"));
}

TEST(Integrity, RejectsADependencyOnItself)
{
    auto s = sound();
    s.resources.at(address("t", "a")).current->dependencies = {"t.a"};

    EXPECT_THAT(faults(s), ElementsAre("state_depends_on_itself; t.a"));
}

TEST(Integrity, RejectsARecordWithoutObjects)
{
    auto s = sound();
    s.resources.at(address("t", "a")).current.reset();

    EXPECT_THAT(faults(s), ElementsAre("state_without_object; t.a"));
}

TEST(Integrity, RejectsAnInvalidKey)
{
    auto s = sound();
    auto& deposed = s.resources.at(address("t", "b")).deposed;
    deposed.emplace("0123ABCD", deposed.at("0123abcd"));

    EXPECT_THAT(faults(s), ElementsAre("state_invalid_deposed_key; t.b; 0123ABCD"));
}

TEST(Integrity, RejectsAnOperationWithAnotherId)
{
    auto s = sound();
    pending_operation o;
    o.operation = "one";
    o.target = address("t", "c");
    s.pending["two"] = o;

    EXPECT_THAT(faults(s), ElementsAre("state_misfiled_operation; t.c; two; one"));
}

TEST(Integrity, RejectsTheDestructionOfAMissingObject)
{
    auto s = sound();
    pending_operation o;
    o.operation = "one";
    o.kind = operation_kind::destroy;
    o.target = address("t", "a");
    s.pending["one"] = o;
    EXPECT_THAT(faults(s), IsEmpty());

    s.pending["one"].deposed_key = "ffffffff";

    EXPECT_THAT(faults(s), ElementsAre("state_destroys_nothing; t.a"));
}

TEST(Integrity, ChecksTheLineageSeparately)
{
    auto s = sound();
    s.lineage.clear();

    EXPECT_THAT(faults(s), IsEmpty());
    EXPECT_EQ(verify_lineage(s).front().code, "state_without_lineage");
    EXPECT_THAT(verify_lineage(snapshot()), IsEmpty());
}

TEST(Integrity, ReportsEveryFault)
{
    auto s = sound();
    s.resources.at(address("t", "a")).current->attributes = {};
    s.resources.at(address("t", "a")).current->provider.clear();

    EXPECT_EQ(faults(s).size(), 2U);
}

TEST(DeposedKey, HasEightHexadecimalDigitsAndIsTheSameForTheSame)
{
    address const a("t", "a");

    EXPECT_TRUE(is_deposed_key(make_deposed_key(a, 1, 0)));
    EXPECT_EQ(make_deposed_key(a, 1, 0), make_deposed_key(a, 1, 0));
    EXPECT_FALSE(is_deposed_key("0123abc"));
    EXPECT_FALSE(is_deposed_key("0123abcg"));
    EXPECT_FALSE(is_deposed_key(""));
}

TEST(DeposedKey, DiffersByInstanceSeedAndAttempt)
{
    std::set<std::string> keys;
    for (std::uint32_t i = 0; i < 10; ++i) {
        keys.insert(make_deposed_key(address("t", "a"), i, 0));
        keys.insert(make_deposed_key(address("t", "a"), 0, i + 1));
        keys.insert(make_deposed_key(address("t", "a", instance_key(std::int64_t{i})), 0, 0));
    }

    EXPECT_EQ(keys.size(), 30U);
}

TEST(PriorInstances, AreFoundByConfigurationAddress)
{
    auto s = sound();
    s.resources[address("t", "n", instance_key(std::int64_t{1}))] = s.resources.at(address("t", "a"));
    s.resources[address("t", "n", instance_key(std::int64_t{0}))] = s.resources.at(address("t", "a"));
    prior_instances const prior(s);

    std::vector<std::string> found;
    for (auto const* instance : prior.of(address("t", "n"))) found.push_back(to_string(instance->first));

    EXPECT_THAT(found, ElementsAre("t.n[0]", "t.n[1]"));
    EXPECT_TRUE(prior.of(address("t", "nobody")).empty());
    EXPECT_EQ(prior.blocks().size(), 3U);
}

}  // namespace
