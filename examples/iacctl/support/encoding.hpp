// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_ENCODING_HPP
#define IACCTL_SUPPORT_ENCODING_HPP

#include "unicode.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

using bytes = std::vector<unsigned char>;

enum class digest_kind { md5, sha1, sha256, sha512 };

[[nodiscard]] auto digest(std::string_view text, digest_kind kind) -> bytes;
[[nodiscard]] auto hex(bytes const& of) -> std::string;
/// The standard alphabet, padded.
[[nodiscard]] auto base64(bytes const& of) -> std::string;
[[nodiscard]] auto base64(std::string_view of) -> std::string;
/// The inverse of `base64`.
[[nodiscard]] auto from_base64(std::string_view text) -> std::optional<std::string>;
/// The alphabet for addresses, without padding.
[[nodiscard]] auto base64_url(bytes const& of) -> std::string;
[[nodiscard]] auto from_base64_url(std::string_view text) -> std::optional<bytes>;
/// Bytes as one number in decimal digits, the first byte the most significant.
[[nodiscard]] auto decimal(bytes const& of) -> std::string;

/// Code points of UTF-8 text, each as a text of its own. Bytes that are no UTF-8 stand for themselves.
[[nodiscard]] auto characters(std::string_view text) -> std::vector<std::string>;

/// Bytes from the system's generator. \throws std::runtime_error if there are none to be had
[[nodiscard]] auto random_bytes(std::size_t count) -> bytes;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_ENCODING_HPP
