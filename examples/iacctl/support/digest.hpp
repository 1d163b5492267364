// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_DIGEST_HPP
#define IACCTL_SUPPORT_DIGEST_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl {

enum class digest_kind : std::uint8_t { md5, sha1, sha256, sha512 };

/// The digest of bytes, as bytes.
[[nodiscard]] auto digest(std::string_view of, digest_kind kind) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_DIGEST_HPP
