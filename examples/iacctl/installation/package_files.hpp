// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_INSTALLATION_PACKAGE_FILES_HPP
#define IACCTL_INSTALLATION_PACKAGE_FILES_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace iacctl::installation {

namespace infra = strider::infra;

/// Names of all files below a directory, with "/" between their parts, sorted. Symbolic links are files.
/// \throws std::filesystem::filesystem_error
[[nodiscard]] auto files_below(std::filesystem::path const& directory) -> std::vector<std::string>;

/// A directory with a name of its own, that is removed with all its content at the end.
class scratch_directory {
public:
    /// \param in  made where it is missing
    explicit scratch_directory(std::filesystem::path const& in);
    scratch_directory(scratch_directory const&) = delete;
    auto operator=(scratch_directory const&) -> scratch_directory& = delete;
    ~scratch_directory();

    [[nodiscard]] auto path() const noexcept -> std::filesystem::path const& { return path_; }

    /// Names of these directories begin so.
    static constexpr char const* prefix = ".unfinished-";

private:
    std::filesystem::path path_;
};

/// Moves a complete directory to a place, atomically, and makes the move durable. A directory or a link that is there is
/// replaced. Both are on the same file system.
[[nodiscard]] auto publish_directory(std::filesystem::path const& made, std::filesystem::path const& place)
    -> infra::diagnostics;

/// Makes a symbolic link to a directory in place of what is there.
[[nodiscard]] auto publish_link(std::filesystem::path const& target, std::filesystem::path const& place)
    -> infra::diagnostics;

/// Checks that no symbolic link below a directory leads out of it. A link may be to another link, so this is known only when all
/// files are there.
[[nodiscard]] auto check_links(std::filesystem::path const& directory) -> infra::diagnostics;

/// Holds a directory against other processes that change it, and removes what an interrupted one has left.
class directory_guard {
public:
    explicit directory_guard(std::filesystem::path const& directory);
    directory_guard(directory_guard const&) = delete;
    auto operator=(directory_guard const&) -> directory_guard& = delete;
    ~directory_guard();

private:
    int fd_ = -1;
};

}  // namespace iacctl::installation

#endif  // IACCTL_INSTALLATION_PACKAGE_FILES_HPP
