// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_PROVIDER_CONFIGURATIONS_HPP
#define IACCTL_PROGRAM_PROVIDER_CONFIGURATIONS_HPP

#include "hcl_program.hpp"

#include <string>
#include <string_view>

namespace iacctl::program {

/// The provider that a name means in a module, as state files write it; empty: none of this program.
[[nodiscard]] auto stored_provider(hcl_program::module const& m, std::string_view name) -> std::string;

/// The same for the provider of a resource.
[[nodiscard]] auto stored_provider(hcl_program::module const& m, language::resource const& of) -> std::string;

/// The address of the configuration that a module uses of a provider: its own, one that it was given, or that of its
/// callers; `module.m.provider["…"].alias`. Whether it exists is another question.
[[nodiscard]] auto configuration_of(hcl_program::module const& m, std::string const& provider, std::string_view alias)
    -> std::string;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_PROVIDER_CONFIGURATIONS_HPP
