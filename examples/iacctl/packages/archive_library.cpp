// SPDX-License-Identifier: BSL-1.0
#include "archive_library.hpp"

#include "base/shared_library.hpp"

namespace iacctl::packages {

auto archive_library::instance() -> archive_library const&
{
    static archive_library const one("libarchive.so.13");
    return one;
}

archive_library::archive_library(char const* file)
{
    shared_library library(file, "archives of providers and modules", "libarchive13");
    library.find(error_string, "archive_error_string");
    library.find(read_new, "archive_read_new");
    library.find(read_free, "archive_read_free");
    library.find(read_support_format_zip_seekable, "archive_read_support_format_zip_seekable");
    library.find(read_support_format_tar, "archive_read_support_format_tar");
    library.find(read_support_filter_gzip, "archive_read_support_filter_gzip");
    library.find(read_support_filter_bzip2, "archive_read_support_filter_bzip2");
    library.find(read_support_filter_xz, "archive_read_support_filter_xz");
    library.find(read_set_options, "archive_read_set_options");
    library.find(read_open_filename, "archive_read_open_filename");
    library.find(read_next_header, "archive_read_next_header");
    library.find(read_data, "archive_read_data");
    library.find(write_new, "archive_write_new");
    library.find(write_free, "archive_write_free");
    library.find(write_close, "archive_write_close");
    library.find(write_set_format_zip, "archive_write_set_format_zip");
    library.find(write_open_filename, "archive_write_open_filename");
    library.find(write_header, "archive_write_header");
    library.find(write_data, "archive_write_data");
    library.find(entry_new, "archive_entry_new");
    library.find(entry_free, "archive_entry_free");
    library.find(entry_pathname, "archive_entry_pathname");
    library.find(entry_pathname_utf8, "archive_entry_pathname_utf8");
    library.find(entry_filetype, "archive_entry_filetype");
    library.find(entry_perm, "archive_entry_perm");
    library.find(entry_symlink, "archive_entry_symlink");
    library.find(entry_hardlink, "archive_entry_hardlink");
    library.find(entry_set_pathname, "archive_entry_set_pathname");
    library.find(entry_set_filetype, "archive_entry_set_filetype");
    library.find(entry_set_perm, "archive_entry_set_perm");
    library.find(entry_set_size, "archive_entry_set_size");
    error_ = library.error();
}

}  // namespace iacctl::packages
