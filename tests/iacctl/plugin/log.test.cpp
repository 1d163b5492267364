// SPDX-License-Identifier: BSL-1.0
#include "base/log.hpp"
#include "providers/plugin/plugin_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace iacctl;
using plugin::recent_lines;
using testing::Each;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr char const* record_line =
    R"({"@level":"warn","@message":"slow","@module":"sdk.proto","@timestamp":"2026-01-01","ms":12,"why":"a b"})";

TEST(PluginLog, ReadsRecordsOfHclog)
{
    auto const record = log_record::of_line(record_line);
    EXPECT_EQ(record.level, log_level::warn);
    EXPECT_EQ(record.text(), "[WARN]  slow: @module=sdk.proto ms=12 why=\"a b\"");
}

TEST(PluginLog, ReadsLinesOfOtherLoggers)
{
    EXPECT_EQ(log_record::of_line("[TRACE] begin").text(), "[TRACE] begin");
    EXPECT_EQ(log_record::of_line("[INFO] begin").text(), "[INFO]  begin");
    EXPECT_EQ(log_record::of_line("[x] begin").text(), "[DEBUG] [x] begin");
    EXPECT_EQ(log_record::of_line("plain").text(), "[DEBUG] plain");
    EXPECT_EQ(log_record::of_line("{broken").text(), "[DEBUG] {broken");
    EXPECT_EQ(log_record::of_line("[ERROR]").text(), "[ERROR] ");
    EXPECT_EQ(log_record::of_line("panic: oh").level, log_level::error);
}

auto written_with(log_settings settings) -> std::string
{
    static int calls = 0;  // a file stays open, so each call needs another one
    auto const path =
        std::filesystem::temp_directory_path() / ("log-" + std::to_string(::getpid()) + "-" + std::to_string(++calls));
    settings.path = path.string();
    log_writer write(settings);
    log_record record = log_record::of_line(record_line);
    record.name = "provider.fake";
    write(record);
    write(log_record::of_line("[DEBUG] more"));
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::filesystem::remove(path);
    return text;
}

TEST(PluginLog, WritesLinesOfItsLevelAndAbove)
{
    log_settings how;
    how.level = log_level::warn;
    EXPECT_THAT(written_with(how),
        MatchesRegex("[0-9-]+T[0-9:.]+[+-][0-9]+ .WARN.  provider.fake: slow: @module=sdk.proto ms=12 why=\"a b\"\n"));
    how.level = log_level::off;
    EXPECT_EQ(written_with(how), "");
}

TEST(PluginLog, DoesNotMixRecordsOfTwoWriters)
{
    constexpr std::size_t size = 1'000'000;  // longer than a write to a pipe
    auto const path = std::filesystem::temp_directory_path() / ("log-pipe-" + std::to_string(::getpid()));
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    log_settings how;
    how.level = log_level::warn;
    how.path = path.string();
    std::vector<std::size_t> lengths;
    std::thread reader([&] {
        std::ifstream pipe(path);
        for (std::string line; lengths.size() < 8 && std::getline(pipe, line);) lengths.push_back(line.size());
    });
    log_writer first(how);
    log_writer second(how);

    std::thread other([&] {
        for (int i = 0; i < 4; ++i) second(log_record::of_line("[WARN] " + std::string(size, 'b')));
    });
    for (int i = 0; i < 4; ++i) first(log_record::of_line("[WARN] " + std::string(size, 'a')));
    other.join();
    reader.join();
    std::filesystem::remove(path);

    EXPECT_THAT(lengths, Each(lengths.front()));
}

TEST(PluginLog, WritesJson)
{
    log_settings how;
    how.level = log_level::warn;
    how.as_json = true;
    EXPECT_THAT(written_with(how),
        MatchesRegex(
            ".\"@timestamp\":\"[^\"]+\",\"@level\":\"warn\",\"@message\":\"slow\",\"@module\":\"provider.fake\","
            "\"ms\":\"12\",\"why\":\"a b\".\n"));
}

TEST(PluginLog, IsSetByTheEnvironment)
{
    ::unsetenv("TF_LOG_PROVIDER");
    ::unsetenv("TF_LOG");
    EXPECT_EQ(log_settings::from_environment("TF_LOG_PROVIDER").level, log_level::off);
    ::setenv("TF_LOG", "info", 1);
    EXPECT_EQ(log_settings::from_environment("TF_LOG_PROVIDER").level, log_level::info);
    ::setenv("TF_LOG_PROVIDER", "ERROR", 1);
    EXPECT_EQ(log_settings::from_environment("TF_LOG_PROVIDER").level, log_level::error);
    ::setenv("TF_LOG_PROVIDER", "json", 1);
    EXPECT_EQ(log_settings::from_environment("TF_LOG_PROVIDER").level, log_level::trace);
    EXPECT_TRUE(log_settings::from_environment("TF_LOG_PROVIDER").as_json);
    ::setenv("TF_LOG_PROVIDER", "1", 1);
    EXPECT_EQ(log_settings::from_environment("TF_LOG_PROVIDER").level, log_level::trace);
    ::unsetenv("TF_LOG_PROVIDER");
    ::unsetenv("TF_LOG");
}

auto add(recent_lines& to, std::string const& line)
{
    to.add(line, log_record::of_line(line));
}

TEST(PluginLog, KeepsTheLastLinesWithoutLogMetadata)
{
    recent_lines recent;
    EXPECT_EQ(recent.text(), "  (nothing)");
    add(recent, R"({"@level":"debug","@message":"token=secret"})");
    EXPECT_EQ(recent.text(), "  (nothing)");
    for (int i = 0; i < 100; ++i) add(recent, "line " + std::to_string(i));
    add(recent, R"({"@level":"error","@message":"it failed","token":"secret"})");
    EXPECT_THAT(recent.text(), Not(HasSubstr("line 80")));
    EXPECT_THAT(recent.text(), HasSubstr("line 99\n  it failed"));
    EXPECT_THAT(recent.text(), Not(HasSubstr("secret")));
}

TEST(PluginLog, KeepsTheBeginningOfAPanic)
{
    recent_lines recent;
    add(recent, "before");
    add(recent, "panic: nil map");
    for (int i = 0; i < 100; ++i) add(recent, "goroutine " + std::to_string(i));
    EXPECT_THAT(recent.text(), testing::StartsWith("  panic: nil map\n  goroutine 0\n"));
    EXPECT_THAT(recent.text(), Not(HasSubstr("goroutine 99")));
}

}  // namespace
