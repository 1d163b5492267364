// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_FILE_DIGESTS_HPP
#define IACCTL_PROVIDERS_BUILT_IN_FILE_DIGESTS_HPP

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "providers/resource_type.hpp"

#include <array>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// The attributes with digests of the content, in all types about files.
inline constexpr std::array<std::string_view, 7> file_digest_names{"id", "content_md5", "content_sha1",
    "content_sha256", "content_base64sha256", "content_sha512", "content_base64sha512"};

[[nodiscard]] inline auto with_file_digests(value const& v, std::string_view content) -> value
{
    auto const sha1 = value(hex(digest(content, digest_kind::sha1)));
    auto const sha256 = digest(content, digest_kind::sha256);
    auto const sha512 = digest(content, digest_kind::sha512);
    return with(v,
        {{"id", sha1}, {"content_md5", value(hex(digest(content, digest_kind::md5)))}, {"content_sha1", sha1},
            {"content_sha256", value(hex(sha256))}, {"content_base64sha256", value(base64(sha256))},
            {"content_sha512", value(hex(sha512))}, {"content_base64sha512", value(base64(sha512))}});
}

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_FILE_DIGESTS_HPP
