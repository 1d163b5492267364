// SPDX-License-Identifier: BSL-1.0
// A workspace without a command line. No test here changes the current directory or prints.
#include "workspace/workspace.hpp"

#include "iacctl/state/support.hpp"
#include "messages/commands.hpp"
#include "state/record/local_backend.hpp"
#include "state/state_error.hpp"
#include "workspace/program/object_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

namespace fs = std::filesystem;
using language::value;
using state::test::temporary_directory;
using state::test::write_text;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto configuration = R"(
variable "size" {
  type = number
}
resource "terraform_data" "a" {
  input = var.size
}
resource "terraform_data" "b" {
  input = terraform_data.a.output + 1
}
output "o" {
  value = terraform_data.b.output
}
)";

auto error_text(infra::diagnostics const& all) -> std::string
{
    std::string text;
    for (infra::diagnostic const& d : all) text += d.summary + ": " + d.detail + '\n';
    return text;
}

class Workspace : public testing::Test {
protected:
    explicit Workspace(std::string const& text = configuration) { write_text(place.path() / "main.tf", text); }

    [[nodiscard]] static auto settings_in(fs::path const& directory, std::string const& size = "1") -> settings
    {
        settings all;
        all.directory = directory;
        all.operation = "test";
        all.environment = {{"TF_VAR_size", size}};
        return all;
    }
    [[nodiscard]] auto here(std::string const& size = "1") const -> workspace
    {
        return workspace(settings_in(place.path(), size));
    }
    [[nodiscard]] static auto to_apply(infra::plan_mode mode = infra::plan_mode::normal) -> plan_parameters
    {
        plan_parameters wishes;
        wishes.options.mode = mode;
        wishes.mode = state::open_mode::read_write;
        return wishes;
    }
    [[nodiscard]] static auto planned_and_applied(workspace const& in) -> apply_result
    {
        auto planned = in.plan(to_apply());
        EXPECT_TRUE(planned.ok()) << error_text(planned.problems);
        return planned.ok() ? in.apply(std::move(*planned.made)) : apply_result();
    }
    // Marks the result as printed, as a command does that has printed all of it.
    [[nodiscard]] static auto printed(apply_result result) -> apply_result
    {
        if (result.unsaved) result.unsaved->saved();
        return result;
    }
    [[nodiscard]] static auto output_of(workspace const& in) -> std::string
    {
        auto const now = in.read_state();
        if (!now || !now->outputs.contains("o")) return "none";
        auto const made = program::decode_output(now->outputs.at("o"));
        return made ? made->as_number().text() : "unreadable";
    }
    [[nodiscard]] static auto actions(plan_result const& result) -> std::vector<infra::action>
    {
        std::vector<infra::action> all;
        for (auto const& c : result.made->plan.what.changes) all.push_back(c.what);
        return all;
    }

    temporary_directory const place;
    fs::path const directory_before = fs::current_path();
};

TEST_F(Workspace, LoadsTheConfigurationOfItsDirectoryWithValuesFromItsSettings)
{
    settings all = settings_in(place.path());
    all.variables.push_back({language::variable_option::option_kind::assignment, "size=7"});
    infra::diagnostics problems;

    auto const loaded = workspace(all).load(problems);

    ASSERT_NE(loaded, nullptr) << error_text(problems);
    EXPECT_EQ(loaded->variables().at("size").as_number().text(), "7");
    EXPECT_THAT(problems, IsEmpty());
}

TEST_F(Workspace, RequestsAVariableWithoutAValue)
{
    settings all = settings_in(place.path());
    all.environment.clear();
    infra::diagnostics problems;

    auto const answered =
        workspace(all, [](language::variable const& v) { return v.name == "size" ? "3" : "none"; }).load(problems);
    auto const unanswered = workspace(all).load(problems);

    ASSERT_NE(answered, nullptr);
    EXPECT_EQ(answered->variables().at("size").as_number().text(), "3");
    EXPECT_EQ(unanswered, nullptr);
    EXPECT_TRUE(problems.has_errors());
}

TEST_F(Workspace, ReportsAnEmptyDirectoryOnlyIfConfigurationIsRequired)
{
    temporary_directory const empty;
    settings all = settings_in(empty.path());
    infra::diagnostics found;

    auto const allowed = workspace(all).load_configuration(found);
    all.configuration_required = true;
    auto const refused = workspace(all).load_configuration(found);

    EXPECT_TRUE(allowed);
    EXPECT_FALSE(refused);
    EXPECT_TRUE(found.has_errors());
}

TEST_F(Workspace, HasUnsavedChangesUntilTheDiagnosticsOfAnApplyArePrinted)
{
    auto done = planned_and_applied(here());

    // If the process ended now, the location of the state would be lost.
    ASSERT_TRUE(done.unsaved);
    EXPECT_TRUE(unsaved_changes::exist());

    auto handed_on = std::move(done);
    EXPECT_TRUE(unsaved_changes::exist());
    handed_on.unsaved->saved();
    EXPECT_FALSE(unsaved_changes::exist());
}

TEST_F(Workspace, HasNoChangesAfterAnApply)
{
    auto const work = here("4");

    auto const done = printed(planned_and_applied(work));

    EXPECT_TRUE(done.ran);
    EXPECT_TRUE(done.report.ok()) << error_text(done.problems);
    EXPECT_EQ(done.report.added, 2U);
    EXPECT_EQ(output_of(work), "5");

    auto const again = work.plan({});

    ASSERT_TRUE(again.ok()) << error_text(again.problems);
    EXPECT_FALSE(again.made->plan.what.has_changes());
    EXPECT_THAT(actions(again), ElementsAre(infra::action::no_op, infra::action::no_op));
    EXPECT_EQ(fs::current_path(), directory_before);
}

TEST_F(Workspace, KeepsItsStateBelowItsDirectory)
{
    (void)printed(planned_and_applied(here()));

    EXPECT_TRUE(fs::exists(place.path() / ".iacctl" / "default" / "state.db"));
    EXPECT_EQ(here().backend().value()->local_directory("default"), place.path() / ".iacctl" / "default");
}

TEST_F(Workspace, WritesNoFileForAPlan)
{
    auto const planned = here().plan({});

    EXPECT_TRUE(planned.ok()) << error_text(planned.problems);
    EXPECT_FALSE(fs::exists(place.path() / ".iacctl"));
}

TEST_F(Workspace, AppliesASavedPlanOnce)
{
    auto const file = place.path() / "plan.bin";
    {
        auto const planned = here("4").plan({});
        ASSERT_TRUE(planned.ok()) << error_text(planned.problems);
        ASSERT_TRUE(write_plan(file, planned.made->plan));
    }
    settings all = settings_in(place.path());
    all.environment.clear();  // the plan contains the values
    workspace const later(all);

    auto saved = later.reopen(file);
    ASSERT_TRUE(saved.ok()) << error_text(saved.problems);
    auto const done = printed(later.apply(std::move(*saved.made)));
    auto const refused = later.reopen(file);

    EXPECT_TRUE(done.report.ok()) << error_text(done.problems);
    EXPECT_EQ(output_of(later), "5");
    EXPECT_FALSE(refused.made);
    ASSERT_THAT(refused.problems, testing::SizeIs(1));
    EXPECT_EQ(refused.problems.front().code, "stale_parts_of_plan");
    EXPECT_THAT(refused.problems.front().detail, testing::HasSubstr("\n - terraform_data.a\n"));
}

TEST_F(Workspace, RejectsAPlanOfAnotherWorkspace)
{
    auto const file = place.path() / "plan.bin";
    auto const planned = here().plan({});
    ASSERT_TRUE(planned.ok());
    ASSERT_TRUE(write_plan(file, planned.made->plan));
    settings all = settings_in(place.path());
    all.workspace = "blue";

    auto const saved = workspace(all).reopen(file);

    EXPECT_FALSE(saved.ok());
    EXPECT_FALSE(saved.made);
    EXPECT_TRUE(saved.problems.has_errors());
}

TEST_F(Workspace, HoldsTheLockFromThePlanToTheApply)
{
    auto const first = here();
    auto const second = here();
    auto planned = first.plan(to_apply());
    ASSERT_TRUE(planned.ok()) << error_text(planned.problems);

    auto const refused = second.plan(to_apply());
    auto const also = second.change();

    EXPECT_FALSE(refused.made);
    ASSERT_THAT(refused.problems, testing::SizeIs(1));
    EXPECT_EQ(state::kind_of(refused.problems.front()), state::state_error::locked);
    ASSERT_FALSE(also);
    EXPECT_EQ(state::kind_of(also.error()), state::state_error::locked);

    EXPECT_TRUE(printed(first.apply(std::move(*planned.made))).report.ok());
    EXPECT_TRUE(second.plan(to_apply()).ok());
}

TEST_F(Workspace, CanReadALockedStateWithoutALock)
{
    (void)printed(planned_and_applied(here()));
    auto const held = here().change();
    settings all = settings_in(place.path());
    all.lock = false;

    EXPECT_FALSE(here().plan({}).ok());
    EXPECT_TRUE(workspace(all).plan({}).ok());
}

TEST_F(Workspace, CanExistTwiceInOneProcess)
{
    temporary_directory const other;
    write_text(other.path() / "main.tf", configuration);
    workspace const one = here("10");
    workspace const two(settings_in(other.path(), "20"));

    auto beside = std::async(std::launch::async, [&] { return printed(planned_and_applied(two)); });
    auto const first = printed(planned_and_applied(one));
    auto const second = beside.get();

    EXPECT_TRUE(first.report.ok() && second.report.ok()) << error_text(first.problems) << error_text(second.problems);
    EXPECT_EQ(output_of(one), "11");
    EXPECT_EQ(output_of(two), "21");
    EXPECT_EQ(fs::current_path(), directory_before);
}

TEST_F(Workspace, HasAStateForEachNameOfOneConfiguration)
{
    settings blue = settings_in(place.path(), "2");
    blue.workspace = "blue";
    workspace const other(blue);

    (void)printed(planned_and_applied(here("1")));
    (void)printed(planned_and_applied(other));

    EXPECT_EQ(output_of(here()), "2");
    EXPECT_EQ(output_of(other), "3");
    EXPECT_THAT(*state::local_backend(place.path()).workspaces(), ElementsAre("default", "blue"));
}

TEST_F(Workspace, ReportsItsOperationsToAnObserver)
{
    std::mutex guard;
    std::vector<std::string> created;
    run_callbacks with;
    with.watch = [&](infra::event<value> const& e) {
        if (e.kind != infra::event_kind::operation_done) return;
        std::lock_guard const lock(guard);
        created.push_back(to_string(e.target));
    };
    auto const work = here();
    auto planned = work.plan(to_apply(), with);
    EXPECT_THAT(created, IsEmpty());

    (void)printed(work.apply(std::move(*planned.made), with));

    EXPECT_THAT(created, ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(Workspace, DestroysItsObjects)
{
    auto const work = here();
    (void)printed(planned_and_applied(work));

    auto planned = work.plan(to_apply(infra::plan_mode::destroy));
    ASSERT_TRUE(planned.ok()) << error_text(planned.problems);
    auto const done = printed(work.apply(std::move(*planned.made)));

    EXPECT_EQ(done.report.destroyed, 2U);
    EXPECT_THAT(work.read_state()->resources, IsEmpty());
}

class Import : public Workspace {
protected:
    Import() : Workspace("resource \"terraform_data\" \"a\" {}\n") {}

    [[nodiscard]] auto imported(char const* as, std::string const& id = "x") const -> import_result
    {
        auto const work = here();
        auto opened = work.change();
        infra::diagnostics problems;
        auto const loaded = work.load(problems);
        EXPECT_TRUE(opened && loaded != nullptr) << error_text(problems);
        return work.import(*loaded, *opened, *infra::parse_address(as), id);
    }
    [[nodiscard]] static auto code_of(import_result const& result) -> std::string
    {
        return result.problems.empty() ? "none" : result.problems.front().code;
    }
};

TEST_F(Import, AddsAnObjectToState)
{
    auto const done = imported("terraform_data.a", "known");

    EXPECT_FALSE(done.problems.has_errors()) << error_text(done.problems);
    auto const now = here().read_state();
    ASSERT_TRUE(now);
    auto const* const record = now->find(infra::address("terraform_data", "a"));
    ASSERT_TRUE(record != nullptr && record->current);
    EXPECT_NE(record->current->attributes.text().find("known"), std::string::npos);
}

TEST_F(Import, ReportsARejectionWithACode)
{
    EXPECT_EQ(code_of(imported("module.m.terraform_data.a")), messages::import_without_module.code);
    EXPECT_EQ(code_of(imported("terraform_data.b")), messages::import_without_declaration.code);
    (void)imported("terraform_data.a");
    EXPECT_EQ(code_of(imported("terraform_data.a")), messages::import_of_managed_object.code);
}

// An interrupt that the test triggers.
class manual_interrupt final : public interrupt_source {
public:
    void defer() override {}
    [[nodiscard]] auto defers() const noexcept -> bool override { return true; }
    void restore() override {}
    [[nodiscard]] auto count() const noexcept -> int override { return count_; }
    void set_handler(handler to) override
    {
        std::lock_guard const lock(guard_);
        to_ = std::move(to);
    }
    void trigger()
    {
        std::lock_guard const lock(guard_);
        if (to_) to_(++count_);
    }

private:
    std::mutex guard_;
    handler to_;
    std::atomic<int> count_ = 0;
};

// Interrupts immediately after the run of the engine has ended.
class late_interrupt final : public interrupt_source {
public:
    void defer() override {}
    [[nodiscard]] auto defers() const noexcept -> bool override { return true; }
    void restore() override {}
    [[nodiscard]] auto count() const noexcept -> int override { return count_; }
    void set_handler(handler to) override
    {
        if (!to) count_ = 1;
    }

private:
    std::atomic<int> count_ = 0;
};

TEST_F(Workspace, IsInterruptedIfTheInterruptComesAfterTheLastVisitOfAPlan)
{
    late_interrupt stop;
    auto all = settings_in(place.path());
    all.interrupts = &stop;

    auto const planned = workspace(all).plan(to_apply());

    EXPECT_TRUE(planned.interrupted);
    EXPECT_FALSE(planned.ok());
    EXPECT_FALSE(planned.made);
    EXPECT_EQ(planned.problems.front().code, messages::command_interrupted.code) << error_text(planned.problems);
}

class Interrupted : public Workspace {
protected:
    Interrupted()
        : Workspace(R"(
resource "terraform_data" "a" {
  provisioner "local-exec" { command = "sleep 60" }
}
resource "terraform_data" "b" { input = terraform_data.a.id }
)")
    {}
};

TEST_F(Interrupted, StopsAnApplyImmediatelyAndKeepsPendingOperations)
{
    manual_interrupt stop;
    auto all = settings_in(place.path());
    all.interrupts = &stop;
    workspace const work(all);
    auto planned = work.plan(to_apply());
    ASSERT_TRUE(planned.ok()) << error_text(planned.problems);
    std::atomic<int> heard = 0;
    run_callbacks with;
    with.interrupted = [&](int count) { heard = count; };
    with.watch = [&](infra::event<value> const& e) {
        if (e.kind != infra::event_kind::provision_started) return;
        stop.trigger();
        stop.trigger();
    };

    auto const done = printed(work.apply(std::move(*planned.made), with));

    EXPECT_EQ(done.interrupted, 2);
    EXPECT_EQ(heard, 2);
    EXPECT_FALSE(done.report.ok());
    EXPECT_FALSE(done.report.store_error);
    EXPECT_THAT(work.read_state()->resources, testing::SizeIs(1));
}

}  // namespace

}  // namespace iacctl::workspace
