// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "state/document/foreign_state.hpp"
#include "state/document/state_v4.hpp"
#include "state/record/local_backend.hpp"
#include "state/record/workspace_lock.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace iacctl::state::test {

using namespace std::chrono_literals;

TEST(WorkspaceLock, IsExclusive)
{
    temporary_directory const place;
    auto first = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    ASSERT_TRUE(first) << error_text(first);

    auto const second = workspace_lock::acquire(place.workspace(), {"destroy", {}, {}});

    ASSERT_EQ(kind_of_result(second), state_error::locked);
    EXPECT_EQ(exit_code_of(second.error()), 3);
    std::string const text = error_text(second);
    EXPECT_NE(text.find(std::to_string(::getpid()) + " (alive)"), std::string::npos) << text;
    EXPECT_NE(text.find("Operation: apply"), std::string::npos) << text;
    EXPECT_NE(text.find("s ago)"), std::string::npos) << text;
    EXPECT_NE(text.find('@'), std::string::npos) << text;
}

TEST(WorkspaceLock, IsFreeAfterItsRelease)
{
    temporary_directory const place;
    auto first = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    ASSERT_TRUE(first) << error_text(first);

    {
        auto const last_holder = std::move(*first);
    }

    EXPECT_FALSE(read_holder(place.workspace()));
    EXPECT_TRUE(workspace_lock::acquire(place.workspace(), {"apply", {}, {}}));
}

TEST(WorkspaceLock, IsListedAsLongAsItIsHeld)
{
    temporary_directory const place;
    local_backend const in(place.path());
    {
        auto const held = in.lock("default", {"apply", {}, {}});
        ASSERT_TRUE(held) << error_text(held);

        auto const listed = local_backend(place.path()).locks("default");

        ASSERT_TRUE(listed) << error_text(listed);
        ASSERT_EQ(listed->size(), 1U);
        EXPECT_EQ(listed->front().operation, "apply");
        EXPECT_NE(listed->front().holder.find("process " + std::to_string(::getpid())), std::string::npos);
        EXPECT_EQ(listed->front().since.size(), 20U) << listed->front().since;
        EXPECT_TRUE(listed->front().of_workspace);
        EXPECT_TRUE(listed->front().id.empty()) << "the kernel releases it with its holder";
        EXPECT_TRUE(in.locks("default").value().empty()) << "its own lock excludes nobody here";
    }
    EXPECT_TRUE(in.locks("default").value().empty());
}

TEST(WorkspaceLock, SurvivesThatAnotherDescriptorOfTheFileIsClosed)
{
    temporary_directory const place;
    auto const first = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    ASSERT_TRUE(first);

    [[maybe_unused]] std::string const text = read_text(place.workspace() / "lock");

    EXPECT_EQ(kind_of_result(workspace_lock::acquire(place.workspace(), {"apply", {}, {}})), state_error::locked);
}

TEST(WorkspaceLock, IsFreedWhenItsHolderIsKilled)
{
    temporary_directory const place;
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    pid_t const child = ::fork();
    if (child == 0) {
        auto const lock = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
        if (!lock || ::write(channel[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char ready = 0;
    ASSERT_EQ(::read(channel[0], &ready, 1), 1);

    auto const while_alive = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    auto const afterwards = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});

    ASSERT_EQ(kind_of_result(while_alive), state_error::locked);
    EXPECT_NE(error_text(while_alive).find(std::to_string(child)), std::string::npos);
    EXPECT_TRUE(afterwards) << error_text(afterwards);
    ::close(channel[0]);
    ::close(channel[1]);
}

TEST(WorkspaceLock, OfAnEndedProcessIsFreeOnceTheChildThatItWasStartingRunsItsProgram)
{
    temporary_directory const place;
    for (std::chrono::milliseconds const held : {200ms, 20000ms}) {
        pid_t const holder = ::fork();
        if (holder == 0) {
            auto const lock = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
            if (!lock) ::_exit(1);
            pid_t const child = ::fork();  // has the descriptor of the lock until it runs a program
            if (child == 0) {
                std::this_thread::sleep_for(held);
                ::_exit(0);
            }
            std::ofstream(place.path() / "child") << child;
            ::_exit(0);
        }
        int status = 1;
        ::waitpid(holder, &status, 0);
        ASSERT_EQ(status, 0);

        auto const next = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});

        if (held == 200ms) EXPECT_TRUE(next) << error_text(next);
        else EXPECT_NE(error_text(next).find("a process that it started still holds the lock"), std::string::npos);
        ::kill(std::stoi(read_text(place.path() / "child")), SIGKILL);
    }
}

TEST(WorkspaceLock, FollowsNoLink)
{
    temporary_directory const place;
    {
        auto const made = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
        ASSERT_TRUE(made) << error_text(made);
    }
    fs::path const other = place.path() / "other";
    write_text(other, "of somebody else");
    fs::remove(place.workspace() / "lock");
    fs::create_symlink(other, place.workspace() / "lock");

    auto const refused = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});

    EXPECT_EQ(kind_of_result(refused), state_error::not_writable);
    EXPECT_EQ(codes_of(refused), std::vector<std::string>{"state_lock_is_link"});
    EXPECT_EQ(read_text(other), "of somebody else");
}

TEST(WorkspaceLock, StatesSinceWhenItIsHeld)
{
    temporary_directory const place;
    auto const held = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    ASSERT_TRUE(held) << error_text(held);
    for (auto const& [age, wanted] : {std::pair(119s, "(119 s ago)"), std::pair(120s, "(2 min ago)"),
             std::pair(7000s, "(116 min ago)"), std::pair(7300s, "(2 h ago)"), std::pair(180000s, "(50 h ago)")}) {
        auto const started = std::chrono::system_clock::now() - age;
        auto const since = std::chrono::duration_cast<std::chrono::milliseconds>(started.time_since_epoch()).count();
        write_text(place.workspace() / "lock",
            "{\"pid\":" + std::to_string(::getpid())
                + ",\"host\":\"h\",\"user\":\"u\","
                  "\"operation\":\"apply\",\"started\":"
                + std::to_string(since) + "}\n");

        auto const refused = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});

        EXPECT_NE(error_text(refused).find(wanted), std::string::npos) << error_text(refused);
    }
}

TEST(WorkspaceLock, IsTakenForHeldIfItsFileCannotBeOpened)
{
    temporary_directory const place;
    ASSERT_TRUE(local_backend(place.path()).make("default"));
    fs::remove(place.workspace() / "lock");
    fs::create_symlink("lock", place.workspace() / "lock");

    auto const listed = local_backend(place.path()).locks("default");

    ASSERT_TRUE(listed) << error_text(listed);
    EXPECT_EQ(listed->size(), 1U) << "the holder is unknown";
}

TEST(WorkspaceLock, CanBeWaitedFor)
{
    temporary_directory const place;
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    pid_t const child = ::fork();
    if (child == 0) {
        auto const lock = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
        if (!lock || ::write(channel[1], "x", 1) != 1) ::_exit(1);
        ::usleep(300000);
        ::_exit(0);
    }
    char ready = 0;
    ASSERT_EQ(::read(channel[0], &ready, 1), 1);

    auto const too_short = workspace_lock::acquire(place.workspace(), {"apply", 20ms, {}});
    auto const waited = workspace_lock::acquire(place.workspace(), {"apply", 20s, {}});
    ::waitpid(child, nullptr, 0);

    EXPECT_EQ(kind_of_result(too_short), state_error::locked);
    EXPECT_TRUE(waited) << error_text(waited);
    ::close(channel[0]);
    ::close(channel[1]);
}

TEST(WorkspaceLock, EndsTheWaitWhenItIsStopped)
{
    temporary_directory const place;
    auto const first = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    int asked = 0;

    auto const second = workspace_lock::acquire(place.workspace(), {"apply", 10min, [&] { return ++asked == 2; }});

    EXPECT_EQ(kind_of_result(second), state_error::locked);
    EXPECT_EQ(asked, 2);
}

TEST(WorkspaceLock, LeavesAWorkspaceThatOpensAsEmpty)
{
    temporary_directory const place;
    {
        auto const lock = workspace_lock::acquire(place.workspace(), {"apply", {}, {}});
    }

    auto store = sqlite_store::open(place.workspace(), open_mode::read_only);

    ASSERT_TRUE(store) << error_text(store);
    EXPECT_EQ(*store->read_now(), infra::snapshot());
}

namespace {

// A state file of Terraform with one object or none.
auto state_of_terraform(bool with_object = true) -> std::string
{
    infra::snapshot s;
    s.lineage = "theirs";
    if (with_object) s.resources[infra::address("terraform_data", "a")].current = some_object("a");
    return to_v4(s, "1.11.4");
}

// Checks the usual locations of Terraform's states, and the location that Terraform has recorded.
auto check_in(fs::path const& directory, std::string_view workspace, infra::snapshot const& ours = {}) -> expected<void>
{
    std::vector<terraform_state_paths> places(1);
    if (auto const note = read_terraform_backend_record(directory / ".terraform"))
        places.insert(places.begin(), terraform_state_paths::of_record(*note));
    for (terraform_state_paths& one : places) {
        one.path = directory / one.path;
        one.workspace_dir = directory / one.workspace_dir;
    }
    return check_foreign_state(workspace, ours, places);
}

}  // namespace

TEST(ForeignState, IsRejectedIfThereIsNoOwnState)
{
    temporary_directory const place;
    write_text(place.path() / "terraform.tfstate", state_of_terraform());

    auto const refused = check_in(place.path(), "default");

    ASSERT_FALSE(refused);
    EXPECT_EQ(kind_of(refused.error()), state_error::foreign_state);
    EXPECT_NE(error_text(refused).find((place.path() / "terraform.tfstate").string()), std::string::npos);
    EXPECT_NE(error_text(refused).find("iacctl init -migrate-state"), std::string::npos);
}

TEST(ForeignState, IsRejectedIfItCannotBeRead)
{
    temporary_directory const place;
    write_text(place.path() / "terraform.tfstate", "{\"version\": 3}");

    EXPECT_FALSE(check_in(place.path(), "default"));
}

TEST(ForeignState, IsIgnoredBesideOwnState)
{
    temporary_directory const place;
    write_text(place.path() / "terraform.tfstate", state_of_terraform());
    infra::snapshot ours;
    ours.lineage = "ours";

    EXPECT_TRUE(check_in(place.path(), "default", ours));
}

TEST(ForeignState, IsIgnoredIfItIsAbsentEmptyOrWithoutObjects)
{
    temporary_directory const place;
    bool const absent = check_in(place.path(), "default").has_value();
    fs::create_directories(place.path() / ".terraform");
    write_text(place.path() / ".terraform" / "terraform.tfstate", "{\"version\": 3, \"backend\": {}}");
    write_text(place.path() / "terraform.tfstate", "");
    bool const empty = check_in(place.path(), "default").has_value();
    write_text(place.path() / "terraform.tfstate", state_of_terraform(false));

    bool const without_objects = check_in(place.path(), "default").has_value();

    EXPECT_TRUE(absent);
    EXPECT_TRUE(empty);
    EXPECT_TRUE(without_objects);
}

TEST(ForeignState, IsSearchedInTheWorkspace)
{
    temporary_directory const place;
    fs::create_directories(place.path() / "terraform.tfstate.d" / "blue");
    write_text(place.path() / "terraform.tfstate.d" / "blue" / "terraform.tfstate", state_of_terraform());

    EXPECT_FALSE(check_in(place.path(), "blue"));
    EXPECT_TRUE(check_in(place.path(), "green"));
}

TEST(ForeignState, IsSearchedInTheConfiguredDirectoryOfTerraform)
{
    temporary_directory const place;
    for (char const* const directory : {".terraform", "far", "spaces/blue"})
        fs::create_directories(place.path() / directory);
    write_text(place.path() / ".terraform" / "terraform.tfstate",
        R"({"version":3,"backend":{"type":"local","config":{"path":"far/x.tfstate","workspace_dir":"spaces"}}})");
    write_text(place.path() / "far" / "x.tfstate", state_of_terraform());
    write_text(place.path() / "spaces" / "blue" / "terraform.tfstate", state_of_terraform());

    auto const of_default = check_in(place.path(), "default");
    auto const of_blue = check_in(place.path(), "blue");

    ASSERT_FALSE(of_default || of_blue);
    EXPECT_NE(error_text(of_default).find("far/x.tfstate"), std::string::npos);
    EXPECT_NE(error_text(of_blue).find("spaces/blue/terraform.tfstate"), std::string::npos);
    EXPECT_TRUE(check_in(place.path(), "green"));
}

}  // namespace iacctl::state::test
