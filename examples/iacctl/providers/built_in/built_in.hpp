// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_BUILT_IN_HPP
#define IACCTL_PROVIDERS_BUILT_IN_BUILT_IN_HPP

#include "providers/data_source.hpp"
#include "providers/provider.hpp"
#include "providers/resource_type.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// The providers that are part of this program.
[[nodiscard]] auto built_in_providers() -> std::span<std::shared_ptr<provider_source> const>;

/// The built-in providers, for messages: "hashicorp/local, hashicorp/null".
[[nodiscard]] auto built_in_list() -> std::string;

/// A built-in type by name; null if there is none.
[[nodiscard]] auto find_resource_type(std::string_view name) noexcept -> resource_type const*;
[[nodiscard]] auto find_data_source(std::string_view name) noexcept -> data_source const*;

/// All built-in types, sorted by name.
[[nodiscard]] auto resource_types() -> std::span<resource_type const* const>;
[[nodiscard]] auto data_sources() -> std::span<data_source const* const>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_BUILT_IN_HPP
