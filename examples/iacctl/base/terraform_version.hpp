// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_TERRAFORM_VERSION_HPP
#define IACCTL_BASE_TERRAFORM_VERSION_HPP

#include <string_view>

namespace iacctl {

/// The version of Terraform with which this program is compatible, as written to states and locks.
inline constexpr std::string_view terraform_version = "1.11.4";

}  // namespace iacctl

#endif  // IACCTL_BASE_TERRAFORM_VERSION_HPP
