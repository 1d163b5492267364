// SPDX-License-Identifier: BSL-1.0
#include "base/durable_file.hpp"
#include "base/input_file.hpp"

#include <boost/system/errc.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

namespace {

using namespace iacctl;
namespace errc = boost::system::errc;
namespace fs = std::filesystem;

class DurableFile : public testing::Test {
protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "durable-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    void TearDown() override { fs::remove_all(directory_); }

    auto path(std::string const& name) const -> fs::path { return directory_ / name; }
    auto count() const -> long { return std::distance(fs::directory_iterator(directory_), fs::directory_iterator()); }
    static auto mode_of(fs::path const& file) -> mode_t
    {
        struct stat found{};
        ::stat(file.c_str(), &found);
        return found.st_mode & 0777U;
    }

private:
    fs::path directory_;
};

TEST_F(DurableFile, NewFileNeverOverwrites)
{
    EXPECT_FALSE(write_new_file(path("a"), "one"));
    EXPECT_EQ(write_new_file(path("a"), "two"), errc::file_exists);
    EXPECT_EQ(read_input(path("a")).value(), "one");
    EXPECT_EQ(mode_of(path("a")), 0600U);
    EXPECT_EQ(count(), 1);
}

TEST_F(DurableFile, ReplacedFileIsCompleteAndLeavesNoTemporaryFile)
{
    EXPECT_FALSE(replace_file(path("a"), "one", 0640));
    EXPECT_EQ(mode_of(path("a")), 0640U);
    EXPECT_FALSE(replace_file(path("a"), std::string(100'000, 'x')));
    EXPECT_EQ(read_input(path("a")).value(), std::string(100'000, 'x'));
    EXPECT_EQ(mode_of(path("a")), 0600U);
    EXPECT_EQ(count(), 1);
}

TEST_F(DurableFile, LinkIsReplacedButNotItsTarget)
{
    EXPECT_FALSE(write_new_file(path("there"), "kept"));
    fs::create_symlink(path("there"), path("link"));
    EXPECT_FALSE(replace_file(path("link"), "new"));
    EXPECT_FALSE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_input(path("there")).value(), "kept");
    EXPECT_EQ(write_new_file(path("link"), "newer"), errc::file_exists);
}

TEST_F(DurableFile, PipeReceivesTheTextAndStaysAPipe)
{
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(replace_file(path("pipe"), "nobody reads"), errc::no_such_device_or_address);
    int const reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    EXPECT_FALSE(replace_file(path("pipe"), "text"));
    std::string got(8, ' ');
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(reader, got.data(), got.size()), 0)));
    ::close(reader);
    EXPECT_EQ(got, "text");
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
    EXPECT_EQ(count(), 1);
}

TEST_F(DurableFile, LinkToADescriptorIsNotReplaced)
{
    EXPECT_FALSE(write_new_file(path("there"), ""));
    int const descriptor = ::open(path("there").c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor), path("link"));
    EXPECT_FALSE(replace_file(path("link"), "text"));
    ::close(descriptor);
    EXPECT_EQ(read_input(path("there")).value(), "text");
    EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(DurableFile, LockContinuesInTheNewFile)
{
    EXPECT_FALSE(write_new_file(path("a"), "old"));
    file_descriptor held(::open(path("a").c_str(), O_RDWR | O_CLOEXEC));
    file_descriptor const of_old(::open(path("a").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(lock_whole_file(held.get(), F_WRLCK));
    EXPECT_EQ(lock_whole_file(of_old.get(), F_WRLCK).value(), EAGAIN);
    EXPECT_FALSE(replace_locked_file(path("a"), "new", held));
    file_descriptor const of_new(::open(path("a").c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(lock_whole_file(of_new.get(), F_RDLCK).value(), EAGAIN);
    EXPECT_FALSE(lock_whole_file(of_old.get(), F_WRLCK));
    held.reset();
    EXPECT_FALSE(lock_whole_file(of_new.get(), F_WRLCK));
    EXPECT_EQ(read_input(path("a")).value(), "new");
    EXPECT_EQ(count(), 1);
}

TEST_F(DurableFile, CheckOfAReplacementChangesNothing)
{
    EXPECT_FALSE(check_replaceable(path("a")));
    EXPECT_EQ(count(), 0);
    EXPECT_FALSE(write_new_file(path("a"), "old"));
    EXPECT_FALSE(check_replaceable(path("a")));
    EXPECT_EQ(read_input(path("a")).value(), "old");
    EXPECT_FALSE(check_replaceable("/dev/null"));
    fs::create_directory(path("d"));
    EXPECT_EQ(check_replaceable(path("d")), errc::is_a_directory);
    EXPECT_EQ(check_replaceable(path("a/b")), errc::not_a_directory);
    EXPECT_EQ(check_replaceable(path("none/b")), errc::no_such_file_or_directory);
    EXPECT_EQ(count(), 2);
}

TEST_F(DurableFile, ReasonsAreThoseOfTheSystem)
{
    EXPECT_EQ(replace_file(path("none/a"), ""), errc::no_such_file_or_directory);
    EXPECT_EQ(write_new_file(path("none/a"), ""), errc::no_such_file_or_directory);
    fs::create_directory(path("d"));
    EXPECT_EQ(replace_file(path("d"), ""), errc::is_a_directory);
    EXPECT_EQ(write_new_file(path("d"), ""), errc::file_exists);
    EXPECT_EQ(replace_file(path(std::string("a\0b", 3)), ""), errc::invalid_argument);
    EXPECT_EQ(write_new_file(path(std::string("a\0b", 3)), ""), errc::invalid_argument);
    EXPECT_EQ(replace_file(path(std::string(300, 'a')), ""), errc::filename_too_long);
    EXPECT_EQ(count(), 1);
}

TEST_F(DurableFile, LongestNamesCanBeReplaced)
{
    std::string const longest(255, 'a');
    EXPECT_FALSE(replace_file(path(longest), "one"));
    EXPECT_FALSE(replace_file(path(longest), "two"));
    EXPECT_EQ(read_input(path(longest)).value(), "two");
}

TEST_F(DurableFile, DirectoriesArePrivateToTheirOwner)
{
    EXPECT_FALSE(make_private_directories(path("a/b/c")));
    EXPECT_FALSE(make_private_directories(path("a/b/c")));
    for (auto const* const name : {"a", "a/b", "a/b/c"}) EXPECT_EQ(mode_of(path(name)), 0700U);
    EXPECT_FALSE(make_private_file(path("a/f")));
    EXPECT_EQ(make_private_file(path("a/f")), errc::file_exists);
    EXPECT_EQ(mode_of(path("a/f")), 0600U);
    EXPECT_TRUE(make_private_directories(path("a/f/b")));
}

}  // namespace
