// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::ElementsAre;
using testing::IsEmpty;

// Patterns that break snapshots of Pulumi, and that the fuzzers of that project exclude. None is excluded here.
// Concepts that this engine does not have are replaced by the nearest ones:
//
// - deleted-with: an object that goes with another one, which it depends on;
// - marked for deletion: deposed; pendingReplacement: destroyed, and not created again after a failure;
// - parent: the module; alias: `moved`; protect: `prevent_destroy`;
// - a program refresh or destroy: a plan or a destroy with the program, after a refresh.
class BrokenPatterns : public lifecycle_test {
protected:
    // a is replaced, and its prior object could not be destroyed.
    void given_deposed(std::string const& rest)
    {
        given("a kind=x @cbd\n" + rest + "apply");
        ASSERT_FALSE(after("a kind=y @cbd\n" + rest + "apply fails=destroy:a").ok);
        ASSERT_THAT(objects(), testing::Contains("a#1 deposed"));
    }
    // a is destroyed and not created again.
    void given_half_replaced(std::string const& rest)
    {
        given("a kind=x\n" + rest + "apply");
        ASSERT_FALSE(after("a kind=y\n" + rest + "apply fails=create:a").ok);
        ASSERT_THAT(objects(), testing::Not(testing::Contains(testing::HasSubstr("a#"))));
    }
};

// 1. A resource is deleted with something that is marked for deletion, on an update.
TEST_F(BrokenPatterns, AnObjectThatDependsOnADeposedOneIsUpdated)
{
    given_deposed("b from=$a.id\n");

    EXPECT_TRUE(after("a kind=y @cbd\n b from=$a.id size=2\n apply").ok);

    EXPECT_THAT(objects(), ElementsAre("a#2", "b#1"));
}

// 2. A pendingReplacement record whose parent changes: the module of a half-replaced object gets another name.
TEST_F(BrokenPatterns, TheModuleOfAHalfReplacedObjectIsRenamed)
{
    given("module.m\n m/a kind=x\n m/b from=$m/a.id\n apply");
    ASSERT_FALSE(after("module.m\n m/a kind=y\n m/b from=$m/a.id\n apply fails=create:m/a").ok);

    auto const done = after("moved module.m module.n\n module.n\n n/a kind=y\n n/b from=$n/a.id\n apply");

    EXPECT_THAT(done.order, ElementsAre("module.n.a create", "module.n.b update"));
}

// 3. An update with a dependency on an aliased resource.
TEST_F(BrokenPatterns, ADependencyOfAnUpdatedObjectHasMoved)
{
    given("a size=1\n b from=$a.id\n apply");

    EXPECT_TRUE(after("moved a c\n c size=2\n b from=$c.id size=2\n apply").ok);

    EXPECT_THAT(after("nothing\n destroy").order, ElementsAre("b destroy", "c destroy"));
}

// 4. A child of a URN that exists twice, on a refresh: a dependent of an object that exists as current and as deposed.
TEST_F(BrokenPatterns, ADependentOfAnObjectThatExistsTwiceIsRefreshed)
{
    given_deposed("module.m @depends_on=a\n m/b from=$a.id\n provider.q host=$a.id\n c size=1 @provider=provider.q\n");

    EXPECT_TRUE(after("refresh").ok);

    EXPECT_THAT(objects(), testing::Contains("a#1 deposed"));
    EXPECT_TRUE(after("apply").ok);
    EXPECT_TRUE(after("nothing\n destroy").ok || after("provider.q host=1\n destroy").ok);
}

// 5. Targets in a program refresh.
TEST_F(BrokenPatterns, ARefreshHasTargets)
{
    given("a size=1\n b from=$a.id\n c size=1\n apply\n outside destroy=a#1 change=c#1,size,9");

    EXPECT_TRUE(after("refresh target=b").ok);

    EXPECT_THAT(objects(), ElementsAre("b#1", "c#1"));
    EXPECT_TRUE(after("apply").ok);
}

// 6. A protected resource and a duplicate provider in a program destroy: the provider's source object is deposed.
TEST_F(BrokenPatterns, AProtectedObjectHasAProviderThatDependsOnADeposedObject)
{
    given_deposed("provider.q host=$a.id\n b size=1 @provider=provider.q @prevent_destroy\n");

    EXPECT_FALSE(after("destroy").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2", "a#1 deposed", "b#1"));

    EXPECT_TRUE(after("a kind=y @cbd\n provider.q host=$a.id\n b size=1 @provider=provider.q\n destroy").ok);
}

// 7. A resource with a targeted dependency.
TEST_F(BrokenPatterns, OnlyTheDependencyOfAnObjectIsATarget)
{
    given("a kind=x\n b from=$a.id\n apply");

    EXPECT_TRUE(after("a kind=y\n b from=$a.id\n apply target=a").ok);

    EXPECT_THAT(objects(), ElementsAre("a#2", "b#1"));
    EXPECT_THAT(after("apply").order, ElementsAre("b update"));
}

// 8. A targeted alias in a program destroy: the target has moved. Both of its addresses are named, as for any moved object.
TEST_F(BrokenPatterns, ATargetOfADestroyHasMoved)
{
    given("a size=1\n b from=$a.id\n c size=1\n apply");

    EXPECT_THAT(after("moved a d\n d size=1\n b from=$d.id\n c size=1\n destroy target=a target=d").order,
        ElementsAre("b destroy", "d destroy"));

    EXPECT_THAT(objects(), ElementsAre("c#1"));
}

// 9. A targeted resource with an aliased parent: the module of the target has another name.
TEST_F(BrokenPatterns, TheModuleOfATargetOfADestroyHasMoved)
{
    given("module.m\n m/a size=1\n m/b from=$m/a.id\n c size=1\n apply");

    EXPECT_THAT(after("moved module.m module.n\n module.n\n n/a size=1\n n/b from=$n/a.id\n c size=1\n destroy "
                      "target=module.m target=module.n")
                    .order,
        ElementsAre("module.n.b destroy", "module.n.a destroy"));

    EXPECT_THAT(objects(), ElementsAre("c#1"));
}

// 10. A dependency on a deleted resource in a program destroy: it was destroyed outside.
TEST_F(BrokenPatterns, ADependencyIsMissingInADestroy)
{
    given("a size=1\n b from=$a.id\n apply\n outside destroy=a#1");

    EXPECT_THAT(after("destroy").order, ElementsAre("b destroy"));
}

// ... or its block was removed, and its dependent is created before it is destroyed.
TEST_F(BrokenPatterns, TheDependencyOfAReplacedObjectIsRemoved)
{
    given("a size=1\n b kind=x from=$a.id\n apply");

    EXPECT_THAT(after("b kind=y @cbd\n apply").order, ElementsAre("b create", "b destroy deposed", "a destroy"));
}

// 11. A reference to an aliased provider: the configuration of the provider depends on an object that has moved.
TEST_F(BrokenPatterns, AProviderDependsOnAMovedObject)
{
    given("a size=1\n provider.q host=$a.id\n b size=1 @provider=provider.q\n apply");

    EXPECT_TRUE(after("moved a c\n c size=1\n provider.q host=$c.id\n b size=2 @provider=provider.q\n apply").ok);

    EXPECT_THAT(after("destroy").order, ElementsAre("b destroy", "c destroy"));
}

// 12. A refresh with a targeted provider whose parent changes: its objects are in a module that gets another name.
TEST_F(BrokenPatterns, ARefreshOfAModuleThatHasMovedHasAProviderOfItsOwn)
{
    given("a size=1\n provider.q host=$a.id\n module.m\n m/b size=1 @provider=provider.q\n apply");

    EXPECT_TRUE(after(
        "a size=1\n provider.q host=$a.id\n moved module.m module.n\n module.n\n n/b size=1 @provider=provider.q\n"
        "refresh target=module.m target=module.n")
            .ok);

    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1", "module.m.b#1"));
}

// 13. Parented resources in a program refresh.
TEST_F(BrokenPatterns, ARefreshLosesObjectsInsideOfModules)
{
    given("module.m @count=2\n m/a size=1\n m/b from=$m/a.id\n apply\n outside destroy=m[0]/a#1");

    EXPECT_TRUE(after("refresh").ok);

    EXPECT_THAT(after("apply").order, ElementsAre("module.m[0].a create", "module.m[0].b update"));
}

// 14. Dependencies on a pendingReplacement record in a program refresh.
TEST_F(BrokenPatterns, ARefreshFindsADependencyHalfReplaced)
{
    given_half_replaced("b from=$a.id\n c from=$b.id\n");

    EXPECT_TRUE(after("refresh").ok);

    EXPECT_THAT(objects(), ElementsAre("b#1", "c#1"));
    EXPECT_THAT(after("apply").order, ElementsAre("a create", "b update"));
}

// 15. A targeted update and refresh with a deleted parent: the module of the target has lost its other objects.
TEST_F(BrokenPatterns, ATargetIsInAModuleWhoseOtherObjectsAreMissing)
{
    given("module.m\n m/a size=1\n m/b from=$m/a.id\n apply\n outside destroy=m/a#1");

    EXPECT_TRUE(after("module.m\n m/a size=1\n m/b from=$m/a.id size=2\n apply target=m/b").ok);

    EXPECT_THAT(objects(), ElementsAre("module.m.a#2", "module.m.b#1"));
}

}  // namespace
