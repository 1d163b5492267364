// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_PERFORM_HPP
#define IACCTL_PROVIDERS_BUILT_IN_PERFORM_HPP

#include "providers/operation.hpp"

#include <strider/infra/model/address.hpp>

#include <string_view>

namespace iacctl::providers {

/// Performs an operation in this process. Relative paths begin in the current directory.
[[nodiscard]] auto perform(operation o) -> task<operation_answer>;

/// True if operations of a built-in type of resources or data can be performed on another machine.
[[nodiscard]] auto can_be_placed(strider::infra::resource_mode mode, std::string_view type) noexcept -> bool;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_PERFORM_HPP
