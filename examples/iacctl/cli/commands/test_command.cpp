// SPDX-License-Identifier: BSL-1.0
#include "base/durable_file.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "language/configuration/version_constraint.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"
#include "test_report.hpp"
#include "testing/test_suite.hpp"

#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct test_options : options_with<variable_options, message_options>,
                      json_options,
                      limit_options,
                      test_directory_options {
    std::vector<std::string> files;
    std::string junit_xml;
    bool verbose = false;
    std::string cloud_run;

    test_options() { form = json_form::stream; }
    void declare(option_list& to)
    {
        to.with_value("filter", "FILE", "Run only this test file. May be repeated.", files, completion::file);
        json_options::declare(to);
        to.with_value("junit-xml", "FILE", "Write a report in JUnit XML format to FILE.", junit_xml, completion::file);
        to.with_value("parallelism", "N[,TYPE=N...]",
            "Run at most N operations at once (default 10), and at most N parallel runs.", limits);
        test_directory_options::declare(to);
        to.on("verbose", "Show the plan or the state of each run.", verbose);
        to.with_value("cloud-run", "SOURCE", "Not supported: tests run on this machine only.", cloud_run);
        options_with::declare(to);
    }
};

auto test(test_options const& options, session const& s) -> int
{
    if (!options.cloud_run.empty()) return s.report(make_error(messages::remote_tests_not_supported));
    if (s.machine_readable()) s.stream()->version(language::language_version);
    testing::suite_options selected;
    selected.tests = options.test_directory;
    selected.files = options.files;
    selected.verbose = options.verbose;
    testing::test_suite suite(s.workspace().options(), std::move(selected));
    if (int const code = s.report(suite.load()); code != 0) return code;
    auto const view = test_view(s);
    auto const result = suite.run(*view);
    if (!options.junit_xml.empty()) {
        if (auto const error = replace_file(options.junit_xml, junit_xml(result)))
            return s.report(make_error(messages::report_not_written, {options.junit_xml, error.message()}));
        s.tell_written("report", options.junit_xml);
    }
    if (result.interrupted) return interrupted_code;
    return result.status > testing::test_status::pass ? 1 : 0;
}

constexpr std::string_view examples_of_test[] = {
    "iacctl test", "iacctl test -filter=tests/network.tftest.hcl -verbose", "iacctl test -junit-xml=report.xml"};

}  // namespace

constinit command const test_command{"test",
    {.configuration = configuration_use::values, .providers = true, .terminal = terminal_use::questions}, begin<test>,
    "Run the tests of the configuration",
    "Executes the runs of the test files *.tftest.hcl and *.tftest.json, or *.tofutest.hcl and *.tofutest.json, in "
    "the current directory and in \"tests\": each plans or applies the configuration, or another module, and checks "
    "assertions. At the end of each file, destroys the objects that its runs have created. State is kept in "
    "memory; the state of the workspace is not used.",
    {}, examples_of_test};

}  // namespace iacctl::commands
