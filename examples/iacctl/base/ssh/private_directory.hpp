// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_PRIVATE_DIRECTORY_HPP
#define IACCTL_BASE_SSH_PRIVATE_DIRECTORY_HPP

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::ssh {

/// A directory that only this user can enter, with small files and sockets. It is in memory where the system has such a
/// place. It is removed with its content, even if this process is killed.
class private_directory {
public:
    [[nodiscard]] static auto make() -> boost::system::result<private_directory>;

    private_directory(private_directory&& other) noexcept;
    auto operator=(private_directory&& other) noexcept -> private_directory&;
    ~private_directory();

    /// The path of a file in it. Paths consist of letters, digits and "/", "_", "-", "." only.
    [[nodiscard]] auto path_of(std::string_view name) const -> std::string { return path_ + "/" + std::string(name); }
    /// Writes a file that only this user can read. \return its path
    [[nodiscard]] auto write(std::string_view name, std::string_view content) -> boost::system::result<std::string>;
    /// Removes the files that were written.
    void remove_files() noexcept;

private:
    explicit private_directory(std::string path);

    std::string path_;
    std::vector<std::string> files_;
};

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_PRIVATE_DIRECTORY_HPP
