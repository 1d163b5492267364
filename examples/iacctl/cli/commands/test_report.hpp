// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_TEST_REPORT_HPP
#define IACCTL_CLI_COMMANDS_TEST_REPORT_HPP

#include "session.hpp"
#include "testing/test_result.hpp"

#include <memory>
#include <string>

namespace iacctl::commands {

/// Shows the progress of tests, as text or, with -json, as lines of JSON.
[[nodiscard]] auto test_view(session const& s) -> std::unique_ptr<testing::test_listener>;

/// A report in JUnit XML: a suite for each file, and a case for each run.
[[nodiscard]] auto junit_xml(testing::suite_result const& result) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_TEST_REPORT_HPP
