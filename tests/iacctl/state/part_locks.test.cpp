// SPDX-License-Identifier: BSL-1.0
// Several processes change different parts of a state on one machine.
#include "operators.hpp"
#include "support.hpp"

#include "state/part_locks.hpp"
#include "state/record/commit_mark.hpp"
#include "state/record/local_backend.hpp"
#include "state/record/sqlite_database.hpp"
#include "state/record/workspace_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace iacctl::state::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

auto parts(std::vector<std::string> written, std::vector<std::string> read = {}) -> lock_request
{
    return {"apply", {}, {}, state_parts{std::move(written), std::move(read)}};
}

auto record_of(std::string const& name, std::string const& value) -> entry
{
    return entry::record(*infra::parse_address("terraform_data." + name), {}, some_object(value));
}

// A command with locks of parts, and the state that it has read.
class command {
public:
    command(fs::path const& configuration, std::vector<std::string> written)
        : in_(std::make_unique<local_backend>(configuration))
    {
        auto held = in_->lock("default", parts(std::move(written)));
        if (!held) throw std::runtime_error(error_text(held));
        held_ = std::move(*held);
        store_ = in_->open("default", open_mode::read_write);
        now_ = store_->read_now().value();
        if (!store_->begin_generation("apply")) throw std::runtime_error("no generation");
    }
    auto write(std::vector<entry> const& batch) -> expected<void>
    {
        for (entry const& e : batch) EXPECT_TRUE(replay(now_, e));
        return store_->append_now(batch, now_);
    }
    [[nodiscard]] auto store() -> state::store& { return *store_; }
    [[nodiscard]] auto now() -> infra::snapshot& { return now_; }

private:
    std::unique_ptr<local_backend> in_;
    std::unique_ptr<held_lock> held_;
    std::unique_ptr<state::store> store_;
    infra::snapshot now_;
};

auto names_in(infra::snapshot const& s) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& [target, _] : s.resources) all.push_back(to_string(target));
    return all;
}

void expect_sound(temporary_directory const& place)
{
    auto const found = sqlite_store(place.workspace(), open_mode::read_only).verify();
    ASSERT_TRUE(found) << error_text(found);
    EXPECT_TRUE(found->passed());
}

TEST(PartOfState, IsSharedByReadersAndExclusiveToAWriter)
{
    EXPECT_THAT(overlap({{"t.a", "t.b"}, {}}, {{"t.b", "t.c"}, {}}), ElementsAre("t.b"));
    EXPECT_THAT(overlap({{"t.a"}, {}}, {{}, {"t.a"}}), ElementsAre("t.a"));
    EXPECT_THAT(overlap({{}, {"t.a"}}, {{"t.a"}, {}}), ElementsAre("t.a"));
    EXPECT_THAT(overlap({{"t.a[0]"}, {"t.c"}}, {{"t.a[1]"}, {"t.c"}}), IsEmpty());
}

TEST(PartOfState, OfAResourceIncludesAllInstances)
{
    EXPECT_THAT(overlap({{"t.a[7]"}, {}}, {{}, {"t.a"}}), ElementsAre("t.a[7]"));
    EXPECT_THAT(overlap({{}, {"t.a"}}, {{"module.m.t.a[0]", "t.a[\"k\"]"}, {}}), ElementsAre("t.a[\"k\"]"));
}

TEST(PartOfState, HasANewVersionAfterEachChange)
{
    temporary_directory const place;
    local_backend const in(place.path());
    command writing(place.path(), {});
    ASSERT_TRUE(writing.write({record_of("a", "1"), record_of("many[0]", "1")}));
    auto const reading = in.open("default", open_mode::read_only);
    std::vector<std::string> const names{
        "terraform_data.a", "terraform_data.many", "terraform_data.many[0]", "output o"};
    ASSERT_TRUE(reading->read_now());
    auto const before = *reading->versions();
    EXPECT_EQ(reading->current_versions(names).value(), before);

    ASSERT_TRUE(writing.write(
        {record_of("many[1]", "1"), entry::output("o", {infra::document("1"), infra::document("\"number\""), false})}));

    auto const after = reading->current_versions(names).value();
    EXPECT_EQ(after.at("terraform_data.a"), before.at("terraform_data.a"));
    EXPECT_EQ(after.at("terraform_data.many[0]"), before.at("terraform_data.many[0]"));
    EXPECT_NE(after.at("terraform_data.many"), before.at("terraform_data.many")) << "there is one more";
    EXPECT_TRUE(after.contains("output o"));
    ASSERT_TRUE(writing.write({record_of("a", "2")}));
    ASSERT_TRUE(writing.write({record_of("a", "1")}));
    EXPECT_NE(reading->current_versions(names)->at("terraform_data.a"), before.at("terraform_data.a"));
}

TEST(PartLocks, ExcludeOverlappingPartsAndTheWholeWorkspace)
{
    temporary_directory const place;
    local_backend const ann(place.path());
    local_backend const bob(place.path());
    auto const held = ann.lock("default", parts({"terraform_data.a"}, {"terraform_data.b"}));
    ASSERT_TRUE(held) << error_text(held);

    auto const overlapping = bob.lock("default", parts({"terraform_data.b"}));
    auto const whole = bob.lock("default", {"state mv", {}, {}});
    auto const disjoint = bob.lock("default", parts({"terraform_data.c"}, {"terraform_data.b"}));

    EXPECT_THAT(codes_of(overlapping), ElementsAre("state_parts_locked"));
    EXPECT_EQ(exit_code_of(overlapping.error()), 3);
    std::string const text = error_text(overlapping);
    for (std::string const& part : {std::string("  - terraform_data.b\n"), std::string("Operation: apply"),
             std::to_string(::getpid()), std::string("Started:   2")})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(codes_of(whole), ElementsAre("state_locked"));
    EXPECT_THAT(error_text(whole), HasSubstr("Operation: apply"));
    EXPECT_TRUE(disjoint) << error_text(disjoint);
    auto const listed = local_backend(place.path()).locks("default");
    ASSERT_EQ(listed->size(), 2U);
    lock_description const& of_ann =
        listed->front().written == std::vector<std::string>{"terraform_data.a"} ? listed->front() : listed->back();
    EXPECT_FALSE(of_ann.of_workspace);
    EXPECT_THAT(of_ann.written, ElementsAre("terraform_data.a"));
    EXPECT_THAT(of_ann.read, ElementsAre("terraform_data.b"));
}

TEST(PartLocks, AreExcludedByTheWholeWorkspace)
{
    temporary_directory const place;
    local_backend const ann(place.path());
    {
        auto const held = ann.lock("default", {"state mv", {}, {}});
        ASSERT_TRUE(held) << error_text(held);
        auto const refused = local_backend(place.path()).lock("default", parts({}));
        EXPECT_THAT(codes_of(refused), ElementsAre("state_locked"));
        EXPECT_THAT(error_text(refused), HasSubstr("Operation: state mv"));
    }
    EXPECT_TRUE(local_backend(place.path()).lock("default", parts({})));
}

TEST(PartLocks, AreUnchangedIfFurtherLocksAreRejected)
{
    temporary_directory const place;
    local_backend const ann(place.path());
    local_backend const bob(place.path());
    auto const of_ann = ann.lock("default", parts({"terraform_data.a"}));
    auto const of_bob = bob.lock("default", parts({"terraform_data.b"}));
    ASSERT_TRUE(of_ann && of_bob);

    auto const parts_refused = (*of_bob)->exchange(parts({"terraform_data.a"}));
    auto const whole_refused = (*of_bob)->exchange({"apply", {}, {}});

    EXPECT_FALSE(parts_refused || whole_refused);
    EXPECT_TRUE((*of_ann)->exchange(parts({"terraform_data.c"})));
    EXPECT_THAT(codes_of(local_backend(place.path()).lock("default", parts({"terraform_data.b"}))),
        ElementsAre("state_parts_locked"));
    EXPECT_TRUE((*of_bob)->exchange(parts({"terraform_data.a"}))) << "the others have let go of it";
}

TEST(PartLocks, AreComparedWithoutBeingTakenForACommandThatOnlyReads)
{
    temporary_directory const place;
    local_backend const ann(place.path());
    local_backend const bob(place.path());
    auto const of_ann = ann.lock("default", parts({}));
    ASSERT_TRUE(of_ann) << error_text(of_ann);
    int calls = 0;
    auto const reads = [&calls](std::string name) {
        return [&calls, name = std::move(name)] {
            ++calls;
            return state_parts{{}, {name}};
        };
    };

    EXPECT_TRUE((*of_ann)->check({"plan", {}, {}}, reads("terraform_data.a")));
    EXPECT_EQ(calls, 0) << "no other process holds locks";

    auto const of_bob = bob.lock("default", parts({"terraform_data.a"}));
    ASSERT_TRUE(of_bob) << "the check has locked nothing: " << error_text(of_bob);
    EXPECT_TRUE((*of_ann)->check({"plan", {}, {}}, reads("terraform_data.b")));
    auto const refused = (*of_ann)->check({"plan", {}, {}}, reads("terraform_data.a"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why().front().code, "state_parts_locked");
    EXPECT_THAT(refused.error().why().front().detail, HasSubstr("terraform_data.a"));
    EXPECT_EQ(calls, 2);
}

TEST(PartLocks, EndWithTheirProcess)
{
    temporary_directory const place;
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    pid_t const child = ::fork();
    if (child == 0) {
        local_backend const in(place.path());
        auto const held = in.lock("default", parts({"terraform_data.a"}));
        if (!held || ::write(channel[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(channel[0], &ready, 1), 1);
    auto const while_alive = local_backend(place.path()).lock("default", parts({"terraform_data.a"}));

    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    EXPECT_THAT(error_text(while_alive), HasSubstr(std::to_string(child) + " (alive)"));
    EXPECT_TRUE(local_backend(place.path()).locks("default")->empty());
    {
        auto const afterwards = local_backend(place.path()).lock("default", parts({"terraform_data.a"}));
        EXPECT_TRUE(afterwards) << error_text(afterwards);
        auto const files = std::distance(fs::directory_iterator(place.workspace() / "locks"), {});
        EXPECT_EQ(files, 2) << "the mutex and the description of the holder: that of the dead one is gone";
    }
    auto const whole = local_backend(place.path()).lock("default", {"state mv", {}, {}});
    EXPECT_TRUE(whole) << error_text(whole);
    ::close(channel[0]);
    ::close(channel[1]);
}

TEST(PartLocks, ReportAProcessThatIsSuspendedInItsTransaction)
{
    temporary_directory const place;
    local_backend const in(place.path());
    auto const held = in.lock("default", parts({"terraform_data.a"}));
    ASSERT_TRUE(held) << error_text(held);
    auto const store = in.open("default", open_mode::read_write);
    auto s = store->read_now().value();
    auto const write = [&] {
        auto const e = infra::journal_entry::record(*infra::parse_address("terraform_data.a"), {}, some_object("x"));
        EXPECT_TRUE(replay(s, e));
        auto const saved = store->append_now(std::vector{e}, s);
        s.lineage = store->lineage();
        return saved;
    };
    ASSERT_TRUE(write());
    pid_t const child = ::fork();
    if (child == 0) {
        sqlite_database db(place.workspace() / "state.db", open_mode::read_write);
        transaction const writing(db, database::purpose::writing);
        ::raise(SIGSTOP);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));

    auto const begun = std::chrono::steady_clock::now();
    bool const is_refused = !write();
    auto const waited = std::chrono::steady_clock::now() - begun;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    ASSERT_TRUE(is_refused);
    EXPECT_LT(waited, std::chrono::seconds(30));
    EXPECT_EQ(exit_code_of(store->condition().error()), 5);
    EXPECT_THAT(
        error_text(store->condition().error()), HasSubstr("process " + std::to_string(child) + ", which is suspended"));
}

TEST(PartLocks, AreRefusedBesideADescriptionThatCannotBeOpened)
{
    temporary_directory const place;
    {
        auto const made = local_backend(place.path()).lock("default", parts({"terraform_data.a"}));
        ASSERT_TRUE(made) << error_text(made);
    }
    fs::create_symlink("elsewhere", place.workspace() / "locks" / "unknown");

    auto const refused = local_backend(place.path()).lock("default", parts({"terraform_data.a"}));

    EXPECT_THAT(codes_of(refused), ElementsAre("state_unreadable")) << "nobody knows which parts it locks";
}

TEST(PartLocks, LeaveNoDescriptionOfEarlierParts)
{
    temporary_directory const place;
    auto const descriptions = [&] {
        std::size_t count = 0;
        for (auto const& file : fs::directory_iterator(place.workspace() / "locks"))
            if (file.path().filename() != "mutex") ++count;
        return count;
    };
    {
        auto const held = local_backend(place.path()).lock("default", parts({"terraform_data.a"}));
        ASSERT_TRUE(held) << error_text(held);
        ASSERT_TRUE((*held)->exchange(parts({"terraform_data.b"})));

        EXPECT_EQ(descriptions(), 1U);
    }
    EXPECT_EQ(descriptions(), 0U);
}

TEST(PartLocks, LockTheWorkspaceIfPartsCannotBeDescribed)
{
    temporary_directory const place;
    local_backend const in(place.path());
    ASSERT_TRUE(in.make("default"));
    write_text(place.workspace() / "locks", "no directory");

    auto const held = in.lock("default", parts({"terraform_data.a"}));

    ASSERT_TRUE(held) << error_text(held);
    auto const listed = local_backend(place.path()).locks("default");
    ASSERT_EQ(listed->size(), 1U);
    EXPECT_TRUE(listed->front().of_workspace);
}

TEST(SharedStore, ReadsWritesOfOtherProcesses)
{
    temporary_directory const place;
    command ann(place.path(), {"terraform_data.a", "terraform_data.b"});
    command bob(place.path(), {"terraform_data.x", "terraform_data.y"});
    infra::object with_sets = some_object("y");
    with_sets.dependencies =
        infra::dependency_set({"t.o"}, {infra::dependency_set({"t.p"}, {infra::dependency_set({"t.q"}, {})})});

    ASSERT_EQ(error_text(ann.write({record_of("a", "1")})), "");
    ASSERT_EQ(error_text(bob.write({record_of("x", "1")})), "");
    infra::object same_sets = with_sets;
    ASSERT_TRUE(ann.write({entry::record(*infra::parse_address("terraform_data.b"), {}, std::move(with_sets))}));
    ASSERT_TRUE(bob.write({entry::record(*infra::parse_address("terraform_data.y"), {}, std::move(same_sets))}));
    ASSERT_TRUE(ann.write({entry::remove(*infra::parse_address("terraform_data.a"), {})}));
    ASSERT_TRUE(ann.store().end_generation("complete"));
    ASSERT_TRUE(bob.write({record_of("x", "2")}));
    ASSERT_TRUE(bob.store().end_generation("complete"));

    auto const now = read_only(place.workspace());
    ASSERT_TRUE(now) << error_text(now);
    EXPECT_THAT(names_in(*now), ElementsAre("terraform_data.b", "terraform_data.x", "terraform_data.y"));
    EXPECT_EQ(now->find(*infra::parse_address("terraform_data.x"))->current->attributes.text(), "{\"id\":\"2\"}");
    EXPECT_EQ(now->serial, 6U);
    expect_sound(place);
    sqlite_store reading(place.workspace(), open_mode::read_only);
    EXPECT_EQ(reading.read_at(6).value(), *now) << "the history leads there";
    auto const entries = reading.entries_after(0);
    std::vector<std::int64_t> generations;
    for (auto const& e : *entries) generations.push_back(e.generation);
    EXPECT_THAT(generations, ElementsAre(1, 2, 1, 2, 1, 2));
}

TEST(SharedStore, KeepsRowsThatAnotherCommandHasJustDestroyed)
{
    temporary_directory const place;
    {
        command first(place.path(), {"terraform_data.a", "terraform_data.x"});
        ASSERT_TRUE(first.write({record_of("a", "1"), record_of("x", "1")}));
        ASSERT_TRUE(first.store().end_generation("complete"));
    }
    command ann(place.path(), {"terraform_data.a"});
    command bob(place.path(), {"terraform_data.x"});
    ASSERT_TRUE(ann.write({entry::remove(*infra::parse_address("terraform_data.a"), {})}));

    ASSERT_TRUE(bob.write({record_of("x", "2")}));
    ASSERT_TRUE(bob.store().end_generation("complete"));
    ASSERT_TRUE(ann.write({record_of("a", "2")}));
    ASSERT_TRUE(ann.store().end_generation("complete"));

    EXPECT_THAT(names_in(*read_only(place.workspace())), ElementsAre("terraform_data.a", "terraform_data.x"));
    expect_sound(place);
}

TEST(SharedStore, StoresASetOfDependenciesOnceForAllCommands)
{
    temporary_directory const place;
    command ann(place.path(), {"terraform_data.a"});
    command bob(place.path(), {"terraform_data.x"});
    infra::object o = some_object("1");
    o.dependencies = infra::dependency_set({"t.o"}, {infra::dependency_set({"t.p"}, {infra::dependency_set({"t.q"})})});
    auto const with_sets = [&](char const* name) { return entry::record(*infra::parse_address(name), {}, o); };

    ASSERT_EQ(error_text(ann.write({with_sets("terraform_data.a")})), "");
    int const before = number_of(place.database(), "SELECT count(*) FROM dependency_set");
    ASSERT_EQ(error_text(bob.write({with_sets("terraform_data.x")})), "");

    EXPECT_GT(before, 0);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM dependency_set"), before);
    expect_sound(place);
}

TEST(SharedStore, RejectsAnAddressThatAnotherProcessHasWritten)
{
    temporary_directory const place;
    command ann(place.path(), {"terraform_data.a"});
    local_backend const without_lock(place.path());
    auto const rogue = without_lock.open("default", open_mode::read_write);
    auto now = rogue->read_now();
    ASSERT_TRUE(replay(*now, record_of("a", "rogue")));
    ASSERT_TRUE(rogue->append_now(std::vector{record_of("a", "rogue")}, *now));

    auto const refused = ann.write({record_of("a", "mine")});

    EXPECT_EQ(kind_of_result(refused), state_error::overtaken);
    EXPECT_EQ(read_only(place.workspace())->find(*infra::parse_address("terraform_data.a"))->current->attributes.text(),
        "{\"id\":\"rogue\"}");
}

TEST(SharedStore, NumbersARescueCopySoThatItReplacesNoOtherState)
{
    temporary_directory const place;
    command ann(place.path(), {"terraform_data.a"});
    command bob(place.path(), {"terraform_data.x"});
    ASSERT_TRUE(bob.write({record_of("x", "1")}));
    ASSERT_TRUE(bob.write({record_of("x", "2")}));
    ASSERT_TRUE(ann.write({record_of("a", "1")}));

    EXPECT_EQ(ann.store().saved_serial(), 1U) << "the copy has the next one, and state has 3";
    EXPECT_EQ(read_only(place.workspace())->serial, 3U);
}

TEST(SharedStore, NotesTheLastCommitOfAnyProcess)
{
    temporary_directory const place;
    command ann(place.path(), {"terraform_data.a"});
    command bob(place.path(), {"terraform_data.x"});
    ASSERT_TRUE(ann.write({record_of("a", "1")}));
    ASSERT_TRUE(bob.write({record_of("x", "1")}));
    fs::path const file = place.workspace() / "state.db-mark";
    auto const last = commit_mark::read(file).value();

    // The mark of an earlier commit is written late.
    commit_mark late;
    ASSERT_FALSE(late.open(file));
    ASSERT_FALSE(late.raise({1, 1}));

    EXPECT_EQ(last, (commit_point{2, 2}));
    EXPECT_EQ(commit_mark::read(file).value(), last);
}

TEST(SharedStore, SerializesOperators)
{
    char const* const wanted = std::getenv("IACCTL_HISTORIES");
    int const histories = wanted == nullptr ? 50 : std::atoi(wanted);
    std::random_device device;
    auto const seed = device();
    SCOPED_TRACE("seed " + std::to_string(seed));
    int refused = 0;
    for (int i = 0; i < histories; ++i) {
        temporary_directory const place(fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path());
        operators all([&] { return std::make_unique<local_backend>(place.path()); }, [](store&) {}, "default",
            seed + static_cast<unsigned>(i));
        ASSERT_EQ(all.run(3, 3), "") << "history " << i;
        auto const now = read_only(place.workspace());
        ASSERT_TRUE(now) << error_text(now);
        ASSERT_EQ(operators::values_of(*now), all.serial_result()) << "history " << i;
        expect_sound(place);
        refused += all.refused();
    }
    EXPECT_GT(refused, 0) << "the commands did not overlap";
}

}  // namespace
}  // namespace iacctl::state::test
