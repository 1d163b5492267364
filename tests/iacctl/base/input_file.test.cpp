// SPDX-License-Identifier: BSL-1.0
#include "base/input_file.hpp"

#include <boost/system/errc.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

using namespace iacctl;
using testing::HasSubstr;
namespace errc = boost::system::errc;

class InputFile : public testing::Test {
protected:
    void SetUp() override
    {
        std::string name = (std::filesystem::temp_directory_path() / "input-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    auto path(std::string const& name) const -> std::filesystem::path { return directory_ / name; }
    auto pipe(std::string const& name) const -> std::filesystem::path
    {
        ::mkfifo(path(name).c_str(), 0600);
        return path(name);
    }
    void write(std::string const& name, std::string_view text) const
    {
        std::ofstream(path(name), std::ios::binary) << text;
    }

private:
    std::filesystem::path directory_;
};

TEST_F(InputFile, IsReadWhole)
{
    std::string const large(3'000'000, 'x');
    write("large", large);
    write("empty", "");
    write("bytes", std::string_view("a\0\xff", 3));

    EXPECT_EQ(read_input(path("large")).value(), large);
    EXPECT_EQ(read_input(path("empty")).value(), "");
    EXPECT_EQ(read_input(path("bytes")).value(), std::string_view("a\0\xff", 3));
    EXPECT_EQ(read_input("/dev/null").value(), "");
    EXPECT_THAT(read_input("/proc/self/status").value(), HasSubstr("Pid:"));
}

TEST_F(InputFile, IsMissingOnlyIfNoFileCanExist)
{
    write("file", "");
    std::filesystem::create_symlink("loop", path("loop"));

    EXPECT_TRUE(is_missing(read_input(path("none")).error()));
    EXPECT_TRUE(is_missing(read_input(path("file/below")).error()));
    EXPECT_FALSE(is_missing(read_input(path("loop")).error()));
    EXPECT_EQ(read_input(path("loop")).error(), errc::too_many_symbolic_link_levels);
    EXPECT_EQ(read_input(path(".")).error(), errc::is_a_directory);
    EXPECT_EQ(read_input(std::string("f\0g", 3)).error(), errc::invalid_argument);
}

TEST_F(InputFile, CannotBeADeviceAndHasALimit)
{
    write("sparse", "");
    std::filesystem::resize_file(path("sparse"), input_limit + 1);

    EXPECT_EQ(read_input("/dev/zero").error(), input_errc::is_device);
    EXPECT_EQ(read_input("/dev/tty").error().value() == 0, false);
    EXPECT_EQ(read_input(path("sparse")).error(), input_errc::too_large);
}

TEST_F(InputFile, CannotBeAPipeUnlessTheCallerReadsItOnce)
{
    auto const before = std::chrono::steady_clock::now();

    EXPECT_EQ(read_input(pipe("p")).error(), input_errc::is_pipe);
    EXPECT_EQ(read_input(path("p"), input_kind::file_or_pipe).error(), input_errc::no_writer);

    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST_F(InputFile, ReadsAPipeCompletely)
{
    auto const name = pipe("p");
    std::thread writer([&] {
        std::ofstream to(name);
        to << "first " << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        to << "second";
    });

    auto const read = read_input(name, input_kind::file_or_pipe);
    writer.join();

    EXPECT_EQ(read.value(), "first second");
}

TEST_F(InputFile, ReadsNothingFromAPipeWithoutContent)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ::close(ends[1]);

    auto const read = read_input("/dev/fd/" + std::to_string(ends[0]), input_kind::file_or_pipe);
    ::close(ends[0]);

    EXPECT_EQ(read.value(), "");
}

}  // namespace
