// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_INPUT_FILE_HPP
#define IACCTL_LANGUAGE_INPUT_FILE_HPP

#include "failure.hpp"

#include <cstddef>
#include <string>

namespace iacctl::language {

/// The most bytes that are read from one file: 256 MiB.
inline constexpr std::size_t largest_input = std::size_t{256} << 20U;

/// Which files are read: devices never, since they may have no end.
enum class input_files {
    regular,
    regular_or_pipe,  // what a shell puts in place of `<(command)`
};

/// The bytes of a file, which need not be text.
struct file_content {
    std::string bytes;
};

/// The content of a file, or why it cannot be read. Never waits for the other end of a pipe unless pipes are allowed.
[[nodiscard]] result<file_content> read_input(std::string const& path, input_files allowed);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_INPUT_FILE_HPP
