// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_ARCHIVE_HPP
#define IACCTL_PACKAGES_ARCHIVE_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace iacctl::packages {

namespace infra = strider::infra;

/// Limits for the content of an archive.
class archive_limits {
public:
    std::uint64_t bytes = std::uint64_t{4} << 30U;  ///< of all files together
    std::uint64_t files = 200'000;
};

/// One entry of an archive during the read.
class archive_entry_view {
public:
    std::string name;  ///< as in the archive
    bool directory = false;
    bool executable = false;
    std::string link;  ///< the target of a symbolic link; empty: it is none
    /// Reads the next bytes; zero at the end of the entry.
    std::function<std::size_t(std::span<char>)> read;
};

/// Reads the entries of an archive in order. The format is detected from the content: zip, and tar with gzip, bzip2 or
/// xz. Hard links, devices and sizes beyond the limits are errors. `visit` may throw std::runtime_error, whose text is
/// reported.
[[nodiscard]] auto read_archive(std::filesystem::path const& archive,
    std::function<void(archive_entry_view const&)> const& visit, archive_limits limits = {}) -> infra::diagnostics;

/// Extracts an archive into an empty directory. `publish_directory` makes its files durable.
///
/// Errors: entries outside of the directory (absolute paths, "..", paths through symbolic links, symbolic links that
/// lead out of it), and duplicate names. Of the permissions only execution is preserved; owners are not.
[[nodiscard]] auto extract_archive(std::filesystem::path const& archive, std::filesystem::path const& to,
    archive_limits limits = {}) -> infra::diagnostics;

/// Packs the regular files of a directory, sorted by name, into a zip archive.
[[nodiscard]] auto write_zip(std::filesystem::path const& directory, std::filesystem::path const& archive)
    -> infra::diagnostics;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_ARCHIVE_HPP
