// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_POLICY_REGO_HPP
#define IACCTL_POLICY_REGO_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/values/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::policy {

namespace infra = strider::infra;

/// Texts of sensitive values, which messages must not show.
class secrets {
public:
    /// Adds marked strings and numbers that have at least three characters.
    /// \param sensitive  adds all parts of the value
    void add(language::value const& v, bool sensitive = false);
    /// The text with the values hidden.
    [[nodiscard]] auto hidden_in(std::string text) const -> std::string;

private:
    std::vector<std::string> all_;
};

/// The Rego files of a directory, evaluated by the program `opa`.
class rego_policies {
public:
    explicit rego_policies(std::string directory) : directory_(std::move(directory)) {}

    /// Adds a file. \param name  of the file, below the directory
    void read(std::string const& name, std::string_view text, infra::diagnostics& found);

    /// Reports messages of the rules `deny`, `violation` (errors) and `warn` (warnings) of all packages.
    /// \param document  the output of `show -json` for the plan
    void check(std::string const& document, secrets const& hidden, infra::diagnostics& found) const;

    [[nodiscard]] auto empty() const noexcept -> bool { return files_.empty(); }

private:
    std::string directory_;
    std::vector<std::string> files_;  // in ascending order
    std::vector<std::string> packages_;
};

}  // namespace iacctl::policy

#endif  // IACCTL_POLICY_REGO_HPP
