// SPDX-License-Identifier: BSL-1.0
// State in PostgreSQL tables: sessions, locks of parts, appends that are performed exactly once.
#include "pg_native.hpp"

#include "state/backends/pg_native_backend.hpp"
#include "state/backends/pg_native_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace iacctl::backends::test {
namespace {

using namespace std::chrono_literals;
using state::open_mode;
using state::state_parts;
using state::test::codes_of;
using state::test::error_text;
using state::test::some_object;
using state::test::some_operation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(PgNative, IsEmptyBeforeTheFirstAppend)
{
    auto const in = backend();
    EXPECT_EQ(now(), infra::snapshot());
    EXPECT_FALSE(in.exists("default").value());
    EXPECT_THAT(in.workspaces().value(), ElementsAre("default"));

    auto const held = in.lock("default", request({}));
    ASSERT_TRUE(held) << error_text(held);
    EXPECT_FALSE(in.exists("default").value()) << "a lock is no state";
}

TEST_F(PgNative, ReadsAppendedEntries)
{
    auto const seed = testing::UnitTest::GetInstance()->random_seed();
    for (int history = 0; history < 8; ++history) {
        state::test::random_history random(
            static_cast<std::uint64_t>(seed * 100 + history), state::test::random_history::texts::unicode);
        std::string const workspace = "w" + std::to_string(history);
        auto const in = backend();
        auto const held = in.lock(workspace, {"apply", {}, {}});
        ASSERT_TRUE(held) << error_text(held);
        auto const store = in.open(workspace, open_mode::read_write);
        ASSERT_TRUE(store->read_now());
        ASSERT_TRUE(store->begin_generation("apply"));
        for (int i = 0; i < 40; ++i) {
            auto const batch = random.batch(5);
            ASSERT_EQ(error_text(store->append_now(batch, random.model())), "");
            random.model().lineage = store->lineage();
            if (i % 8 != 0) continue;
            auto const there = backend().open(workspace, open_mode::read_only)->read_now();
            ASSERT_TRUE(there) << "seed " << seed << '\n' << error_text(there);
            ASSERT_EQ(*there, random.model()) << "seed " << seed << ", history " << history << ", step " << i;
        }
        ASSERT_TRUE(store->end_generation("complete"));
    }
}

TEST_F(PgNative, AssignsANewVersionToEachChangeOfAPart)
{
    create_alone("a");
    create_alone("b");
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    auto s = read(*store);
    auto const before = *store->versions();
    ASSERT_EQ(before.size(), 2U);

    auto const begun = infra::journal_entry::begin(some_operation("u", infra::operation_kind::update, instance("a")));
    ASSERT_TRUE(replay(s, begun));
    ASSERT_TRUE(store->append_now(std::vector{begun}, s));
    (void)read(*store);
    auto const during = *store->versions();
    EXPECT_NE(during.at("terraform_data.a"), before.at("terraform_data.a")) << "an operation is under way";
    EXPECT_EQ(during.at("terraform_data.b"), before.at("terraform_data.b"));

    auto const ended = infra::journal_entry::end(begun.operation(), some_object("other"), false);
    ASSERT_TRUE(replay(s, ended));
    ASSERT_TRUE(store->append_now(std::vector{ended}, s));
    auto const output = infra::journal_entry::output("o", {infra::document("1"), infra::document("\"number\""), false});
    ASSERT_TRUE(replay(s, output));
    ASSERT_TRUE(store->append_now(std::vector{output}, s));
    (void)read(*store);
    EXPECT_NE(store->versions()->at("terraform_data.a"), during.at("terraform_data.a"));
    EXPECT_TRUE(store->versions()->contains(state_parts::name_of_output("o")));
}

TEST_F(PgNative, HasEdgesAsAView)
{
    auto const in = backend();
    auto const store = in.open("default", open_mode::read_write);
    auto s = read(*store);
    infra::object top = some_object("top");
    infra::dependency_set const middle(std::vector<std::string>{"type.a"}, {});
    top.dependencies = infra::dependency_set({"type.b"}, {infra::dependency_set({"type.c"}, {middle})});
    auto const e = infra::journal_entry::record(instance("top"), {}, top);
    ASSERT_TRUE(replay(s, e));
    ASSERT_EQ(error_text(store->append_now(std::vector{e}, s)), "");

    EXPECT_EQ(
        sql("SELECT string_agg(dependency, ' ' ORDER BY dependency) FROM edge WHERE dependent = 'terraform_data.top'"),
        "type.a type.b type.c");
}

TEST_F(PgNative, StoresCommandsAndTheirEntries)
{
    create_alone("a");
    create_alone("b");
    auto const store = backend().open("default", open_mode::read_only);

    auto const commands = store->generations();
    auto const entries = store->entries_after(0);

    ASSERT_TRUE(commands) << error_text(commands);
    ASSERT_EQ(commands->size(), 2U);
    EXPECT_EQ(commands->back().command, "apply");
    EXPECT_EQ(commands->back().result, "complete");
    EXPECT_TRUE(commands->back().ended);
    EXPECT_EQ(commands->back().serial, 2);
    ASSERT_TRUE(entries) << error_text(entries);
    ASSERT_EQ(entries->size(), 4U);
    infra::snapshot s;
    for (auto const& e : *entries) EXPECT_TRUE(replay(s, e.entry));
    s.lineage = now().lineage;
    EXPECT_EQ(s, now());
    auto const later = store->entries_after(commands->back().sequence);
    ASSERT_TRUE(later) << error_text(later);
    EXPECT_EQ(later->size(), 2U);
    EXPECT_EQ(later->front().generation, commands->back().number);

    sql("UPDATE entry SET document = replace(document, 'a', 'x')");
    EXPECT_THAT(codes_of(store->entries_after(0)), ElementsAre("state_history_damaged"));
}

TEST_F(PgNative, DetectsDamage)
{
    create_alone("a");
    create_alone("b");
    sql("UPDATE resource SET attributes = replace(attributes, 'a', 'x') WHERE address = 'terraform_data.a'");

    auto const damaged = backend().open("default", open_mode::read_only)->read_now();

    EXPECT_THAT(codes_of(damaged), ElementsAre("state_damaged"));
    EXPECT_THAT(error_text(damaged), HasSubstr("terraform_data.a"));
}

TEST_F(PgNative, LetsTwoCommandsChangeDifferentPartsAtTheSameTime)
{
    create_alone("base");
    auto const one = backend();
    auto const two = backend();
    auto const lock_one = one.lock("default", request({"terraform_data.a"}, {"terraform_data.base"}));
    auto const lock_two = two.lock("default", request({"terraform_data.b"}, {"terraform_data.base"}));
    ASSERT_TRUE(lock_one) << error_text(lock_one);
    ASSERT_TRUE(lock_two) << error_text(lock_two);
    auto const store_one = one.open("default", open_mode::read_write);
    auto const store_two = two.open("default", open_mode::read_write);
    auto const start_one = read(*store_one);
    auto const start_two = read(*store_two);
    ASSERT_TRUE(store_one->begin_generation("apply"));
    ASSERT_TRUE(store_two->begin_generation("apply"));

    (void)create(*store_one, start_one, "a");
    (void)create(*store_two, start_two, "b");

    EXPECT_THAT(names(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.base"));
    EXPECT_EQ(now().serial, start_one.serial + 2);
    EXPECT_TRUE(store_one->end_generation("complete"));
    EXPECT_TRUE(store_two->end_generation("complete"));
    EXPECT_EQ(sql("SELECT count(*) FROM generation WHERE ended IS NOT NULL"), "3");
}

TEST_F(PgNative, RejectsAnOverlapAndNamesHolderAndParts)
{
    auto const one = backend();
    auto const held = one.lock("default", request({"terraform_data.a", "terraform_data.b"}, {"terraform_data.c"}));
    ASSERT_TRUE(held) << error_text(held);

    auto const both_write = backend().lock("default", request({"terraform_data.b"}));
    auto const reads_written = backend().lock("default", request({}, {"terraform_data.a"}));
    auto const writes_read = backend().lock("default", request({"terraform_data.c"}));
    auto const whole = backend().lock("default", {"state mv", {}, {}});

    for (auto const* const refused : {&both_write, &reads_written, &writes_read})
        EXPECT_THAT(codes_of(*refused), ElementsAre("parts_locked"));
    EXPECT_EQ(state::test::exit_code_of(both_write.error()), 3);
    EXPECT_THAT(error_text(both_write), HasSubstr("- terraform_data.b"));
    EXPECT_THAT(error_text(both_write), Not(HasSubstr("- terraform_data.a")));
    EXPECT_THAT(error_text(both_write), HasSubstr("@"));
    EXPECT_THAT(error_text(both_write), HasSubstr("OperationTypeApply"));
    EXPECT_THAT(codes_of(whole), ElementsAre("remote_state_locked"));
    EXPECT_TRUE(backend().lock("default", request({"terraform_data.d"}, {"terraform_data.c"})));

    auto const listed = backend().locks("default").value();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_THAT(listed.front().written, ElementsAre("terraform_data.a", "terraform_data.b"));
    EXPECT_THAT(listed.front().read, ElementsAre("terraform_data.c"));
    EXPECT_FALSE(listed.front().of_workspace);
}

TEST_F(PgNative, RejectsAllAccessToALockedWorkspace)
{
    auto const one = backend();
    auto const held = one.lock("default", {"state push", {}, {}});
    ASSERT_TRUE(held) << error_text(held);

    EXPECT_THAT(codes_of(backend().lock("default", request({}))), ElementsAre("remote_state_locked"));
    EXPECT_TRUE(backend().lock("blue", request({})));
}

TEST_F(PgNative, ExchangesTheLocksOfPartsOrKeepsThem)
{
    auto const one = backend();
    auto const two = backend();
    auto const first = one.lock("default", request({}));
    auto const second = two.lock("default", request({"terraform_data.a"}));
    ASSERT_TRUE(first) << error_text(first);
    ASSERT_TRUE(second) << error_text(second);

    EXPECT_FALSE((*first)->exchange(request({"terraform_data.a"})));
    EXPECT_TRUE((*second)->exchange(request({"terraform_data.b"})));
    EXPECT_TRUE((*first)->exchange(request({"terraform_data.a"})));
    EXPECT_THAT(codes_of(backend().lock("default", request({}, {"terraform_data.b"}))), ElementsAre("parts_locked"));
}

TEST_F(PgNative, WaitsForALockUntilTheTimeout)
{
    auto const one = backend();
    auto held = one.lock("default", request({"terraform_data.a"}));
    ASSERT_TRUE(held) << error_text(held);
    auto asked = request({"terraform_data.a"});
    asked.timeout = 10min;
    int times = 0;
    asked.stop = [&] {
        if (++times == 3) held->reset();
        return times > 10;
    };

    EXPECT_TRUE(backend().lock("default", asked));
    EXPECT_EQ(times, 3);
}

TEST_F(PgNative, FreesTheLocksOfAProcessThatWasKilled)
{
    create_alone("a");
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t const child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        auto const in = backend();
        auto const held = in.lock("default", request({"terraform_data.a"}));
        char const mark = held ? 'y' : 'n';
        (void)!::write(ready[1], &mark, 1);
        ::pause();
        ::_exit(0);
    }
    char mark = 0;
    ASSERT_EQ(::read(ready[0], &mark, 1), 1);
    ASSERT_EQ(mark, 'y');
    EXPECT_THAT(codes_of(backend().lock("default", request({"terraform_data.a"}))), ElementsAre("parts_locked"));

    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    auto asked = request({"terraform_data.a"});
    asked.timeout = 10s;
    EXPECT_TRUE(backend().lock("default", asked));
    EXPECT_EQ(sql("SELECT count(*) FROM session"), "0") << "who comes next removes what the dead have left";
}

TEST_F(PgNative, RejectsTheWritesOfASessionThatWasEndedByForce)
{
    create_alone("a");
    auto const theirs = backend();
    auto const held = theirs.lock("default", request({"terraform_data.b"}));
    ASSERT_TRUE(held) << error_text(held);
    auto const store = theirs.open("default", open_mode::read_write);
    auto s = read(*store);
    ASSERT_TRUE(store->begin_generation("apply"));

    auto const in = backend();
    EXPECT_FALSE(in.force_unlock("default", "999999"));
    EXPECT_TRUE(in.force_unlock("default", in.locks("default").value().front().id));
    auto const taken = in.lock("default", request({"terraform_data.b"}));
    ASSERT_TRUE(taken) << error_text(taken);

    auto const e = infra::journal_entry::record(instance("b"), {}, some_object("b"));
    ASSERT_TRUE(replay(s, e));
    EXPECT_FALSE(store->append_now(std::vector{e}, s));
    EXPECT_EQ(store->condition().error().why().front().code, "session_ended");
    EXPECT_EQ(state::test::exit_code_of(store->condition().error()), 5);
    EXPECT_THAT(names(), ElementsAre("terraform_data.a"));
}

TEST_F(PgNative, FencesASuspendedWriterWhoseConnectionEnded)
{
    create_alone("a");
    auto const paused = backend();
    auto const held = paused.lock("default", request({"terraform_data.b"}));
    ASSERT_TRUE(held) << error_text(held);
    auto const store = paused.open("default", open_mode::read_write);
    auto s = create(*store, read(*store), "b");
    // The server does the same with a client whose machine sleeps longer than the keepalives permit.
    sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'iacctl' AND pid <> "
        "pg_backend_pid()");
    auto const in = backend();
    auto const taken = in.lock("default", request({"terraform_data.b"}));
    ASSERT_TRUE(taken) << error_text(taken);

    auto const e = infra::journal_entry::remove(instance("b"), {});
    ASSERT_TRUE(replay(s, e));
    EXPECT_FALSE(store->append_now(std::vector{e}, s));

    EXPECT_EQ(store->condition().error().why().front().code, "session_ended");
    EXPECT_THAT(names(), ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(PgNative, ContinuesAfterALostConnectionWithoutAnotherWriter)
{
    auto const in = backend();
    auto const held = in.lock("default", request({"terraform_data.a", "terraform_data.b"}));
    ASSERT_TRUE(held) << error_text(held);
    auto const store = in.open("default", open_mode::read_write);
    auto s = create(*store, read(*store), "a");
    for (std::string const name : {"b", "c", "d"}) {
        sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'iacctl'"
            " AND pid <> pg_backend_pid()");
        s = create(*store, s, name);
    }

    EXPECT_EQ(now().serial, s.serial);
    EXPECT_EQ(now(), s);
    EXPECT_EQ(sql("SELECT count(*) FROM entry"), "8") << "each entry once";
    EXPECT_THAT(codes_of(backend().lock("default", request({"terraform_data.b"}))), ElementsAre("parts_locked"));
}

TEST_F(PgNative, RemovesAWorkspaceWithAllItsRows)
{
    create_alone("a");
    auto const in = backend();
    ASSERT_TRUE(in.make("blue"));
    EXPECT_THAT(in.workspaces().value(), ElementsAre("default", "blue"));

    EXPECT_TRUE(in.remove("blue"));
    EXPECT_TRUE(in.remove("default"));

    EXPECT_THAT(in.workspaces().value(), ElementsAre("default"));
    for (std::string const table : {"workspace", "session", "resource", "dependency_set", "output", "pending", "entry"})
        EXPECT_EQ(sql("SELECT count(*) FROM " + table), "0") << table;
}

TEST_F(PgNative, TwoCommandsSaveTheResultsOfTheChecksOfBoth)
{
    create_alone("a");
    auto const results = [](std::string const& a, std::string const& b) {
        auto const one = [](std::string const& name, std::string const& status) {
            return R"({"config_addr":"check.)" + name + R"(","object_kind":"check","objects":null,"status":")" + status
                + "\"}";
        };
        return infra::document("[" + one("a", a) + "," + one("b", b) + "]");
    };
    auto const first_backend = backend();
    auto const second_backend = backend();
    auto const first = first_backend.open("default", state::open_mode::read_write);
    auto const second = second_backend.open("default", state::open_mode::read_write);
    auto one = read(*first);
    auto other = read(*second);
    auto const save = [](state::store& to, infra::snapshot& s, infra::document d) {
        auto const e = infra::journal_entry::checks(std::move(d));
        ASSERT_TRUE(replay(s, e));
        ASSERT_EQ(state::test::error_text(to.append_now(std::vector{e}, s)), "");
    };
    save(*first, one, results("fail", "unknown"));
    save(*second, other, results("unknown", "pass"));
    save(*first, one, results("error", "unknown"));

    EXPECT_EQ(now().checks, results("error", "pass"));
    EXPECT_TRUE(backend().open("default", state::open_mode::read_only)->verify().value().passed());
}

}  // namespace
}  // namespace iacctl::backends::test
