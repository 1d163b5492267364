// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_REQUIRED_PROVIDERS_HPP
#define IACCTL_CLI_COMMANDS_REQUIRED_PROVIDERS_HPP

#include "language/configuration/configuration.hpp"
#include "packages/provider_id.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <map>
#include <string>

namespace iacctl::commands {

namespace infra = strider::infra;

/// The providers that a configuration and its state require, each with the versions that all modules accept.
class required_providers {
public:
    required_providers() = default;
    explicit required_providers(language::configuration const& c);

    /// Adds the providers of objects in state that are not built in.
    void add(infra::snapshot const& state);

    /// Adds the place that requires a provider to the problems with its package. A problem with the access to the
    /// package becomes an error that names the provider and the ways to the package. \param ways  lines of a list
    [[nodiscard]] auto explained(packages::provider_id const& p, infra::diagnostics const& problems,
        std::string const& ways) const -> infra::diagnostics;

    packages::requirements accepted;

private:
    // A block of the configuration, or else an object in state.
    struct requirer {
        infra::source_excerpt place;
        std::string object;
    };
    std::map<packages::provider_id, requirer> by_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_REQUIRED_PROVIDERS_HPP
