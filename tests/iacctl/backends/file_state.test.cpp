// SPDX-License-Identifier: BSL-1.0
// The state file of -state, and its lock.
#include "state/backends/file_state.hpp"
#include "state/backends/remote_backend.hpp"

#include "iacctl/state/support.hpp"

#include "base/file_descriptor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace iacctl::backends::test {
namespace {

namespace fs = std::filesystem;
using state::test::codes_of;
using state::test::error_text;
using state::test::read_text;
using state::test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;

class FileState : public testing::Test {
protected:
    [[nodiscard]] auto path(std::string const& name) const -> fs::path { return place_.path() / name; }
    // Each client has locks of its own, as each process has.
    [[nodiscard]] auto client(std::string const& state = "s", std::string const& out = "s") const
        -> std::shared_ptr<state_client>
    {
        return make_file_state(state_files{path(state), path(out), path(out + ".backup")});
    }
    [[nodiscard]] static auto locks(state_client& client) -> bool
    {
        auto const attempt = client.lock("default", of_apply());
        EXPECT_TRUE(attempt) << error_text(attempt);
        return attempt && attempt->held;
    }
    [[nodiscard]] static auto locks_to_read(state_client& client) -> bool
    {
        auto const attempt = client.lock_to_read("default", of_apply());
        EXPECT_TRUE(attempt) << error_text(attempt);
        return attempt && attempt->held;
    }
    static void unlock(state_client& client) { EXPECT_TRUE(client.unlock("default", of_apply())); }
    [[nodiscard]] static auto of_apply() -> lock_info const&
    {
        static lock_info const info = lock_info::of_this_process("apply", "s");
        return info;
    }
    // Tries to lock a file as terraform does.
    [[nodiscard]] auto terraform_locks(std::string const& name) const -> bool
    {
        file_descriptor const fd(::open(path(name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_TRUE(fd);
        struct flock wanted{};
        wanted.l_type = F_WRLCK;
        wanted.l_whence = SEEK_SET;
        return ::fcntl(fd.get(), F_SETLK, &wanted) == 0;
    }

private:
    state::test::temporary_directory place_;
};

TEST_F(FileState, LockOfAWriterExcludesAllOthersBeforeTheFileExists)
{
    auto const one = client();
    auto const other = client();

    EXPECT_TRUE(locks(*one));

    EXPECT_FALSE(locks(*other));
    EXPECT_FALSE(locks_to_read(*other));
    EXPECT_FALSE(terraform_locks("s"));
    unlock(*one);
    EXPECT_TRUE(locks(*other));
}

TEST_F(FileState, LockContinuesWhenTheFileIsReplaced)
{
    auto const one = client();
    auto const other = client();
    ASSERT_TRUE(locks(*one));

    for (auto const* const text : {"first", "second"}) {
        ASSERT_TRUE(one->put("default", text, {}));
        EXPECT_FALSE(locks(*other));
        EXPECT_FALSE(terraform_locks("s"));
    }

    unlock(*one);
    EXPECT_TRUE(locks(*other));
    EXPECT_EQ(read_text(path("s")), "second");
    EXPECT_EQ(read_text(path("s.backup")), "");
}

TEST_F(FileState, LockThroughALinkIsThatOfTheFileToWhichItLeads)
{
    write_text(path("s"), "old");
    fs::create_symlink("s", path("link"));
    auto const one = client("link", "link");
    auto const other = client();
    ASSERT_TRUE(locks(*one));

    ASSERT_TRUE(one->put("default", "new", {}));

    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_text(path("s")), "new");
    EXPECT_FALSE(locks(*other));
}

TEST_F(FileState, LockOfAReaderExcludesWritersOnly)
{
    write_text(path("s"), "old");
    auto const one = client();
    auto const other = client();

    EXPECT_TRUE(locks_to_read(*one));

    EXPECT_TRUE(locks_to_read(*other));
    EXPECT_FALSE(locks(*client()));
    EXPECT_FALSE(terraform_locks("s"));
    EXPECT_EQ(one->holder("default"), std::nullopt);  // nobody changes the state
}

TEST_F(FileState, LockIncludesTheFileThatIsReadAndTheOneThatIsWritten)
{
    write_text(path("s"), "old");
    auto const one = client("s", "out");
    ASSERT_TRUE(locks(*one));

    EXPECT_FALSE(locks(*client()));
    EXPECT_FALSE(locks(*client("out", "out")));
    EXPECT_TRUE(locks(*client("other", "other")));
    EXPECT_TRUE(locks(*client("a", "./a")));
}

TEST_F(FileState, EmptyFileOfALockIsNoStateAndIsDeletedAtItsEnd)
{
    auto const one = client();
    ASSERT_TRUE(locks(*one));
    EXPECT_TRUE(fs::is_empty(path("s")));
    auto const none = client()->get("default");
    ASSERT_TRUE(none) << error_text(none);
    EXPECT_EQ(*none, std::nullopt);
    EXPECT_TRUE(fs::exists(path(".s.lock.info")));

    unlock(*one);

    EXPECT_TRUE(fs::is_empty(path("")));
    write_text(path("s"), "");  // as after a crash
    ASSERT_TRUE(locks(*one));
    unlock(*one);
    EXPECT_TRUE(fs::exists(path("s")));
}

TEST_F(FileState, DescriptionOfALockWithoutTheLockHasNoHolder)
{
    write_text(path("s"), "old");
    write_text(path(".s.lock.info"), of_apply().text());
    EXPECT_EQ(client()->holder("default"), std::nullopt);

    auto const one = client();
    ASSERT_TRUE(locks(*one));

    auto const holder = client()->holder("default");
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->id, of_apply().id);
    fs::remove(path(".s.lock.info"));
    EXPECT_TRUE(client()->holder("default"));
}

TEST_F(FileState, SecondWriterIsRefusedAsInAWorkspaceAndWaitsUntilTheTimeout)
{
    remote_backend const one(client(), path("mirror1"), {});
    remote_backend const other(client(), path("mirror2"), {});
    auto held = one.lock("default", {"apply", {}, {}});
    ASSERT_TRUE(held) << error_text(held);

    auto const refused = other.lock("default", {"apply", {}, {}});

    EXPECT_THAT(codes_of(refused), ElementsAre("state_locked"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 3);
    EXPECT_THAT(error_text(refused), HasSubstr("OperationTypeApply"));
    EXPECT_TRUE(other.is_locked("default"));
    bool released = false;
    auto const later = other.lock("default", {"apply", std::chrono::minutes(1), [&] {
                                                  if (!released) held->reset();
                                                  released = true;
                                                  return false;
                                              }});
    EXPECT_TRUE(later) << error_text(later);
}

TEST_F(FileState, FileThatCannotBeWrittenIsRefusedBeforeAnythingIsChanged)
{
    fs::create_directory(path("directory"));
    write_text(path("s"), "old");
    for (std::string const name : {"directory", "s/below"}) {
        auto const locked = client(name, name)->lock("default", of_apply());
        EXPECT_THAT(codes_of(locked), ElementsAre("state_not_writable"));
        EXPECT_THAT(error_text(locked), HasSubstr(path(name).string() + " could not be written: "));
        EXPECT_EQ(state::test::exit_code_of(locked.error()), 1);
        auto const checked = client(name, name)->check_writable("default");
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().why().front().code, "state_not_writable");
    }
    fs::create_directory(path("s.backup"));
    auto const checked = client()->check_writable("default");
    ASSERT_FALSE(checked);
    EXPECT_THAT(error_text(checked), HasSubstr("s.backup"));
    fs::remove(path("s.backup"));
    EXPECT_TRUE(client()->check_writable("default"));
    EXPECT_EQ(read_text(path("s")), "old");
}

TEST_F(FileState, AdviceNamesTheWrittenFile)
{
    EXPECT_EQ(options_of({"a", "a b", {}}), " -state='a b'");
    EXPECT_EQ(client("a", "b")->options(), " -state=" + path("b").string());
}

}  // namespace
}  // namespace iacctl::backends::test
