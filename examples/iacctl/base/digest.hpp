// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_DIGEST_HPP
#define IACCTL_BASE_DIGEST_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iacctl {

enum class digest_kind : std::uint8_t { md5, sha1, sha256, sha512 };

/// The digest of a text, as bytes.
[[nodiscard]] auto digest(std::string_view text, digest_kind kind) -> std::string;

/// The HMAC of a text with SHA-256, as bytes.
[[nodiscard]] auto hmac_sha256(std::string_view key, std::string_view text) -> std::string;

/// The SHA-256 digest of data in pieces.
class sha256_stream {
public:
    sha256_stream();
    sha256_stream(sha256_stream&&) noexcept;
    auto operator=(sha256_stream&&) noexcept -> sha256_stream&;
    ~sha256_stream();

    /// Starts again, without data.
    void restart();
    void add(std::string_view piece);
    /// The digest, as bytes. \pre no call of finish since construction or the last restart
    [[nodiscard]] auto finish() -> std::string;
    void finish(std::span<std::uint8_t, 32> result);

private:
    struct context;
    std::unique_ptr<context> context_;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_DIGEST_HPP
