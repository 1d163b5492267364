// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_PROVIDER_REQUIREMENTS_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_PROVIDER_REQUIREMENTS_HPP

#include "configuration.hpp"
#include "language/evaluation/functions.hpp"
#include "language/syntax/diagnostic.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// The address of the provider that a name ("aws" or "aws.alias") stands for in a module.
[[nodiscard]] std::string provider_named(configuration const& in, std::string_view name);

/// The function that a name stands for in a module, or null: `provider::NAME::FUNCTION` is one of a provider that
/// `required_providers` names.
/// \param provided  the functions of providers that are not built in; may be null
[[nodiscard]] function const* find_function_in(
    configuration const& in, std::string_view name, function_source const* provided);

/// The address of the provider that a resource asks for: by its argument `provider`, else by its type.
[[nodiscard]] std::string provider_of(configuration const& in, resource const& of);

/// The addresses of all providers that a configuration and its modules ask for, each with a place that does.
[[nodiscard]] std::map<std::string, source_range> providers_asked_for(configuration const& root);

/// The same with the version constraints that each module has for each of them; of one without any, the list is empty.
[[nodiscard]] std::map<std::string, std::vector<std::string>> provider_versions_asked_for(configuration const& root);

/// Blocks for providers that some resource of the configuration or of its modules is worked on with. Nobody evaluates
/// the others.
[[nodiscard]] std::set<provider_block const*> used_providers(configuration const& root);

/// Checks one part of the address of a provider; reports an error if it is invalid.
[[nodiscard]] bool is_name_part(std::string_view text);

/// Tells where names of providers contradict each other: in `required_providers`, in `providers` of module calls, and in
/// the modules that these are for.
/// \source checked against Terraform 1.11.4, summary by summary.
void check_providers(configuration const& root, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_PROVIDER_REQUIREMENTS_HPP
