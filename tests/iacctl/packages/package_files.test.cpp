// SPDX-License-Identifier: BSL-1.0
#include "packages/package_files.hpp"
#include "packages/archive.hpp"

#include "iacctl/state/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace {

// Calls of the functions that make data durable, of the whole program.
std::atomic<int> files_synchronized = 0;
std::atomic<int> file_systems_synchronized = 0;
std::atomic<bool> fails = false;

template <class Function>
auto original(char const* name) -> Function*
{
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// These replace the functions of the C library.
extern "C" auto fsync(int fd) -> int
{
    ++files_synchronized;
    return original<int(int)>("fsync")(fd);
}
extern "C" auto syncfs(int fd) noexcept -> int
{
    ++file_systems_synchronized;
    if (!fails) return original<int(int)>("syncfs")(fd);
    errno = EIO;
    return -1;
}

namespace iacctl::packages::test {
namespace {

namespace fs = std::filesystem;
using state::test::write_text;
using testing::IsEmpty;

class PackageFiles : public testing::Test {
protected:
    void SetUp() override
    {
        for (int i = 0; i < files; ++i) {
            fs::path const in = root.path() / "made" / std::to_string(i % 10);
            fs::create_directories(in);
            write_text(in / std::to_string(i), std::to_string(i));
        }
        ASSERT_THAT(write_zip(root.path() / "made", root.path() / "archive.zip"), IsEmpty());
        fs::create_directory(root.path() / "extracted");
    }

    static constexpr int files = 200;
    state::test::temporary_directory root;
};

TEST_F(PackageFiles, AreSynchronizedInOnePassBeforeTheyAreVisible)
{
    files_synchronized = file_systems_synchronized = 0;

    ASSERT_THAT(extract_archive(root.path() / "archive.zip", root.path() / "extracted"), IsEmpty());
    ASSERT_THAT(publish_directory(root.path() / "extracted", root.path() / "place"), IsEmpty());

    EXPECT_EQ(file_systems_synchronized, 1);
    EXPECT_LE(files_synchronized, 3);
    EXPECT_EQ(files_below(root.path() / "place"), files_below(root.path() / "made"));
}

TEST_F(PackageFiles, AreNotVisibleIfTheyCannotBeSynchronized)
{
    ASSERT_THAT(extract_archive(root.path() / "archive.zip", root.path() / "extracted"), IsEmpty());

    fails = true;
    auto const problems = publish_directory(root.path() / "extracted", root.path() / "place");
    fails = false;

    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().code, "package_file_unwritable");
    EXPECT_FALSE(fs::exists(root.path() / "place"));
}

}  // namespace
}  // namespace iacctl::packages::test
