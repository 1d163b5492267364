// SPDX-License-Identifier: BSL-1.0
#include "messages/exit_codes.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/interrupts.hpp"
#include "cli/commands/session.hpp"
#include "messages/catalogue.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/state_error.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

using namespace iacctl;
using namespace iacctl::commands;

class ExitCode : public testing::Test {
protected:
    [[nodiscard]] auto after(infra::diagnostics const& first, infra::diagnostics const& then, int of_command) -> int
    {
        session const s(version_command, {}, out_, err_, {}, "default");
        (void)s.report(first);
        (void)s.report(then);
        return s.exit_code(of_command);
    }

    infra::diagnostic const warning_ = infra::make_warning(infra::codes::blocked_moves);
    infra::diagnostic const error_ = infra::make_error(infra::codes::planning_stopped);
    infra::diagnostic const unsaved_ = messages::make_error(messages::state_not_saved, {"state.db", "no space"});
    infra::diagnostic const locked_ = messages::make_error(messages::state_locked, {"lock", "somebody"});
    infra::diagnostic const stale_ = infra::make_error(infra::codes::stale_plan);
    infra::diagnostic const undecided_ = infra::make_error(infra::codes::undecided_operation, {"create", "a.b"}, "a.b");

private:
    std::ostringstream out_, err_;
};

TEST_F(ExitCode, IsThatOfTheMostSevereDiagnostic)
{
    EXPECT_EQ(after({}, {warning_}, 0), 0);
    EXPECT_EQ(after({error_}, {warning_}, 0), 1);
    EXPECT_EQ(after({unsaved_}, {warning_}, 0), 5);
    EXPECT_EQ(after({unsaved_}, {error_}, 0), 5);
    EXPECT_EQ(after({error_}, {locked_}, 0), 3);
    EXPECT_EQ(after({locked_}, {unsaved_}, 0), 5);
    EXPECT_EQ(after({unsaved_}, {locked_}, 0), 5);
    EXPECT_EQ(after({stale_}, {error_}, 0), 6);
    EXPECT_EQ(after({undecided_}, {error_}, 0), 7);
}

TEST(ExitCodes, AreTheSameForAllMessagesOfAKind)
{
    for (messages::message_text const& one : messages::all_messages()) {
        auto const kind = state::kind_of(one.code);
        if (kind == state::state_error::none) continue;
        EXPECT_EQ(messages::exit_code_of(one.code), messages::exit_code_of(state::code_of(kind))) << one.code;
    }
}

// Scripts may depend on these exit codes, so they must not change.
TEST(ExitCodes, DoNotChange)
{
    EXPECT_EQ(messages::exit_code_of("state_locked"), 3);
    EXPECT_EQ(messages::exit_code_of("state_damaged"), 4);
    EXPECT_EQ(messages::exit_code_of("state_foreign_database"), 4);
    EXPECT_EQ(messages::exit_code_of("state_newer_format"), 4);
    EXPECT_EQ(messages::exit_code_of("state_not_saved"), 5);
    EXPECT_EQ(messages::exit_code_of("state_overtaken"), 5);
    EXPECT_EQ(messages::exit_code_of("stale_plan"), 6);
    EXPECT_EQ(messages::exit_code_of("undecided_operation"), 7);
    EXPECT_EQ(messages::exit_code_of("state_unreadable"), 1);
    EXPECT_EQ(messages::exit_code_of(""), 1);
}

TEST_F(ExitCode, IsThatOfTheCommandIfStateIsUndamaged)
{
    EXPECT_EQ(after({warning_}, {}, 2), 2);
    EXPECT_EQ(after({error_}, {}, interrupted_code), interrupted_code);
    EXPECT_EQ(after({unsaved_}, {}, interrupted_code), 5);
}

TEST_F(ExitCode, IsNotChangedByShownDiagnostics)
{
    std::ostringstream out, err;
    session const s(version_command, {}, out, err, {}, "default");

    EXPECT_EQ(s.show({error_}), 1);

    EXPECT_EQ(s.exit_code(0), 0);
}

}  // namespace
