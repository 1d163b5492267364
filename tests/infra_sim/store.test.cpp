// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/sim/store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace strider::infra;
using strider::infra::sim::durable_state;

auto an_entry(std::string const& name) -> journal_entry
{
    object o;
    o.attributes = document(name);
    o.provider = "p";
    return journal_entry::record(address("t", name), {}, o);
}

TEST(DurableState, ReproducesTheStateAfterEveryEntry)
{
    durable_state kept;
    ASSERT_TRUE(kept.append(std::vector{an_entry("a"), an_entry("b")}));
    ASSERT_TRUE(kept.append(std::vector{an_entry("c")}));

    EXPECT_EQ(kept.after(0).value(), snapshot());
    EXPECT_EQ(kept.after(1).value().resources.size(), 1U);
    EXPECT_EQ(kept.after(3).value(), kept.now());
    EXPECT_EQ(kept.batches().size(), 2U);
    EXPECT_EQ(kept.entries().size(), 3U);
}

TEST(DurableState, AppliesABatchAtomically)
{
    durable_state kept;

    EXPECT_FALSE(kept.append(std::vector{an_entry("a"), journal_entry::remove(address("t", "nobody"), {})}));

    EXPECT_EQ(kept.now(), snapshot());
    EXPECT_TRUE(kept.batches().empty());
}

TEST(DurableState, SetsTheLineageOfANewStateOnce)
{
    durable_state kept;
    ASSERT_TRUE(kept.append(std::vector{an_entry("a")}));
    auto const lineage = kept.now().lineage;

    ASSERT_TRUE(kept.append(std::vector{an_entry("b")}));

    EXPECT_FALSE(lineage.empty());
    EXPECT_EQ(kept.now().lineage, lineage);
    EXPECT_TRUE(verify_integrity(kept.now()).empty());
}

}  // namespace
