// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_TEST_RESULTS_HPP
#define IACCTL_LSP_TEST_RESULTS_HPP

#include "language/syntax/source.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

/// The output of `iacctl test -json`, and how the process ended.
struct test_output {
    std::string lines;
    std::string end;  ///< "exit status 1", or why it did not start
};

/// Runs the tests in a file of a configuration with `iacctl test -json`, and calls `done` on the thread of the server.
/// \param file  relative to the directory
using test_runner = std::function<void(
    std::string const& directory, std::string const& file, std::function<void(test_output const&)> done)>;

/// A failure that a run of tests reported.
struct test_problem {
    std::string path;  ///< of the file; empty: it has no place
    language::byte_range at;
    bool is_error = true;
    std::string code;
    std::string text;
};

/// The results of the tests of one file.
struct test_results {
    std::map<std::string, std::string> runs;  ///< "pass", "fail", "error" or "skip", by name
    std::vector<test_problem> problems;
    std::string summary;  ///< of the program: "Success! 2 passed, 0 failed."; empty: the tests did not begin
    bool passed = false;
};

/// Reads the output of `iacctl test -json` for one file. \param directory  of the configuration
[[nodiscard]] auto read_test_results(std::string_view output, std::string const& directory) -> test_results;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_TEST_RESULTS_HPP
