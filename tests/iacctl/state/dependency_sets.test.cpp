// SPDX-License-Identifier: BSL-1.0
// The sets of dependencies that objects of a state share.
#include "support.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state::test {

TEST(SqliteStore, KeepsEachSetOfDependenciesOnceAndListsItsEdges)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    infra::snapshot s;
    infra::dependency_set last({"terraform_data.first"});
    for (int i = 0; i < 4; ++i) {
        std::string const name = "n" + std::to_string(i);
        infra::object o = some_object(name);
        o.dependencies = last;
        std::vector<entry> const batch{entry::record(infra::address("terraform_data", name), {}, o),
            entry::record(infra::address("terraform_data", name + "_too"), {}, o)};
        for (entry const& e : batch) ASSERT_TRUE(replay(s, e));
        ASSERT_TRUE(store->append_now(batch, s));
        last = infra::dependency_set({"terraform_data." + name}, {last});
    }
    s.lineage = store->lineage();

    auto const state = read_only(place.workspace());

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(*state, s);
    EXPECT_EQ(state->find(infra::address("terraform_data", "n3"))->current->dependencies.id(),
        s.find(infra::address("terraform_data", "n3"))->current->dependencies.id());
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM dependency_set"), 3);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM edge WHERE dependent = 'terraform_data.n3'"), 4);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM edge"), 2 * (1 + 2 + 3 + 4));
}

TEST(SqliteStore, RejectsADamagedOrMissingSetOfDependencies)
{
    for (char const* const damage : {"DELETE FROM dependency_set", "UPDATE dependency_set SET position = position + 9",
             "UPDATE dependency_set SET document = replace(document, 'n1', 'n7') WHERE position = 2",
             "UPDATE dependency_set SET id = replace(id, substr(id, 1, 1), 'x') WHERE position = 1"}) {
        SCOPED_TRACE(damage);
        temporary_directory const place;
        infra::snapshot s;
        {
            auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
            infra::dependency_set last({"terraform_data.first"});
            for (int i = 0; i < 3; ++i) {
                infra::object o = some_object("x");
                o.dependencies = last;
                std::vector<entry> const batch{
                    entry::record(infra::address("terraform_data", "n" + std::to_string(i)), {}, o)};
                ASSERT_TRUE(replay(s, batch.front()));
                ASSERT_TRUE(store->append_now(batch, s));
                last = infra::dependency_set({"terraform_data.n" + std::to_string(i)}, {last});
            }
        }
        execute(place.database(), damage);

        bool const harmless = std::string_view(damage).find("position + 9") != std::string_view::npos;
        EXPECT_EQ(static_cast<bool>(read_only(place.workspace())), harmless);
    }
}

TEST(SqliteStore, WritesNothingBesideADamagedSetOfDependencies)
{
    temporary_directory const place;
    infra::snapshot s;
    infra::object o = some_object("a");
    o.dependencies = infra::dependency_set({"terraform_data.b"}, {infra::dependency_set({"terraform_data.c"})});
    std::vector<entry> const batch{entry::record(infra::address("terraform_data", "a"), {}, o)};
    ASSERT_TRUE(replay(s, batch.front()));
    ASSERT_TRUE(sqlite_store::open(place.workspace(), open_mode::read_write)->append_now(batch, s));
    execute(place.database(), "UPDATE dependency_set SET document = replace(document, '_data.b', '_data.x')");

    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);

    EXPECT_EQ(kind_of_result(store->append_now(batch, s)), state_error::damaged);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM entry"), 1);
}

TEST(SqliteStore, RemovesSetsOfDependenciesThatNothingRefersTo)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    store->set_retention_policy({1, -1000});
    infra::dependency_set const in_use({"terraform_data.c"}, {infra::dependency_set({"terraform_data.d"})});
    infra::snapshot s;
    for (int i = 0; i < 75; ++i) {
        ASSERT_TRUE(store->begin_generation("apply"));
        infra::object o = some_object("a");
        o.dependencies = infra::dependency_set(
            {"terraform_data.b"}, {infra::dependency_set({"terraform_data.n" + std::to_string(i)}), in_use});
        std::vector<entry> const batch{entry::record(infra::address("terraform_data", "a"), {}, o)};
        ASSERT_TRUE(replay(s, batch.front()));
        ASSERT_EQ(error_text(store->append_now(batch, s)), "");
        s.lineage = store->lineage();
        ASSERT_TRUE(store->end_generation("ok"));
    }

    auto const state = read_only(place.workspace());

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(*state, s);
    EXPECT_LT(number_of(place.database(), "SELECT count(*) FROM dependency_set"), 20);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) - count(DISTINCT id) FROM dependency_set"), 0)
        << "a set that is in use is neither removed nor added again";
}

TEST(SqliteStore, RemovesThousandsOfSetsOfDependenciesAtOnce)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    store->set_retention_policy({1, -1000});
    infra::snapshot s;
    for (int const sets : {2100, 1}) {
        ASSERT_TRUE(store->begin_generation("apply"));
        std::vector<entry> batch;
        for (int i = 0; i < sets; ++i) {
            infra::object o = some_object("a");
            o.dependencies = infra::dependency_set(
                {"terraform_data.b"}, {infra::dependency_set({"terraform_data.n" + std::to_string(sets + i)})});
            batch.push_back(entry::record(infra::address("terraform_data", "a"), {}, o));
            ASSERT_TRUE(replay(s, batch.back()));
        }
        ASSERT_EQ(error_text(store->append_now(batch, s)), "");
        s.lineage = store->lineage();
        ASSERT_TRUE(store->end_generation("ok"));
    }

    auto const state = read_only(place.workspace());

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(*state, s);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM dependency_set"), 1);
}

TEST(SqliteStore, RemovesNoSetsOfDependenciesBesideADamagedEntry)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    std::vector<entry> batch;
    infra::snapshot s;
    for (int i = 0; i < 80; ++i) {
        infra::object o = some_object("a");
        o.dependencies = infra::dependency_set(
            {"terraform_data.b"}, {infra::dependency_set({"terraform_data.n" + std::to_string(i)})});
        batch.push_back(entry::record(infra::address("terraform_data", "a"), {}, o));
        ASSERT_TRUE(replay(s, batch.back()));
    }
    ASSERT_EQ(error_text(store->append_now(batch, s)), "");
    execute(place.database(), "UPDATE entry SET document = '{}' WHERE sequence = 1");

    ASSERT_TRUE(store->end_generation("ok"));

    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM dependency_set"), 80)
        << "nobody knows which sets the entry needs";
}

}  // namespace iacctl::state::test
