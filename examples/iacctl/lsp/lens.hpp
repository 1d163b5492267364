// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_LENS_HPP
#define IACCTL_LSP_LENS_HPP

#include "features.hpp"

#include <map>
#include <string>
#include <string_view>

namespace iacctl::lsp {

/// The command that runs the tests of a file. Its argument is the URI of the file.
inline constexpr std::string_view run_tests_command = "iacctl.runTests";

/// The last result of each run of test files, by path and name: "pass", "fail".
using run_states = std::map<std::string, std::map<std::string, std::string>>;

/// The JSON of the lenses of a document: the number of references of each declaration, and a command for each run of a
/// test.
[[nodiscard]] auto code_lenses(feature_context const& context, document const& in, run_states const& states)
    -> std::string;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_LENS_HPP
