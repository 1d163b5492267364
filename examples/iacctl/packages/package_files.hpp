// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_PACKAGE_FILES_HPP
#define IACCTL_PACKAGES_PACKAGE_FILES_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace iacctl::packages {

namespace infra = strider::infra;

/// The names of all files below a directory, with "/" between their parts, sorted. Symbolic links are files.
/// \throws std::filesystem::filesystem_error
[[nodiscard]] auto files_below(std::filesystem::path const& directory) -> std::vector<std::string>;

/// A directory with a unique name, which is removed with its content on destruction.
class scratch_directory {
public:
    /// \param in  created if it does not exist
    explicit scratch_directory(std::filesystem::path const& in);
    scratch_directory(scratch_directory const&) = delete;
    auto operator=(scratch_directory const&) -> scratch_directory& = delete;
    ~scratch_directory();

    [[nodiscard]] auto path() const noexcept -> std::filesystem::path const& { return path_; }

    /// The prefix of the names of these directories.
    static constexpr char const* prefix = ".unfinished-";

private:
    std::filesystem::path path_;
};

/// Moves a complete directory to a place, atomically and durably: the content of all its files is durable before they
/// are visible. A directory or link at that place is replaced. \pre both are on the same file system
[[nodiscard]] auto publish_directory(std::filesystem::path const& made, std::filesystem::path const& place)
    -> infra::diagnostics;

/// Replaces a place by a symbolic link to a directory.
[[nodiscard]] auto publish_link(std::filesystem::path const& target, std::filesystem::path const& place)
    -> infra::diagnostics;

/// Checks that no symbolic link below a directory leads out of it. A link may point to another link, so call this when
/// all files exist.
[[nodiscard]] auto check_links(std::filesystem::path const& directory) -> infra::diagnostics;

/// Locks a directory against other processes that change it, and removes the remains of interrupted ones.
class directory_guard {
public:
    explicit directory_guard(std::filesystem::path const& directory);
    directory_guard(directory_guard const&) = delete;
    auto operator=(directory_guard const&) -> directory_guard& = delete;
    ~directory_guard();

private:
    int fd_ = -1;
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_PACKAGE_FILES_HPP
