// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_MODULE_UNDER_TEST_HPP
#define IACCTL_TESTING_MODULE_UNDER_TEST_HPP

#include "language/configuration/configuration.hpp"
#include "workspace/settings.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace iacctl::testing {

namespace infra = strider::infra;

/// A configuration that runs of tests execute. Its files are read once.
class module_under_test {
public:
    /// \param s  with the directory of the module
    /// \param found  receives errors in the files
    module_under_test(workspace::settings s, infra::diagnostics& found);

    [[nodiscard]] auto directory() const noexcept -> std::filesystem::path const& { return settings_.directory; }
    [[nodiscard]] auto declared() const noexcept -> language::configuration const& { return declared_; }
    /// A copy of the configuration, which may be changed.
    [[nodiscard]] auto copy() const -> language::configuration;
    /// The errors of a validation by the schemas of its providers. Thread-safe.
    [[nodiscard]] auto check() -> infra::diagnostics const&;

private:
    workspace::settings settings_;
    language::configuration declared_;
    std::map<std::string, std::string> texts_;
    std::once_flag checked_;
    std::optional<language::configuration> judged_;  // problems refer to its texts
    infra::diagnostics problems_;
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_MODULE_UNDER_TEST_HPP
