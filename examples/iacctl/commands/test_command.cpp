// SPDX-License-Identifier: BSL-1.0
#include "app/testing/test_suite.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "support/durable_file.hpp"
#include "test_report.hpp"

#include <utility>

namespace iacctl::commands {

auto test(session const& s) -> int
{
    request const& requested = s.requested();
    if (!requested.cloud_run.empty()) return s.report(make_error(messages::remote_tests_not_supported));
    if (s.machine_readable()) s.stream()->version(language::language_version);
    app::tests::suite_options options;
    options.tests = requested.test_directory;
    options.files = requested.test_files;
    options.verbose = requested.verbose;
    app::tests::test_suite suite(s.workspace().options(), std::move(options));
    if (int const code = s.report(suite.load()); code != 0) return code;
    auto const view = test_view(s);
    auto const result = suite.run(*view);
    if (!requested.junit_xml.empty())
        if (auto const error = replace_file(requested.junit_xml, junit_xml(result)))
            return s.report(make_error(messages::report_not_written, {requested.junit_xml, error.message()}));
    if (result.interrupted) return interrupted_code;
    return result.status > app::tests::test_status::pass ? 1 : 0;
}

}  // namespace iacctl::commands
