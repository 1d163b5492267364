// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_RANDOM_HPP
#define IACCTL_BASE_RANDOM_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace iacctl {

/// Bytes from the system's generator, suitable for secrets. \throws std::system_error if the generator fails
[[nodiscard]] auto random_bytes(std::size_t count) -> std::string;
/// Random hexadecimal digits, for unique names.
[[nodiscard]] auto random_hex(std::size_t digits) -> std::string;

/// A random UUID (version 4), in lower case.
[[nodiscard]] auto random_uuid() -> std::string;
/// A UUID of version 7, which begins with the current time.
[[nodiscard]] auto time_ordered_uuid() -> std::string;
/// Returns whether the text is 32 hexadecimal digits in groups: "0b8c35d2-6e3f-4f4e-9d2c-3a0c4c8a7f11".
[[nodiscard]] auto is_uuid(std::string_view text) noexcept -> bool;

}  // namespace iacctl

#endif  // IACCTL_BASE_RANDOM_HPP
