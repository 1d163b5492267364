// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_ENCODING_HPP
#define IACCTL_BASE_ENCODING_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// Bytes as hexadecimal digits.
[[nodiscard]] auto hex(std::string_view bytes) -> std::string;
/// Bytes in base64 with the standard alphabet, padded.
[[nodiscard]] auto base64(std::string_view bytes) -> std::string;
/// The inverse of `base64`; line ends are ignored.
[[nodiscard]] auto from_base64(std::string_view text) -> std::optional<std::string>;
/// Bytes in base64 with the alphabet for URLs, without padding.
[[nodiscard]] auto base64_url(std::string_view bytes) -> std::string;
/// The inverse of `base64_url`.
[[nodiscard]] auto from_base64_url(std::string_view text) -> std::optional<std::string>;
/// The bytes as one number in decimal digits, most significant byte first.
[[nodiscard]] auto decimal(std::string_view bytes) -> std::string;

/// Appends a byte as "%2F".
void append_percent(std::string& out, char byte);

}  // namespace iacctl

#endif  // IACCTL_BASE_ENCODING_HPP
