// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_PROVIDER_CONFIGURATIONS_HPP
#define IACCTL_WORKSPACE_PROGRAM_PROVIDER_CONFIGURATIONS_HPP

#include "hcl_program.hpp"

#include <string>
#include <string_view>

namespace iacctl::program {

/// The provider with a name in a module, in the format of state files; empty if it does not exist in this program.
[[nodiscard]] auto stored_provider(hcl_program::module const& m, std::string_view name) -> std::string;

/// The same for the provider of a resource.
[[nodiscard]] auto stored_provider(hcl_program::module const& m, language::resource const& r) -> std::string;

using used_configuration = hcl_declarations::used_configuration;
[[nodiscard]] auto configuration_of(hcl_program::module const& m, std::string const& provider, std::string_view alias)
    -> used_configuration;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_PROVIDER_CONFIGURATIONS_HPP
