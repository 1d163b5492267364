// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_FILES_HPP
#define IACCTL_PROVIDERS_FILES_HPP

#include <sys/types.h>

#include <string>
#include <string_view>
#include <system_error>

namespace iacctl::providers {

/// Writes a file that appears whole or not at all.
[[nodiscard]] auto write_whole(std::string const& path, std::string_view text, mode_t mode) -> std::error_code;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_FILES_HPP
