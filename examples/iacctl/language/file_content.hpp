// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FILE_CONTENT_HPP
#define IACCTL_LANGUAGE_FILE_CONTENT_HPP

#include "functions.hpp"

#include <string>

namespace iacctl::language::detail {

/// The bytes of a file, which need not be text.
struct file_content {
    std::string bytes;
};

/// Reads the file that the first argument of a function names.
[[nodiscard]] call_result<file_content> read_file(value const& path);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FILE_CONTENT_HPP
