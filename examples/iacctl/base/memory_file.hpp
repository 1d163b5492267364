// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_MEMORY_FILE_HPP
#define IACCTL_BASE_MEMORY_FILE_HPP

#include "file_descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace iacctl {

/// A file without a name, positioned at its begin: as the input of a program that may not read it, in place of a pipe, which
/// could block this one. No descriptor on failure, with `errno`.
[[nodiscard]] auto memory_file(std::string_view content) -> file_descriptor;

/// A file without a name and with a maximum size, if the limits of the process allow that size; further writes fail. Pages
/// are allocated on write.
[[nodiscard]] auto bounded_memory_file(std::size_t size) -> file_descriptor;

/// The content that was written to a bounded file; all writers share the position.
[[nodiscard]] auto content_of(file_descriptor const& file) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_MEMORY_FILE_HPP
