// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Plans of all objects except the named ones and their dependents.
class Excludes : public engine_in_worlds {
protected:
    [[nodiscard]] static auto without(std::string const& text, plan_mode mode = plan_mode::normal)
        -> infra::plan_options
    {
        infra::plan_options options;
        options.mode = mode;
        if (text.starts_with("module."))
            options.excludes.emplace_back(std::vector<infra::module_step>{{text.substr(7), {}}},
                infra::resource_mode::managed, "", "", infra::instance_key());
        else options.excludes.push_back(infra::parse_address("toy." + text).value());
        return options;
    }
};
INSTANTIATE_TEST_SUITE_P(In, Excludes, worlds, name_of_world);

TEST_P(Excludes, DependentsAreExcluded)
{
    auto const done = this->run("a\n b from=$a.id\n local.l =$b.id\n c from=$local.l\n d", this->without("b"));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), UnorderedElementsAre("a#1", "d#1"));
}

TEST_P(Excludes, OfOneInstanceKeepOtherInstancesButNoDependents)
{
    auto const done = this->run("a @count=3\n b from=$a[0].id\n c", this->without("a[1]"));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), UnorderedElementsAre("a[0]#1", "a[2]#1", "c#1"));
}

TEST_P(Excludes, AModuleIsExcludedAsAWhole)
{
    auto const done =
        this->run("module.m\n m/a\n m/output.o =$m/a.id\n b from=$m/output.o\n c", this->without("module.m"));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), UnorderedElementsAre("c#1"));
}

TEST_P(Excludes, ExistingObjectsAreUnchanged)
{
    this->given("a size=1 @count=2\n gone\n output.o =$a[0].size");

    auto const plan = this->plan("a size=2 @count=1\n output.o =$a[0].size", this->without("a"));

    EXPECT_TRUE(plan.targeted);
    EXPECT_THAT(actions(plan), ElementsAre("gone destroy"));
    EXPECT_THAT(plan.outputs, IsEmpty());
}

TEST_P(Excludes, UndeclaredObjectsCanBeKept)
{
    this->given("a\n b");

    EXPECT_THAT(actions(this->plan("c", this->without("a"))), ElementsAre("b destroy", "c create"));
}

TEST_P(Excludes, InADestroyDependenciesStay)
{
    this->given("a\n b from=$a.id\n c from=$b.id");

    auto const done = this->run("a\n b from=$a.id\n c from=$b.id", this->without("b", plan_mode::destroy));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy"));
}

TEST_P(Excludes, OutputsThatAreCompleteWithoutItAreKept)
{
    auto const wanted = "a\n b\n output.o =$a.id\n output.p =$b.id";

    auto const done = this->run(wanted, this->without("b"));

    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->kept.now().outputs.contains("o"));
    EXPECT_FALSE(this->kept.now().outputs.contains("p"));
}

}  // namespace
