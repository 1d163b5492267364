// SPDX-License-Identifier: BSL-1.0
#include "workspace/plan_file.hpp"
#include "language/values/value_codec.hpp"

#include <strider/core/digraph.hpp>
#include <strider/lifecycle/rules.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace iacctl::workspace {

namespace {

using language::decode_value;
using language::encode_value;
using language::number;
using language::type;
using language::value;
using testing::HasSubstr;

auto everything() -> value
{
    return value::object({
        {"bool", value(true)},
        {"big", value(*number::parse("9007199254740993"))},
        {"fraction", value(*number::parse("0.1"))},
        {"text", value("a \"quoted\" text")},
        {"null", value::null(type::string())},
        {"unknown", value::unknown(type::list(type::number()))},
        {"unknown_id", value::unknown(type::string()).refined_not_null()},
        {"list", value::list(type::string(), {value("x"), value("y")})},
        {"set", value::set(type::number(), {value(number(2)), value(number(1))})},
        {"map", value::map(type::boolean(), {{"k", value(false)}})},
        {"tuple", value::tuple({value(number(1)), value("a").with_marks(language::mark::sensitive)})},
    });
}

class PlanFile : public testing::Test {
protected:
    void SetUp() override
    {
        directory_ = std::filesystem::temp_directory_path() / ("plan_file_test." + std::to_string(::getpid()));
        std::filesystem::create_directories(directory_);
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    static auto sample() -> saved_plan
    {
        saved_plan s;
        s.files.emplace("main.tf", "resource \"terraform_data\" \"a\" {}\n");
        s.variables.emplace("v", everything());
        s.errored = true;
        s.workspace = "default";
        s.created = "2026-01-31T12:00:00Z";
        s.prior.lineage = "l";
        infra::change<value> c;
        c.target = infra::address("terraform_data", "a", infra::instance_key(std::string("k")));
        c.config = "terraform_data.a";
        c.what = infra::action::create_then_destroy;
        c.deposed_key = "0123abcd";
        c.reason = infra::action_reason::replace_by_request;
        c.before = everything();
        c.after = everything();
        c.declaration = 0;
        c.provider = "p";
        c.private_data = infra::document(R"({"private":"AA=="})");
        c.replace_paths = {{"list", std::int64_t(2), "name"}, {"id"}};
        c.dependencies = {"terraform_data.b"};
        s.what.changes.push_back(c);
        s.what.providers = {"p"};
        s.what.lineage = "l";
        s.what.serial = 7;
        strider::digraph<infra::node> g;
        auto const creator = g.add_vertex({infra::node_role::creator, true, 0, 0});
        auto const destroyer = g.add_vertex({infra::node_role::deposed_destroyer, true, 0, 0});
        g.add_edge(destroyer, depends_on(creator), strider::edge_origin(strider::edge_rules::cbd_inversion, 3));
        s.what.graph = strider::freeze(g).value();
        s.parts = plan_parts{{{"terraform_data.a[\"k\"]", 17}, {"output o", 0}}, {{"terraform_data.b", 3}}};
        return s;
    }

    auto content() const -> std::string
    {
        std::ifstream in(file(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    auto file() const -> std::filesystem::path { return directory_ / "plan"; }

    std::filesystem::path directory_;
};

TEST(ValueCodec, PreservesEveryKindOfValue)
{
    EXPECT_EQ(read_document(encode_value(everything()), decode_value).value(), everything());
}

TEST(ValueCodec, PreservesTheDeepestValue)
{
    auto const nested = [](std::size_t levels) {
        value deep("x");
        for (std::size_t i = 0; i < levels; ++i) deep = value::tuple({deep});
        return deep;
    };
    auto const decoded = [](value const& v) {
        return read_document(encode_value(v), decode_value, language::levels_of_values);
    };

    EXPECT_EQ(decoded(nested(language::deepest_value)).value(), nested(language::deepest_value));
    EXPECT_FALSE(decoded(nested(language::deepest_value + 1)));
}

TEST_F(PlanFile, PreservesThePlan)
{
    ASSERT_TRUE(write_plan(file(), sample()));

    auto const read = read_plan(file());

    ASSERT_TRUE(read) << read.error().why().front().detail;
    auto const wanted = sample();
    EXPECT_TRUE(read->errored);
    EXPECT_EQ(read->files, wanted.files);
    EXPECT_EQ(read->variables, wanted.variables);
    EXPECT_EQ(read->what.serial, 7U);
    ASSERT_EQ(read->what.changes.size(), 1U);
    auto const& c = read->what.changes.front();
    EXPECT_EQ(c.target, wanted.what.changes.front().target);
    EXPECT_EQ(c.after, everything());
    EXPECT_EQ(c.private_data, wanted.what.changes.front().private_data);
    EXPECT_EQ(c.replace_paths, wanted.what.changes.front().replace_paths);
    EXPECT_EQ(c.dependencies, wanted.what.changes.front().dependencies);
    ASSERT_TRUE(read->parts);
    EXPECT_EQ(read->parts->written, wanted.parts->written);
    EXPECT_EQ(read->parts->read, wanted.parts->read);
    ASSERT_EQ(read->what.graph.vertex_count(), 2U);
    EXPECT_EQ(read->what.graph.edge_count(), 1U);
    EXPECT_EQ((*read->what.graph.dependency_edges(strider::vertex_id(1)).begin()).origin,
        strider::edge_origin(strider::edge_rules::cbd_inversion, 3));
}

TEST_F(PlanFile, ReplacesAnOlderFileAtomically)
{
    ASSERT_TRUE(write_plan(file(), sample()));
    ASSERT_TRUE(write_plan(file(), sample()));

    EXPECT_TRUE(read_plan(file()));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), std::filesystem::directory_iterator()), 1);
}

TEST_F(PlanFile, OfANewerFormatIsRejectedWithItsNumber)
{
    ASSERT_TRUE(write_plan(file(), sample()));
    std::string const sound = content();
    for (std::string const format : {"8", "10"}) {
        std::string text = sound;
        text.replace(text.find('7'), 1, format);
        std::ofstream(file(), std::ios::binary | std::ios::trunc) << text;

        auto const read = read_plan(file());

        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().why().front().code, "newer_plan_format");
        EXPECT_THAT(read.error().why().front().detail, HasSubstr("format " + format));
    }
}

// All plan files are from the same configuration. Each was written by the version that had the format, except those of
// formats 1 to 3: they were derived from that of format 4, in the form that their versions wrote.
TEST_F(PlanFile, OfAnEarlierFormatHasTheSameContent)
{
    auto const content_of = [](char const* name) {
        auto const read = read_plan(std::filesystem::path(__FILE__).parent_path() / "plans" / name);
        EXPECT_TRUE(read) << read.error().why().front().detail;
        std::vector<std::string> all;
        if (!read) return all;
        for (auto const& c : read->what.changes)
            all.push_back(to_string(c.target) + " " + std::to_string(static_cast<int>(c.what)) + " "
                + std::string(to_string(c.reason)));
        for (auto const& o : read->what.outputs) all.push_back(o.name + " " + std::to_string(static_cast<int>(o.what)));
        for (auto const v : read->what.graph.vertices()) {
            auto const& n = read->what.graph[v];
            all.push_back(std::to_string(static_cast<int>(n.role)) + " " + std::to_string(n.index));
            for (strider::edge const& e : read->what.graph.dependency_edges(v))
                all.push_back("-> " + std::to_string(e.dependency.index()));
        }
        return all;
    };

    auto const now = content_of("format_7.plan");

    EXPECT_GT(now.size(), 10U);
    for (int format = 1; format < 7; ++format)
        EXPECT_EQ(content_of(("format_" + std::to_string(format) + ".plan").c_str()), now) << format;
}

TEST_F(PlanFile, RejectsEveryDamageToAByteOrALength)
{
    ASSERT_TRUE(write_plan(file(), sample()));
    std::string const sound = content();

    for (std::size_t i = 0; i < sound.size(); i += 7) {
        std::string damaged = sound;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        std::ofstream(file(), std::ios::binary | std::ios::trunc) << damaged;
        EXPECT_FALSE(read_plan(file())) << "a changed byte at " << i;
        std::ofstream(file(), std::ios::binary | std::ios::trunc) << sound.substr(0, i);
        EXPECT_FALSE(read_plan(file())) << "cut at " << i;
    }
}

TEST_F(PlanFile, ReportsAFailedWriteAndLeavesNoFile)
{
    auto const failed = write_plan(directory_ / "missing" / "plan", sample());

    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().why().front().code, "unwritable_plan_file");
    EXPECT_THAT(failed.error().why().front().detail, HasSubstr("missing/plan"));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "missing"));
}

}  // namespace

}  // namespace iacctl::workspace
