// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_SCHEMA_JSON_HPP
#define IACCTL_CLI_COMMANDS_SCHEMA_JSON_HPP

#include "providers/provider.hpp"

#include <map>
#include <string>

namespace iacctl::commands {

/// The document of "providers schema -json", for schemas of providers by their addresses.
/// \source Terraform, JSON output of "terraform providers schema", format 1.0
[[nodiscard]] auto schemas_json(std::map<std::string, providers::provider_schema const*> const& all) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_SCHEMA_JSON_HPP
