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

/// Why a path that is given to a function can name no file; nothing if it can.
[[nodiscard]] std::optional<call_failure> refuse_file_name(value const& path);
/// Reads the file that the first argument of a function names.
[[nodiscard]] call_result<file_content> read_file(value const& path);
/// The same for a file that must be text.
[[nodiscard]] call_result<file_content> read_text_file(value const& path);
/// Text that comes from the system; refused if it is not UTF-8. \param what  names it in the message
[[nodiscard]] call_result<value> system_text(std::string bytes, std::string const& what);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_FILE_CONTENT_HPP
