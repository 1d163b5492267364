// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_AVAILABLE_PROVIDERS_HPP
#define IACCTL_WORKSPACE_AVAILABLE_PROVIDERS_HPP

#include "providers/catalog.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// The built-in providers, the providers that are installed for a directory, and those of TF_REATTACH_PROVIDERS. A
/// provider is started only when its schema is needed.
/// \param data_directory  of Terraform's notes, below `directory`
/// \param environment     of the process
/// \param problems        receives errors in the lock file, in the CLI configuration and in the variable
[[nodiscard]] auto available_providers(std::filesystem::path const& directory,
    std::filesystem::path const& data_directory, std::map<std::string, std::string> const& environment,
    infra::diagnostics& problems) -> std::shared_ptr<providers::catalog>;

/// The addresses in TF_REATTACH_PROVIDERS; none if the value is malformed, which `available_providers` reports.
[[nodiscard]] auto running_providers(std::map<std::string, std::string> const& environment) -> std::vector<std::string>;

/// Upgrades objects that were stored by another version of their schema.
/// \return why an object cannot be upgraded
[[nodiscard]] auto upgrade_objects(infra::snapshot& state, providers::catalog const& known) -> infra::diagnostics;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_AVAILABLE_PROVIDERS_HPP
