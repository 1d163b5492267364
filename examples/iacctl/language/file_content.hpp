// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FILE_CONTENT_HPP
#define IACCTL_LANGUAGE_FILE_CONTENT_HPP

#include "functions.hpp"
#include "input_file.hpp"

namespace iacctl::language::detail {

/// Reads the file that the first argument of a function names.
[[nodiscard]] call_result<file_content> read_file(value const& path);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FILE_CONTENT_HPP
