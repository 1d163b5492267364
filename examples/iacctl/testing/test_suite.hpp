// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_TEST_SUITE_HPP
#define IACCTL_TESTING_TEST_SUITE_HPP

#include "language/configuration/test_file.hpp"
#include "module_under_test.hpp"
#include "test_result.hpp"
#include "workspace/settings.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace iacctl::testing {

struct suite_options {
    std::filesystem::path tests = "tests";  ///< the directory of tests, relative to the configuration
    std::vector<std::string> files;  ///< only these; empty: all
    bool verbose = false;  ///< results have plans and states
};

/// The tests of a configuration. States are in memory: neither the state of a workspace nor its lock is used.
class test_suite {
public:
    test_suite(workspace::settings s, suite_options requested);

    /// Reads configuration and test files.
    /// \return errors: there is nothing to run
    [[nodiscard]] auto load() -> infra::diagnostics;
    /// Runs all tests, and at the end of each file destroys the objects that its runs have created. After an interrupt,
    /// only the destruction is carried out.
    /// \pre `load` returned no error
    [[nodiscard]] auto run(test_listener& to) -> suite_result;

private:
    workspace::settings settings_;
    suite_options requested_;
    std::vector<language::test_file> files_;
    std::map<std::string, std::unique_ptr<module_under_test>> modules_;  // by source; "" is the configuration itself
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_TEST_SUITE_HPP
