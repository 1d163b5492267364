// SPDX-License-Identifier: BSL-1.0
// Lifecycles that once violated a law, as reduced by the fuzzer.
#include <fuzz/expect_no_violation.hpp>

#include <gtest/gtest.h>

namespace {

using strider::test::expect_no_violation;

TEST(FuzzedLifecycles, AnUpdateWithoutAChangeRecordsTheDependenciesOfTheProgram)
{
    expect_no_violation(R"(
        b
        h size=0 p0=$b.kind
        a1 p0=$h.stamp
        apply
        h size=0
        a1 p0=$h.stamp
        apply
    )");
}

TEST(FuzzedLifecycles, ObjectsThatDependOnEachOtherAccordingToStateAreDestroyed)
{
    expect_no_violation(R"(
        a
        b kind=$a.size
        apply
        b
        a kind=y p1=$b.kind @prevent_destroy
        refresh
    )");
}

TEST(FuzzedLifecycles, APlanForTargetsShowsOnlyWhatAnApplyDestroys)
{
    expect_no_violation(R"(
        module.m @count=2
        m/b
        apply
        module.m
        m/b
        m/c p0=$m/b.size
        apply target=m/c[0]
    )");
}

TEST(FuzzedLifecycles, AfterACancellationAProvisionerThatMayFailRunsLater)
{
    expect_no_violation(R"(
        a @create?=step0 @create=step1
        b @create?=step0 @create=step1
        c @create?=step0
        apply kill=2
        apply stop=1
    )");
}

TEST(FuzzedLifecycles, ObjectsThatDependOnEachOtherAfterAFailureAreDestroyed)
{
    expect_no_violation(R"(
        a
        b p0=$a.id
        c p0=$b.id
        apply
        b
        a @depends_on=b
        c p0=$b.id
        apply fails=update:b
        nothing
        apply
    )");
}

TEST(FuzzedLifecycles, ReplacedObjectsWhoseDependencyIsReversedAreDestroyedInTheFormerOrder)
{
    expect_no_violation(R"(
        a kind=x
        b kind=x p0=$a.size
        apply
        b kind=y
        a kind=y p0=$b.size
        apply
    )");
}

TEST(FuzzedLifecycles, AnObjectThatMovesToTheAddressOfItsDependencyDoesNotDependOnItself)
{
    expect_no_violation(R"(
        a
        b p0=$a.kind
        apply
        c
        moved a c
        moved b a
        apply fails=destroy:a
    )");
}

TEST(FuzzedLifecycles, ADependencyOfADeposedObjectIsDestroyedAfterIt)
{
    expect_no_violation(R"(
        a
        module.n
        n/c p0=$a.size
        n/e size=$n/c.id
        apply
        module.n
        n/c kind=x @cbd
        n/e
        apply rates=0,150,0,100@194947
    )");
}

TEST(FuzzedLifecycles, TheProviderOfADeposedObjectIsConfigured)
{
    expect_no_violation(R"(
        provider.q1
        d
        apply
        provider.q1
        d kind=x @provider=provider.q1 @cbd
        apply fails=destroy:d
        provider.q1
        d
        apply
    )");
}

// create_before_destroy takes precedence over the order between providers.
TEST(FuzzedLifecycles, AReplacementOfAnotherProviderFormsNoCycleWithTheDestroyOfItsDependency)
{
    expect_no_violation(R"(
        module.o
        o/d
        o/e
        apply
        b
        module.o
        o/d @each=$b.kind
        o/e kind=y p0=$o/d.id @provider=t @cbd
        apply
    )");
}

TEST(FuzzedLifecycles, TargetsPerformAllOfThePlan)
{
    expect_no_violation(R"(
        c @count=3 kind=x
        apply
        c @count=3 kind=y
        e p0=$c[1].id
        apply target=e
    )");
}

TEST(FuzzedLifecycles, AnInterruptedCreateIsTaintedIfItsDeclarationWasRemoved)
{
    expect_no_violation(R"(
        b @create=step0
        apply throws=create:b,done
        nothing
        apply fails=destroy:b
        b @create=step0
        apply
    )");
}

TEST(FuzzedLifecycles, ATerminalCancellationEndsAnApplyWhoseNextVerticesHaveNotStarted)
{
    expect_no_violation(R"(
        provider.q0
        h
        b1 p0=$h.size
        a1
        c1 p0=$a1.id @each=x,y,z
        module.p
        p/local.x4
        p/f p0=$p/local.x4 @provider=provider.q0 @count=3
        p/g p1=$p/f.stamp
        module.n
        n/output.o2
        apply seed=452587 type_limit=2 kill=2
    )");
}

TEST(FuzzedLifecycles, AnInterruptedActionWhoseFailuresAreWarningsIsAnError)
{
    expect_no_violation(R"(
        action.t0
        e @on_warn=before_create,before_destroy:action.t0
        apply throws=invoke:action.t0,done
    )");
}

TEST(FuzzedLifecycles, ADestroyDoesNotNeedTheActionsOfAnInstanceThatIsNoLongerDeclared)
{
    expect_no_violation(R"(
        module.m @count=2
        m/action.t1 of=$caller.kind
        m/c @count=1 @on_warn=after_destroy,before_create:m/action.t1
        apply
        module.m @each=x
        m/action.t1 of=$caller.kind
        m/c @count=1 @on_warn=after_destroy,before_create:m/action.t1
        destroy
    )");
}

TEST(FuzzedLifecycles, AnObjectToKeepIsKeptAfterAnInterruptedUpdate)
{
    expect_no_violation(R"(
        a size=1 @keep
        apply
        a size=2 @keep
        apply throws=update:a,done
        nothing
        apply
    )");
}

TEST(FuzzedLifecycles, AnActionThatNeedsAModuleWhichWaitsForItsCallerFormsNoCycle)
{
    expect_no_violation(R"(
        a @on=after_create:action.t6
        module.o @depends_on=a
        o/output.o3
        action.t6 p0=$o/output.o3
        apply
    )");
}

TEST(FuzzedLifecycles, AnActionAfterADestroyFormsNoCycleWithAnObjectThatItsProviderNeeds)
{
    expect_no_violation(R"(
        c
        apply fails=create:c,done
        a
        provider.q3 p0=$a.kind
        action.t4 @provider=provider.q3
        c @on=after_destroy,after_create:action.t4
        apply
    )");
}

TEST(FuzzedLifecycles, APlanDoesNotShowADestroyWhoseProviderDependsOnAnExcludedObject)
{
    expect_no_violation(R"(
        b1 @provider=provider.q2
        apply
        b
        d1 @each=y
        provider.q2 p0=$b.kind
        moved c1 d1
        moved b1 c1
        apply exclude=b
    )");
}

TEST(FuzzedLifecycles, AnApplyDoesNotEvaluateWhatDependsOnAnExcludedInstance)
{
    expect_no_violation(R"(
        a1 @count=2
        h size=2 p1=$a1[1].id
        g @count=$h.size
        apply exclude=a1[0]
    )");
}

TEST(FuzzedLifecycles, ADestroyEvaluatesWhatRefersToUnknownInstances)
{
    expect_no_violation(R"(
        a1
        apply
        a1 size=1
        module.m @each=$a1.stamp
        m/b
        m/module.o
        m/o/output.o3 =$m/b.kind
        destroy defer
    )");
}

TEST(FuzzedLifecycles, ADeposedObjectOfAnInstanceInAnUnknownModuleIsDestroyed)
{
    expect_no_violation(R"(
        module.n
        n/c
        apply
        module.n
        n/c kind=y @cbd
        apply rates=300,0,0,0@275095
        g
        module.n @each=$g.stamp
        n/c
        apply defer
    )");
}

TEST(FuzzedLifecycles, AnActionThatNeedsWhatItsPlanDefersMayBeAWarning)
{
    expect_no_violation(R"(
        a kind=x
        apply
        a size=3 kind=x @on_warn=after_update:action.t10
        f @each=$a.stamp
        action.t10 p0=$f.size
        apply defer
    )");
}

TEST(FuzzedLifecycles, ASecondActionIsNotInvokedIfThePlanOfItsChangeThrowsInTheApply)
{
    expect_no_violation(R"(
        d kind=x
        apply
        action.t2
        d size=1 kind=x @on_taint=before_update,after_destroy,after_create:action.t2,action.t2
        apply rates=0,150,0,100@982038
    )");
}

TEST(FuzzedLifecycles, ADependentDoesNotWaitForAnActionThatWaitsForAnotherWhichNeedsTheDependent)
{
    expect_no_violation(R"(
        a @on=after_create:action.t5,action.t5
        c p0=$a.stamp @on_warn=after_create:action.t6,action.t6
        action.t6 p0=$c.id
        e p0=$c.id
        action.t5 p0=$e.stamp
        apply
    )");
}

TEST(FuzzedLifecycles, AChangeThatDeterminesInstancesDoesNotWaitForADestructionThatWaitsForThem)
{
    expect_no_violation(R"(
        b
        apply
        c
        f p0=$c.id
        b @each=$f.stamp
        apply defer
        c @count=0
        f p0=$c.id
        b @each=$f.stamp
        apply defer
    )");
}

TEST(FuzzedLifecycles, AnActionBeforeADestroyFormsNoCycleWithAnObjectOfAnotherProviderThatItsProviderNeeds)
{
    expect_no_violation(R"(
        a
        apply
        c @provider=t
        provider.q6 p0=$c.size
        action.t7 @provider=provider.q6
        a kind=x @on=before_destroy,before_create:action.t7,action.t7
        apply
    )");
}

TEST(FuzzedLifecycles, AKeyThatAListContainsSeveralTimesIsOneInstance)
{
    expect_no_violation(R"(
        a @each=x,y,z
        apply
        a @each=x,y,z
        c kind=$a.stamp
        e @each=$c.kind
        apply
    )");
}

TEST(FuzzedLifecycles, ObjectsHaveNoOrderIfARefreshBeforeTheirDestroyAddsADependencyThatLeadsBack)
{
    expect_no_violation(R"(
        d size=2 kind=x @each=x
        a @on=after_create:action.t4,action.t4
        c p0=$a.stamp
        action.t4 p0=$d.id
        apply
        c size=1
        d size=2 kind=x @each=x @on=after_create,after_update:action.t6[0]
        action.t6 @count=$c.size
        destroy
    )");
}

TEST(FuzzedLifecycles, AReferenceDoesNotIncludeInstancesThatAreOnlyInState)
{
    expect_no_violation(R"(
        a size=2 kind=x
        b @count=$a.size
        apply
        g
        action.t2 @each=$g.kind
        moved a g
        moved b a
        refresh invoke=action.t2
    )");
}

}  // namespace
