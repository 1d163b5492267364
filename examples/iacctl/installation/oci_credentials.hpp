// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_INSTALLATION_OCI_CREDENTIALS_HPP
#define IACCTL_INSTALLATION_OCI_CREDENTIALS_HPP

#include "cli_configuration.hpp"
#include "support/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::installation {

/// The credentials for a repository of an OCI registry; empty: there are none.
///
/// The most specific ones are used, from the first of these sources that has any: blocks `oci_credentials` of the CLI
/// configuration, the credential files of container programs, a helper that is configured for all registries.
/// \param registry    "registry.example.com:5000"
/// \param repository  "team/network"
/// \source OpenTofu, OCI registry credentials; containers-auth.json(5)
[[nodiscard]] auto oci_credentials_for(
    oci_settings const& from, std::string const& registry, std::string const& repository) -> expected<oci_credentials>;

}  // namespace iacctl::installation

#endif  // IACCTL_INSTALLATION_OCI_CREDENTIALS_HPP
