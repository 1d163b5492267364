// SPDX-License-Identifier: BSL-1.0
#include "input_file.hpp"

#include "file_descriptor.hpp"
#include "last_error.hpp"

#include <boost/system/errc.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <utility>

namespace iacctl {

namespace {

using boost::system::error_code;
using std::chrono::steady_clock;

// The maximum time for which a pipe may have no writer, and a writer may write nothing.
constexpr std::chrono::seconds wait_for_writer(1);
constexpr std::chrono::seconds wait_for_data(60);

class category : public boost::system::error_category {
public:
    [[nodiscard]] auto name() const noexcept -> char const* override { return "iacctl.input"; }
    [[nodiscard]] auto message(int value) const -> std::string override
    {
        switch (static_cast<input_errc>(value)) {
        case input_errc::is_pipe: return "it is a pipe, whose content can be read only once; use a regular file";
        case input_errc::is_device: return "it is a device; use a regular file";
        case input_errc::no_writer: return "it is a pipe that no process writes to";
        case input_errc::silent: return "it is a pipe, and nothing was written to it for a minute";
        case input_errc::too_large: return "it is larger than 1 GiB";
        case input_errc::long_line: return "a line is longer than 1 MiB";
        }
        return "unknown";
    }
};

auto is_null_device(struct stat const& s) -> bool
{
    return S_ISCHR(s.st_mode) && s.st_rdev == ::makedev(1, 3);
}

auto refusal(struct stat const& s, input_kind accepted) -> error_code
{
    if (S_ISDIR(s.st_mode)) return make_error_code(boost::system::errc::is_a_directory);
    if (S_ISFIFO(s.st_mode)) return accepted == input_kind::file ? input_errc::is_pipe : error_code();
    if (!S_ISREG(s.st_mode) && !is_null_device(s)) return input_errc::is_device;
    if (static_cast<std::uintmax_t>(s.st_size) > input_limit) return input_errc::too_large;
    return {};
}

enum class pipe_state : std::uint8_t { readable, ended, quiet };

/// Waits for an event of a pipe, at most until `end`.
auto wait_for(int fd, steady_clock::time_point end) -> pipe_state
{
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
    if (left.count() <= 0) return pipe_state::quiet;
    pollfd readable{fd, POLLIN, 0};
    ::poll(&readable, 1, static_cast<int>(left.count()));
    // A pipe is treated as hung up only after a writer has opened and closed it.
    bool const ended = (readable.revents & POLLHUP) != 0 && (readable.revents & POLLIN) == 0;
    return ended ? pipe_state::ended : pipe_state::readable;
}

}  // namespace

auto input_category() noexcept -> boost::system::error_category const&
{
    static category const instance;
    return instance;
}

auto is_missing(error_code const& why) noexcept -> bool
{
    return why == boost::system::errc::no_such_file_or_directory || why == boost::system::errc::not_a_directory;
}

auto read_input(std::filesystem::path const& path, input_kind accepted) -> boost::system::result<std::string>
{
    if (path.native().find('\0') != std::string::npos) return make_error_code(boost::system::errc::invalid_argument);
    file_descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat found{};
    if (!file || ::fstat(file.get(), &found) != 0) return last_error();
    if (error_code const refused = refusal(found, accepted)) return refused;

    bool const pipe = S_ISFIFO(found.st_mode);
    auto last = steady_clock::now();  // the time of the last successful read
    std::string text;
    std::size_t size = 0;
    // The size is only a hint: a file may grow, and files of /proc report a size of 0.
    std::size_t const expected = pipe ? 0 : static_cast<std::size_t>(found.st_size);
    for (;;) {
        if (size == text.size())
            text.resize(std::max({expected + 1, size + size / 2, std::size_t{expected == 0 ? 4096U : 0U}}));
        ssize_t const got = ::read(file.get(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN && pipe) {
            if (wait_for(file.get(), last + wait_for_data) == pipe_state::quiet) return input_errc::silent;
            continue;
        }
        if (got < 0) return last_error();
        if (got == 0 && pipe && size == 0) {
            auto const state = wait_for(file.get(), last + wait_for_writer);
            if (state == pipe_state::quiet) return input_errc::no_writer;
            if (state == pipe_state::readable) continue;
        }
        if (got == 0) break;
        last = steady_clock::now();
        size += static_cast<std::size_t>(got);
        if (size > input_limit) return input_errc::too_large;
    }
    text.resize(size);
    return text;
}

auto read_input(std::istream& from) -> boost::system::result<std::string>
{
    std::string text;
    std::array<char, 65536> buffer{};
    while (from.read(buffer.data(), buffer.size()), from.gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(from.gcount()));
        if (text.size() > input_limit) return input_errc::too_large;
    }
    return text;
}

auto read_line(std::istream& from) -> boost::system::result<std::optional<std::string>>
{
    constexpr std::size_t longest_line = std::size_t{1} << 20U;
    std::string line;
    for (char c = 0; from.get(c);) {
        if (c == '\n') return std::optional(std::move(line));
        if (line.size() == longest_line) return input_errc::long_line;
        line += c;
    }
    if (line.empty()) return std::optional<std::string>();
    return std::optional(std::move(line));
}

}  // namespace iacctl
