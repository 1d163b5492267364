// SPDX-License-Identifier: BSL-1.0
// Lifecycles that broke a law once, as the fuzzer shrank them.
#include <fuzz/expect_lawful.hpp>

#include <gtest/gtest.h>

namespace {

using strider::test::expect_lawful;

TEST(FuzzedLifecycles, AnUpdateThatTurnsOutToChangeNothingRecordsTheDependenciesOfTheProgram)
{
    expect_lawful(R"(
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
    expect_lawful(R"(
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
    expect_lawful(R"(
        module.m @count=2
        m/b
        apply
        module.m
        m/b
        m/c p0=$m/b.size
        apply target=m/c[0]
    )");
}

TEST(FuzzedLifecycles, AfterACancellationAProvisionerThatMayFailStillHasToRun)
{
    expect_lawful(R"(
        a @create?=step0 @create=step1
        b @create?=step0 @create=step1
        c @create?=step0
        apply kill=2
        apply stop=1
    )");
}

}  // namespace
