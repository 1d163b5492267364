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
[[nodiscard]] auto refuse_file_name(value const& path) -> std::optional<call_failure>;
/// Reads the file at a path.
[[nodiscard]] auto read_file(value const& path) -> call_result<file_content>;
/// The same for a file that must contain text.
[[nodiscard]] auto read_text_file(value const& path) -> call_result<file_content>;
/// Text from the operating system; an error if it is not UTF-8. \param subject  names it in the message
[[nodiscard]] auto system_text(std::string bytes, std::string const& subject) -> call_result<value>;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_FILE_CONTENT_HPP
