// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_INPUT_FILE_HPP
#define IACCTL_BASE_INPUT_FILE_HPP

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>

namespace iacctl {

/// Reasons why this program, rather than the system, refuses to read an input.
enum class input_errc : std::uint8_t {
    is_pipe = 1,
    is_device,
    no_writer,   ///< a pipe without a writer
    silent,      ///< a pipe whose writer writes nothing
    too_large,
    long_line,
};

[[nodiscard]] auto input_category() noexcept -> boost::system::error_category const&;

/// Required by `boost::system::error_code`.
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

/// The maximum size of an input, in bytes.
inline constexpr std::uintmax_t input_limit = std::uintmax_t{1} << 30U;

/// The kinds of files that a caller accepts. A pipe can be read once, so only a caller that reads an input once accepts
/// one.
enum class input_kind : std::uint8_t { file, file_or_pipe };

/// Reads a whole input. Never blocks forever: `/dev/null` is the only device that is read, and a pipe must have a
/// writer that writes.
///
/// The file does not exist if the error is `no_such_file_or_directory` or `not_a_directory`. After any other error it
/// may exist.
[[nodiscard]] auto read_input(std::filesystem::path const& path, input_kind accepted = input_kind::file)
    -> boost::system::result<std::string>;

/// The same for a stream, such as the standard input.
[[nodiscard]] auto read_input(std::istream& from) -> boost::system::result<std::string>;

/// The next line of a stream, without its end; nothing at the end of the stream. A line of more than 1 MiB is an error.
[[nodiscard]] auto read_line(std::istream& from) -> boost::system::result<std::optional<std::string>>;

/// True if an error of `read_input` means that there is no such file.
[[nodiscard]] auto is_missing(boost::system::error_code const& why) noexcept -> bool;

}  // namespace iacctl

#endif  // IACCTL_BASE_INPUT_FILE_HPP
