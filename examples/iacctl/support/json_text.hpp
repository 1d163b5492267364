// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_JSON_TEXT_HPP
#define IACCTL_SUPPORT_JSON_TEXT_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// Appends `text` as a JSON string as Terraform writes it: `<`, `>`, `&` and the two line separators of
/// Unicode escaped, everything else beyond ASCII as it is. Bytes that are not UTF-8 become U+FFFD: what is written can be read.
void append_json_string(std::string& out, std::string_view text);

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_JSON_TEXT_HPP
