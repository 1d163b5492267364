// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FUNCTIONS_FILE_CONTENT_HPP
#define IACCTL_LANGUAGE_FUNCTIONS_FILE_CONTENT_HPP

#include "language/evaluation/functions.hpp"

#include <optional>
#include <string>

namespace iacctl::language::detail {

/// The bytes of a file, which need not be text.
struct file_content {
    std::string bytes;
};

/// The reason why an argument is not a valid path of a file; nothing if it is one.
[[nodiscard]] std::optional<call_failure> refuse_file_name(value const& path);
/// Reads the file at a path.
[[nodiscard]] call_result<file_content> read_file(value const& path);
/// The same for a file that must contain text.
[[nodiscard]] call_result<file_content> read_text_file(value const& path);
/// Text from the operating system; an error if it is not UTF-8. \param what  names it in the message
[[nodiscard]] call_result<value> system_text(std::string bytes, std::string const& what);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_FILE_CONTENT_HPP
