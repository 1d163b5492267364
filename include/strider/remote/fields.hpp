// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_FIELDS_HPP
#define STRIDER_REMOTE_FIELDS_HPP

#include <strider/version.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strider::remote {

/// Appends fields to bytes: integers in network byte order, texts with their length before them.
///
/// The messages of the protocol consist of such fields. Actions may use them too.
class field_writer {
public:
    /// Appends to `to`, which must outlive the writer.
    explicit field_writer(std::string& to) noexcept : to_(to) {}

    /// Appends an integer of fixed size.
    template <std::unsigned_integral T>
    auto number(T value) -> field_writer&
    {
        for (std::size_t byte = sizeof(T); byte-- > 0;)
            to_.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * byte))));
        return *this;
    }
    /// Appends a length of four bytes and the text. \pre The text is shorter than 4 GiB.
    auto text(std::string_view value) -> field_writer&
    {
        number(static_cast<std::uint32_t>(value.size()));
        to_.append(value);
        return *this;
    }
    /// Appends bytes without a length.
    auto bytes(std::string_view value) -> field_writer&
    {
        to_.append(value);
        return *this;
    }

private:
    std::string& to_;
};

/// Reads the fields that `field_writer` appends. Bytes that are missing make it fail: `ok()` is false from then on, and every
/// further field is zero or empty.
class field_reader {
public:
    /// Reads from `bytes`, which must outlive the reader and the texts that it returns.
    explicit field_reader(std::string_view bytes) noexcept : rest_(bytes) {}

    /// Returns the next integer of this size.
    template <std::unsigned_integral T>
    [[nodiscard]] auto number() noexcept -> T
    {
        std::string_view const from = bytes(sizeof(T));
        T value = 0;
        for (char const c : from) {
            if constexpr (sizeof(T) > 1) value = static_cast<T>(value << 8U);
            value = static_cast<T>(value | static_cast<unsigned char>(c));
        }
        return value;
    }
    /// Returns the next text. It refers to the bytes that are read.
    [[nodiscard]] auto text() noexcept -> std::string_view { return bytes(number<std::uint32_t>()); }
    /// Returns the next `count` bytes.
    [[nodiscard]] auto bytes(std::size_t count) noexcept -> std::string_view
    {
        if (!ok_ || count > rest_.size()) {
            ok_ = false;
            rest_ = {};
            return {};
        }
        std::string_view const found = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return found;
    }

    /// True if no field was missing.
    [[nodiscard]] auto ok() const noexcept -> bool { return ok_; }
    /// True if all bytes are read and no field was missing.
    [[nodiscard]] auto at_end() const noexcept -> bool { return ok_ && rest_.empty(); }

private:
    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_FIELDS_HPP
