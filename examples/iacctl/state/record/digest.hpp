// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_DIGEST_HPP
#define IACCTL_STATE_RECORD_DIGEST_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace iacctl::state {

/// A SHA-256.
using digest = std::array<std::uint8_t, 32>;

/// Hashes sequences of fields. Different sequences never produce the same input of the hash function.
class field_hasher {
public:
    field_hasher();
    field_hasher(field_hasher&&) noexcept;
    auto operator=(field_hasher&&) noexcept -> field_hasher&;
    ~field_hasher();

    /// Starts a new sequence. \param subject  the purpose of the sequence: sequences for different purposes have different
    /// hashes
    auto start(std::string_view subject) -> field_hasher&;
    auto field(std::string_view text) -> field_hasher&;
    auto field(std::int64_t number) -> field_hasher&;
    auto field(digest const& value) -> field_hasher&;
    [[nodiscard]] auto finish() -> digest;

private:
    struct context;
    std::unique_ptr<context> context_;
};

/// The sum of the digests of rows modulo 2^256, which does not depend on their order.
class content_sum {
public:
    content_sum() = default;
    explicit content_sum(digest const& bytes);

    void add(digest const& d) { combine(d, false); }
    void subtract(digest const& d) { combine(d, true); }
    [[nodiscard]] auto bytes() const -> digest;

    friend auto operator==(content_sum const&, content_sum const&) -> bool = default;

private:
    void combine(digest const& d, bool subtract);

    std::array<std::uint64_t, 4> limbs_{};
};

/// All zero unless there are 32 bytes.
[[nodiscard]] auto digest_from(std::string_view bytes) -> digest;
[[nodiscard]] auto to_hex(digest const& d) -> std::string;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_DIGEST_HPP
