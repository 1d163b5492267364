// SPDX-License-Identifier: BSL-1.0
// Plan files of earlier versions are applied, in the directory in which they were made.
#include "iacctl/state/support.hpp"
#include "workspace/pushed_state.hpp"
#include "workspace/workspace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace {

namespace fs = std::filesystem;

auto text_of(infra::diagnostics const& all) -> std::string
{
    std::string text;
    for (infra::diagnostic const& d : all) text += d.summary + ": " + d.detail + '\n';
    return text;
}

// The path is made absolute before a test changes the current directory.
fs::path const plans = fs::absolute(__FILE__).parent_path() / "plans";

auto file_of(int format) -> fs::path
{
    return plans / ("format_" + std::to_string(format) + ".plan");
}

// Names of files in a plan are relative to the current directory.
class SavedPlan : public testing::TestWithParam<int> {
protected:
    SavedPlan() { fs::current_path(place_.path()); }
    ~SavedPlan() override { fs::current_path(before_); }

    [[nodiscard]] static auto with(std::map<std::string, std::string> environment) -> settings
    {
        settings all;
        all.operation = "test";
        all.environment = std::move(environment);
        return all;
    }

private:
    fs::path const before_ = fs::current_path();
    state::test::temporary_directory const place_;
};

TEST_P(SavedPlan, IsApplied)
{
    auto const saved = read_plan(file_of(GetParam()));
    ASSERT_TRUE(saved) << text_of(saved.error().why());
    EXPECT_EQ(saved->format, GetParam());
    for (auto const& [name, text] : saved->files) state::test::write_text(name, text);
    {
        auto before = saved->prior;
        before.lineage = saved->what.lineage;
        before.serial = saved->what.serial;
        workspace const work(with({}));
        auto opened = work.change();
        ASSERT_TRUE(opened) << text_of(opened.error().why());
        ASSERT_TRUE(write_pushed(work.options(), opened->store(), opened->now(), before));
    }
    workspace const work(with({}));
    auto reopened = work.reopen(file_of(GetParam()));
    ASSERT_TRUE(reopened.ok()) << text_of(reopened.problems);

    auto done = work.apply(std::move(*reopened.made));
    if (done.unsaved) done.unsaved->saved();

    EXPECT_TRUE(done.report.ok()) << text_of(done.problems);
    EXPECT_EQ(done.report.changed, 3U);
    EXPECT_EQ(done.report.added, 1U);
    auto const after = workspace(with({{"TF_VAR_v", "third"}})).plan({});
    ASSERT_TRUE(after.ok()) << text_of(after.problems);
    EXPECT_FALSE(after.made->plan.what.has_changes());
}

INSTANTIATE_TEST_SUITE_P(Formats, SavedPlan, testing::Range(1, 8));

TEST(SavedPlans, OfFormatsThatConfigureNoProvidersAreRejectedIfThereAreAny)
{
    auto saved = read_plan(file_of(3));
    ASSERT_TRUE(saved);
    saved->files.emplace("providers.tf", "provider \"restapi\" {\n  uri = \"http://127.0.0.1:1\"\n}\n");
    infra::diagnostics problems;

    EXPECT_EQ(workspace(settings()).load(*saved, workspace::purpose::to_apply, problems), nullptr);

    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems.front().code, "plan_without_providers");
    EXPECT_NE(problems.front().detail.find("format 3"), std::string::npos);
}

}  // namespace

}  // namespace iacctl::workspace
