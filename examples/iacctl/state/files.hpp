// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_FILES_HPP
#define IACCTL_STATE_FILES_HPP

#include "support/file_descriptor.hpp"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl::state {

using boost::system::error_code;

[[nodiscard]] auto last_error() noexcept -> error_code;
/// \throws std::system_error if it is an error
inline void throw_on(error_code error)
{
    if (error) throw std::system_error(error);
}

/// Writes all of it; a short write goes on, an interrupted one too.
[[nodiscard]] auto write_all(int fd, std::string_view text) noexcept -> error_code;
/// An empty file for its owner alone, which was not there before.
[[nodiscard]] auto make_private_file(std::filesystem::path const& file) -> error_code;
/// A directory for its owner alone, with those above it where they are missing. One that is there stays as it is.
[[nodiscard]] auto make_private_directories(std::filesystem::path const& directory) -> error_code;
/// Makes what was created, renamed or deleted in a directory durable.
[[nodiscard]] auto sync_directory(std::filesystem::path const& directory) -> error_code;
/// Makes the content of a file durable.
[[nodiscard]] auto sync_file(std::filesystem::path const& file) -> error_code;
/// A new file, complete and durable, or none: written under another name first. Never overwrites.
[[nodiscard]] auto write_new_file(std::filesystem::path const& file, std::string_view text) -> error_code;
/// Random hexadecimal digits, for names that nobody else has. No secrets are made of them.
[[nodiscard]] auto random_hex(std::size_t digits) -> std::string;
/// A random UUID, version 4.
[[nodiscard]] auto random_uuid() -> std::string;

/// Milliseconds since 1970, UTC.
[[nodiscard]] auto now_ms() -> std::int64_t;
/// `2026-01-31T12:00:00Z`.
[[nodiscard]] auto timestamp(std::int64_t milliseconds) -> std::string;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_FILES_HPP
