// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_INPUT_FILE_HPP
#define IACCTL_SUPPORT_INPUT_FILE_HPP

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>

namespace iacctl {

/// Reasons of this program, beside those of the system, why an input is not read.
enum class input_errc : std::uint8_t {
    is_pipe = 1,
    is_device,
    no_writer,   ///< of a pipe
    silent,      ///< a pipe whose writer writes nothing
    too_large,
    long_line,
};

[[nodiscard]] auto input_category() noexcept -> boost::system::error_category const&;

/// Found by `boost::system::error_code`.
[[nodiscard]] inline auto make_error_code(input_errc why) noexcept -> boost::system::error_code
{
    return {static_cast<int>(why), input_category()};
}

}  // namespace iacctl

namespace boost::system {

template <>
struct is_error_code_enum<iacctl::input_errc> : std::true_type {};

}  // namespace boost::system

namespace iacctl {

/// No input may be larger.
inline constexpr std::uintmax_t input_limit = std::uintmax_t{1} << 30U;

/// Kinds of files that a caller reads. A pipe has its content once: only a caller that reads an input once accepts one.
enum class input_kind : std::uint8_t { file, file_or_pipe };

/// Reads a whole input. Always returns: of devices only `/dev/null` is read, and a pipe must have a writer that writes.
///
/// A file is missing if the error is `no_such_file_or_directory` or `not_a_directory`; any other error says nothing about its
/// existence.
[[nodiscard]] auto read_input(std::filesystem::path const& path, input_kind accepted = input_kind::file)
    -> boost::system::result<std::string>;

/// The same from a stream, such as the standard input.
[[nodiscard]] auto read_input(std::istream& from) -> boost::system::result<std::string>;

/// The next line of a stream, without its end; nothing at the end of the stream. A line of more than 1 MiB is an error.
[[nodiscard]] auto read_line(std::istream& from) -> boost::system::result<std::optional<std::string>>;

/// True if an error of `read_input` means that there is no such file.
[[nodiscard]] auto is_missing(boost::system::error_code const& why) noexcept -> bool;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_INPUT_FILE_HPP
