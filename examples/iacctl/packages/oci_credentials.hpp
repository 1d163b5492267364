// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_OCI_CREDENTIALS_HPP
#define IACCTL_PACKAGES_OCI_CREDENTIALS_HPP

#include "base/expected.hpp"
#include "cli_configuration.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::packages {

/// The credentials for a repository of an OCI registry; empty: there are none.
///
/// The most specific ones are used, from the first of these sources that has any: blocks `oci_credentials` of the CLI
/// configuration, the credential files of container programs, a helper that is configured for all registries.
/// \param registry    "registry.example.com:5000"
/// \param repository  "team/network"
/// \source OpenTofu, OCI registry credentials; containers-auth.json(5)
[[nodiscard]] auto oci_credentials_for(
    oci_settings const& from, std::string const& registry, std::string const& repository) -> expected<oci_credentials>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_OCI_CREDENTIALS_HPP
