// SPDX-License-Identifier: BSL-1.0
// An object that exists and whose create operation continues.
#include "support.hpp"

#include "state/document/state_v4.hpp"
#include "state/record/workspace_lock.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace iacctl::state::test {

namespace {

auto half_made() -> infra::object
{
    infra::object o = some_object("1");
    o.tainted = true;
    o.unfinished = true;
    return o;
}

}  // namespace

TEST(UnfinishedObject, IsReadWithItsPendingOperation)
{
    temporary_directory const place;
    infra::address const target("t", "a");
    auto const operation = some_operation("create-a", infra::operation_kind::create, target);
    std::vector<entry> const entries{entry::begin(operation), entry::record(target, {}, half_made())};
    infra::snapshot after;
    for (entry const& e : entries) ASSERT_TRUE(replay(after, e).has_value());
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store) << error_text(store);

    ASSERT_TRUE(store->append_now(entries, after));

    auto const read = sqlite_store::open(place.workspace(), open_mode::read_only)->read_now();
    ASSERT_TRUE(read) << error_text(read);
    EXPECT_EQ(read->resources, after.resources);
    EXPECT_EQ(read->pending, after.pending);
    auto const history = store->entries_after(0);
    ASSERT_TRUE(history) << error_text(history);
    EXPECT_EQ(history->back().entry, entries.back());
}

TEST(UnfinishedObject, IsPreservedInTheFormatOfTerraform)
{
    infra::snapshot s;
    s.lineage = "here";
    s.resources[infra::address("t", "a")].current = half_made();
    s.resources[infra::address("t", "b")].current = some_object("2");

    auto const read = from_v4(to_v4(s, "1.11.4"));

    ASSERT_TRUE(read) << error_text(read);
    EXPECT_TRUE(read->find(infra::address("t", "a"))->current->unfinished);
    EXPECT_FALSE(read->find(infra::address("t", "b"))->current->unfinished);
}

TEST(UnfinishedObject, ThatIsNotTaintedIsFinished)
{
    infra::snapshot s;
    s.lineage = "here";
    s.resources[infra::address("t", "a")].current = half_made();
    std::string text = to_v4(s, "1.11.4");
    std::string const status = "\"status\": \"tainted\",";
    text.erase(text.find(status), status.size());

    auto const read = from_v4(text);

    ASSERT_TRUE(read) << error_text(read);
    EXPECT_FALSE(read->find(infra::address("t", "a"))->current->unfinished);
}

TEST(WorkspaceLock, IsVisibleToOtherProcesses)
{
    temporary_directory const place;
    EXPECT_FALSE(is_locked(place.workspace()));
    {
        auto const held = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
        ASSERT_TRUE(held) << error_text(held);
        EXPECT_TRUE(is_locked(place.workspace()));
    }
    EXPECT_FALSE(is_locked(place.workspace()));
}

}  // namespace iacctl::state::test
