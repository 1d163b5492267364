// SPDX-License-Identifier: BSL-1.0
// Compares values with go-cty, the library of providers.
#include "drawn_value.hpp"

#include "base/encoding.hpp"
#include "providers/plugin/wire_value.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace iacctl;
using plugin::test::value_source;

class Cty : public testing::Test {
protected:
    void SetUp() override
    {
        std::string name = (std::filesystem::temp_directory_path() / "cty.XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
        std::string const go = "cd '" + std::filesystem::absolute(__FILE__).parent_path().string() + "/cty' && go ";
        if (std::system((go + "mod download >/dev/null 2>&1").c_str()) != 0) GTEST_SKIP() << "(needs go)";
        ASSERT_EQ(std::system((go + "build -o '" + name + "/again' .").c_str()), 0);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// The answers of go-cty to each line.
    [[nodiscard]] auto answers(std::vector<std::string> const& lines) const -> std::vector<std::string>
    {
        auto const path = [&](char const* name) { return (folder / name).string(); };
        {
            std::ofstream in(path("in"));
            for (auto const& line : lines) in << line << '\n';
        }
        auto const command = "'" + path("again") + "' <'" + path("in") + "' >'" + path("out") + "'";
        EXPECT_EQ(std::system(command.c_str()), 0);
        std::ifstream out(path("out"));
        std::vector<std::string> made;
        for (std::string line; std::getline(out, line);) made.push_back(line);
        return made;
    }

    std::filesystem::path folder;
};

TEST_F(Cty, ReadsAndWritesTheSameBytesAndTheSameJson)
{
    std::mt19937 random(20);
    value_source const source([&](std::size_t end) { return static_cast<std::size_t>(random() % end); });
    std::vector<std::string> asked;
    std::vector<std::string> expected;
    for (int i = 0; i < 10'000; ++i) {
        auto const of = source.type();
        auto const is = source.value(of);
        auto const bytes = plugin::to_message_pack(is, of);
        auto const read = plugin::from_message_pack(bytes, of);
        ASSERT_TRUE(read) << read.error().text();
        asked.push_back(language::type_to_json(of) + "\t" + hex(bytes));
        expected.push_back(hex(bytes) + "\t" + (read->wholly_known() ? language::to_json(*read, of) : ""));
    }

    auto const given = answers(asked);

    ASSERT_EQ(given.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(given[i], expected[i]) << "for " << asked[i];
}

}  // namespace
