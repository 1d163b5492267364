// SPDX-License-Identifier: BSL-1.0
#include "commands/interrupts.hpp"
#include "commands/session.hpp"
#include "state/state_error.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace {

using namespace iacctl;
using namespace iacctl::commands;
using state::state_error;

class ExitCode : public testing::Test {
protected:
    [[nodiscard]] auto after(infra::diagnostics const& first, infra::diagnostics const& then, int of_command) -> int
    {
        session const s(asked_, out_, err_, {}, "default");
        (void)s.tell(first);
        (void)s.tell(then);
        return s.exit_code(of_command);
    }

    infra::diagnostic const warning_ = infra::make_warning("w", "");
    infra::diagnostic const error_ = infra::make_error("e", "");
    infra::diagnostic const unsaved_ = state::make_diagnostic(state_error::not_saved, "");
    infra::diagnostic const locked_ = state::make_diagnostic(state_error::locked, "");

private:
    request asked_;
    std::ostringstream out_, err_;
};

TEST_F(ExitCode, IsThatOfTheWorstDiagnosticAndNotOfTheLast)
{
    EXPECT_EQ(after({}, {warning_}, 0), 0);
    EXPECT_EQ(after({error_}, {warning_}, 0), 1);
    EXPECT_EQ(after({unsaved_}, {warning_}, 0), 5);
    EXPECT_EQ(after({unsaved_}, {error_}, 0), 5);
    EXPECT_EQ(after({error_}, {locked_}, 0), 3);
    EXPECT_EQ(after({locked_}, {unsaved_}, 0), 5);
    EXPECT_EQ(after({unsaved_}, {locked_}, 0), 5);
}

TEST_F(ExitCode, IsThatOfTheCommandWhereNothingIsWrongWithState)
{
    EXPECT_EQ(after({warning_}, {}, 2), 2);
    EXPECT_EQ(after({error_}, {}, interrupted_code), interrupted_code);
    EXPECT_EQ(after({unsaved_}, {}, interrupted_code), 5);
}

TEST_F(ExitCode, IsNotChangedByWhatIsOnlyShown)
{
    request const asked;
    std::ostringstream out, err;
    session const s(asked, out, err, {}, "default");

    EXPECT_EQ(s.show({error_}), 1);

    EXPECT_EQ(s.exit_code(0), 0);
}

}  // namespace
