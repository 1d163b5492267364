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

/// The address of the provider that has a local name ("aws" or "aws.alias") in a module.
[[nodiscard]] auto provider_named(configuration const& in, std::string_view name) -> std::string;

/// The function of a name in a module, or null. `provider::NAME::FUNCTION` is a function of a provider in
/// `required_providers`.
/// \param provided  the functions of providers that are not built in; may be null
[[nodiscard]] auto find_function_in(configuration const& in, std::string_view name, function_source const* provided)
    -> function const*;
/// Advice for a function that `find_function_in` does not find, for the end of a message; may be empty.
[[nodiscard]] auto way_to_function_in(configuration const& in, std::string_view name, function_source const* provided)
    -> std::string;

/// The local name of the provider of a resource: its argument `provider`, or else the first word of its type.
[[nodiscard]] auto provider_name_of(resource const& r) -> std::string_view;

/// The address of the provider of a resource: from its argument `provider`, or else from its type.
[[nodiscard]] auto provider_of(configuration const& in, resource const& r) -> std::string;

/// The addresses of all providers that a configuration and its modules require, each with one place that requires it.
[[nodiscard]] auto providers_asked_for(configuration const& root) -> std::map<std::string, source_range>;

/// The same with the version constraints of each module; the list is empty for a provider without constraints.
[[nodiscard]] auto provider_versions_asked_for(configuration const& root)
    -> std::map<std::string, std::vector<std::string>>;

/// The `provider` blocks that configure the provider of some resource of the configuration or of its modules. The
/// others are not evaluated.
[[nodiscard]] auto used_providers(configuration const& root) -> std::set<provider_block const*>;

/// Checks one part of the address of a provider; reports an error if it is invalid.
[[nodiscard]] auto is_name_part(std::string_view text) -> bool;

/// Reports contradictions between names of providers: in `required_providers`, in `providers` of module calls, and in
/// the called modules.
/// \source checked against Terraform 1.11.4, summary by summary.
void check_providers(configuration const& root, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_PROVIDER_REQUIREMENTS_HPP
