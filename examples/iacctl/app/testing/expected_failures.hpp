// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_TESTING_EXPECTED_FAILURES_HPP
#define IACCTL_APP_TESTING_EXPECTED_FAILURES_HPP

#include "language/configuration/test_file.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::app::tests {

namespace infra = strider::infra;

/// The failures of rules of the root module that a run expects, told apart from other problems.
class expected_failures {
public:
    /// \param found  receives errors about what cannot be expected
    /// \pre both outlive this
    expected_failures(language::configuration const& root, std::vector<language::reference> const& expected,
        language::diagnostics& found);

    /// The problems without those that were expected. A check that fails is an error, and so is a failure that was expected and is
    /// not there.
    [[nodiscard]] auto judge(infra::diagnostics of) const -> infra::diagnostics;
    /// The problems of a plan that could not be applied: before what was expected, a warning says why the run fails all the same.
    [[nodiscard]] auto explain(infra::diagnostics of) const -> infra::diagnostics;
    /// Does a check report this? An apply repeats it.
    [[nodiscard]] auto is_of_check(infra::diagnostic const& d) const -> bool;

private:
    /// Something of the root module that has rules, and the instance if there is one.
    struct subject {
        std::string address;
        std::string instance;
    };
    [[nodiscard]] auto subject_of(infra::diagnostic const& d) const -> std::optional<subject>;
    [[nodiscard]] auto find(infra::diagnostic const& d) const -> language::reference const*;

    std::vector<language::reference> const* expected_;
    std::map<std::pair<std::string, std::uint32_t>, std::string> rules_;  // by place of the text
    std::map<std::string, std::string> check_of_;  // by address of its data; empty in modules that are called
};

}  // namespace iacctl::app::tests

#endif  // IACCTL_APP_TESTING_EXPECTED_FAILURES_HPP
