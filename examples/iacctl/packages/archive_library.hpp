// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_ARCHIVE_LIBRARY_HPP
#define IACCTL_PACKAGES_ARCHIVE_LIBRARY_HPP

#include <archive.h>
#include <archive_entry.h>

#include <string>

namespace iacctl::packages {

/// Functions of libarchive, under their names without "archive_".
///
/// The library is loaded on first use: together with its dependencies it takes longer to load than this program does.
class archive_library {
public:
    /// Loads a shared library. \param file  as for dlopen
    explicit archive_library(char const* file);
    [[nodiscard]] static auto instance() -> archive_library const&;

    /// The reason why it cannot be used; empty: it can be used.
    [[nodiscard]] auto error() const noexcept -> std::string const& { return error_; }

    decltype(&::archive_error_string) error_string = nullptr;
    decltype(&::archive_read_new) read_new = nullptr;
    decltype(&::archive_read_free) read_free = nullptr;
    decltype(&::archive_read_support_format_zip_seekable) read_support_format_zip_seekable = nullptr;
    decltype(&::archive_read_support_format_tar) read_support_format_tar = nullptr;
    decltype(&::archive_read_support_filter_gzip) read_support_filter_gzip = nullptr;
    decltype(&::archive_read_support_filter_bzip2) read_support_filter_bzip2 = nullptr;
    decltype(&::archive_read_support_filter_xz) read_support_filter_xz = nullptr;
    decltype(&::archive_read_set_options) read_set_options = nullptr;
    decltype(&::archive_read_open_filename) read_open_filename = nullptr;
    decltype(&::archive_read_next_header) read_next_header = nullptr;
    decltype(&::archive_read_data) read_data = nullptr;
    decltype(&::archive_write_new) write_new = nullptr;
    decltype(&::archive_write_free) write_free = nullptr;
    decltype(&::archive_write_close) write_close = nullptr;
    decltype(&::archive_write_set_format_zip) write_set_format_zip = nullptr;
    decltype(&::archive_write_open_filename) write_open_filename = nullptr;
    decltype(&::archive_write_header) write_header = nullptr;
    decltype(&::archive_write_data) write_data = nullptr;
    decltype(&::archive_entry_new) entry_new = nullptr;
    decltype(&::archive_entry_free) entry_free = nullptr;
    decltype(&::archive_entry_pathname) entry_pathname = nullptr;
    decltype(&::archive_entry_pathname_utf8) entry_pathname_utf8 = nullptr;
    decltype(&::archive_entry_filetype) entry_filetype = nullptr;
    decltype(&::archive_entry_perm) entry_perm = nullptr;
    decltype(&::archive_entry_symlink) entry_symlink = nullptr;
    decltype(&::archive_entry_hardlink) entry_hardlink = nullptr;
    decltype(&::archive_entry_set_pathname) entry_set_pathname = nullptr;
    decltype(&::archive_entry_set_filetype) entry_set_filetype = nullptr;
    decltype(&::archive_entry_set_perm) entry_set_perm = nullptr;
    decltype(&::archive_entry_set_size) entry_set_size = nullptr;

private:
    std::string error_;
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_ARCHIVE_LIBRARY_HPP
