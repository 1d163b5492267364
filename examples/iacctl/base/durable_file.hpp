// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_DURABLE_FILE_HPP
#define IACCTL_BASE_DURABLE_FILE_HPP

#include "file_descriptor.hpp"
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

/// Writes the whole text; continues after a short or interrupted write.
[[nodiscard]] auto write_all(int fd, std::string_view text) noexcept -> error_code;
/// Creates an empty file that only its owner can access; fails if the file exists.
[[nodiscard]] auto make_private_file(std::filesystem::path const& file) -> error_code;
/// Creates a directory that only its owner can access, with the missing ones above it, durably: the directories above
/// are synchronized. An existing directory is not changed, but its name becomes durable.
[[nodiscard]] auto make_private_directories(std::filesystem::path const& directory) -> error_code;
/// Makes files durable that were created, renamed or deleted in a directory.
[[nodiscard]] auto sync_directory(std::filesystem::path const& directory) -> error_code;
/// Makes all changes of a file system durable, in one pass. This is much faster than a synchronization of each file.
/// \param directory  of that file system
[[nodiscard]] auto sync_file_system(std::filesystem::path const& directory) -> error_code;
/// Makes the content of a file durable.
[[nodiscard]] auto sync_file(std::filesystem::path const& file) -> error_code;

/// Creates a new file that only its owner can access, complete and durable, or none. Never overwrites.
[[nodiscard]] auto write_new_file(std::filesystem::path const& file, std::string_view text) -> error_code;
/// Replaces a file by a complete one, or changes nothing. The content is durable before the file is replaced; the
/// caller calls `sync_directory`. A device or a pipe is not replaced: the text is written to it.
[[nodiscard]] auto replace_file(std::filesystem::path const& file, std::string_view text, mode_t mode = 0600)
    -> error_code;
/// The same for a file whose lock is held. The new file is locked before it replaces the old one, whose lock ends
/// afterwards, so that no other process can take the lock in between.
/// \param lock  the descriptor that holds the lock; then that of the new file
[[nodiscard]] auto replace_locked_file(std::filesystem::path const& file, std::string_view text, file_descriptor& lock)
    -> error_code;
/// Returns whether the file is a device, a pipe or a descriptor of this process, which `replace_file` does not replace.
[[nodiscard]] auto is_special(std::filesystem::path const& file) -> bool;
/// Checks, without changing the file, that `replace_file` can write it: an existing file can be opened for writing, and
/// its directory, which must exist, accepts a new one.
[[nodiscard]] auto check_replaceable(std::filesystem::path const& file) -> error_code;

/// Makes one attempt to lock a whole file. The lock belongs to the descriptor and its duplicates.
/// \param type  F_RDLCK, for which the file must be open for reading, or F_WRLCK, for which it must be open for writing
/// \return EAGAIN if another descriptor has a lock that excludes this one, also of another process
[[nodiscard]] auto lock_whole_file(int fd, short type) noexcept -> error_code;

}  // namespace iacctl

#endif  // IACCTL_BASE_DURABLE_FILE_HPP
