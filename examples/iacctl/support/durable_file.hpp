// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_DURABLE_FILE_HPP
#define IACCTL_SUPPORT_DURABLE_FILE_HPP

#include "last_error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace iacctl {

using boost::system::error_code;

/// \throws std::system_error if it is an error
inline void throw_on(error_code error)
{
    if (error) throw std::system_error(error);
}

/// Writes all of it; a short write goes on, an interrupted one too.
[[nodiscard]] auto write_all(int fd, std::string_view text) noexcept -> error_code;
/// An empty file for its owner alone, which was not there before.
[[nodiscard]] auto make_private_file(std::filesystem::path const& file) -> error_code;
/// A directory for its owner alone, with those above it where they are missing: durable, as they are not without a
/// synchronization of the directory above. One that is there stays as it is.
[[nodiscard]] auto make_private_directories(std::filesystem::path const& directory) -> error_code;
/// Makes what was created, renamed or deleted in a directory durable.
[[nodiscard]] auto sync_directory(std::filesystem::path const& directory) -> error_code;
/// Makes the content of a file durable.
[[nodiscard]] auto sync_file(std::filesystem::path const& file) -> error_code;

/// A new file for its owner alone, complete and durable, or none. Never overwrites.
[[nodiscard]] auto write_new_file(std::filesystem::path const& file, std::string_view text) -> error_code;
/// A complete file in place of what is there, or no change. Its content is durable before it is there; `sync_directory` is
/// for the caller to call. A device or a pipe is not replaced: it is given the text.
[[nodiscard]] auto replace_file(std::filesystem::path const& file, std::string_view text, mode_t mode = 0600)
    -> error_code;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_DURABLE_FILE_HPP
