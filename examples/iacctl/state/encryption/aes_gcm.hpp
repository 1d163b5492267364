// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_ENCRYPTION_AES_GCM_HPP
#define IACCTL_STATE_ENCRYPTION_AES_GCM_HPP

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::encryption {

/// Authenticated encryption with AES in Galois/counter mode: random nonces of 96 bits, tags of 128 bits. Sealed data
/// are the nonce, the ciphertext and the tag, in this order.
///
/// Copies share the key, which is overwritten in memory when the last of them is destroyed. Thread-safe.
/// \source NIST SP 800-38D; the order of the parts is that of Go's `cipher.AEAD`, and thus of OpenTofu
class aes_gcm {
public:
    static constexpr std::size_t nonce_size = 12;
    static constexpr std::size_t tag_size = 16;

    [[nodiscard]] static auto is_key_size(std::size_t bytes) noexcept -> bool
    {
        return bytes == 16 || bytes == 24 || bytes == 32;
    }

    /// \pre is_key_size(key.size())
    explicit aes_gcm(std::string key);

    /// \param associated  authenticated, but not part of the result: `open` needs the same text
    /// \throws std::system_error if the system returns no random bytes, std::bad_alloc
    [[nodiscard]] auto seal(std::string_view text, std::string_view associated = {}) const -> std::string;
    /// Nothing if the data were sealed with another key or other associated data, or have been changed.
    [[nodiscard]] auto open(std::string_view sealed, std::string_view associated = {}) const
        -> std::optional<std::string>;

private:
    std::shared_ptr<std::string const> key_;
};

/// Overwrites a secret before its memory is used for something else.
void erase(std::string& secret) noexcept;

}  // namespace iacctl::encryption

#endif  // IACCTL_STATE_ENCRYPTION_AES_GCM_HPP
