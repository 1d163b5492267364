// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_JSON_TEXT_HPP
#define IACCTL_BASE_JSON_TEXT_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// Appends a text as a JSON string in Terraform's format: `<`, `>`, `&` and the two line separators of Unicode are
/// escaped, other characters beyond ASCII are not. Bytes that are not UTF-8 become U+FFFD, so that the result is valid.
void append_json_string(std::string& out, std::string_view text);

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_TEXT_HPP
