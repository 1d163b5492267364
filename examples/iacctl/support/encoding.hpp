// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_ENCODING_HPP
#define IACCTL_SUPPORT_ENCODING_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// Any bytes as text. Bytes stand in strings.
[[nodiscard]] auto hex(std::string_view bytes) -> std::string;
/// The standard alphabet, padded.
[[nodiscard]] auto base64(std::string_view bytes) -> std::string;
/// The inverse of `base64`; line ends in it do not matter.
[[nodiscard]] auto from_base64(std::string_view text) -> std::optional<std::string>;
/// The alphabet for addresses, without padding.
[[nodiscard]] auto base64_url(std::string_view bytes) -> std::string;
/// The inverse of `base64_url`.
[[nodiscard]] auto from_base64_url(std::string_view text) -> std::optional<std::string>;
/// Bytes as one number in decimal digits, the first byte the most significant.
[[nodiscard]] auto decimal(std::string_view bytes) -> std::string;

/// Appends "%2F" for '/', for example.
void append_percent(std::string& out, char byte);

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_ENCODING_HPP
