// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_FILE_SOURCE_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_FILE_SOURCE_HPP

#include "base/input_file.hpp"

#include <boost/system/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace iacctl::language {

/// The files of configurations: those of the file system, or a replacement for them.
class file_source {
public:
    file_source() = default;
    file_source(file_source const&) = delete;
    auto operator=(file_source const&) -> file_source& = delete;
    virtual ~file_source() = default;

    /// Names of the files in a directory.
    [[nodiscard]] virtual auto list(std::filesystem::path const& directory) const
        -> boost::system::result<std::vector<std::string>>;
    [[nodiscard]] virtual auto read(std::filesystem::path const& file, input_kind accepted = input_kind::file) const
        -> boost::system::result<std::string>;
};

/// The file system. The content of a pipe is read once and stored.
[[nodiscard]] auto disk() noexcept -> file_source const&;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_FILE_SOURCE_HPP
