// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_EXPECTED_FAILURES_HPP
#define IACCTL_TESTING_EXPECTED_FAILURES_HPP

#include "language/configuration/test_file.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::testing {

namespace infra = strider::infra;

/// The failures of rules of the root module that a run expects, separated from other problems.
class expected_failures {
public:
    /// \param found  receives errors about invalid expectations \pre both outlive this object
    expected_failures(language::configuration const& root, std::vector<language::reference> const& expected,
        infra::diagnostics& found);

    /// The problems without the expected ones. A failed check is an error, and so is an expected failure that did not
    /// occur.
    [[nodiscard]] auto judge(infra::diagnostics problems) const -> infra::diagnostics;
    /// The problems of a plan that could not be applied. A warning before an expected problem states why the run fails
    /// nevertheless.
    [[nodiscard]] auto explain(infra::diagnostics problems) const -> infra::diagnostics;
    /// Returns whether this is a report of a check, which an apply repeats.
    [[nodiscard]] auto is_of_check(infra::diagnostic const& d) const -> bool;

private:
    /// A declaration of the root module with rules, and the instance if there is one.
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

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_EXPECTED_FAILURES_HPP
