// SPDX-License-Identifier: BSL-1.0
#include "commit_mark.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "digest.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>

namespace iacctl::state {

namespace {

constexpr std::chrono::seconds longest_wait{10};

// The length is constant: a mark overwrites the previous one within one sector of the disk.
auto text_of(commit_point at) -> std::string
{
    std::array<char, 48> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "%020lld %020lld ", static_cast<long long>(at.epoch),
        static_cast<long long>(at.sequence));
    field_hasher hasher;
    return numbers.data() + to_hex(hasher.start("mark").field(at.epoch).field(at.sequence).finish()) + '\n';
}

// Two numbers, each followed by a space, a digest and a line break.
constexpr std::size_t mark_size = 2 * 21 + 2 * std::tuple_size_v<digest> + 1;

// Waits longer than another process needs to read and write one sector. A process that is stopped meanwhile keeps the
// lock.
auto lock_file(int fd, short type) -> error_code
{
    struct flock desired{};
    desired.l_type = type;
    desired.l_whence = SEEK_SET;
    auto const until = std::chrono::steady_clock::now() + longest_wait;
    while (::fcntl(fd, F_OFD_SETLK, &desired) != 0) {
        bool const is_held = errno == EAGAIN || errno == EACCES;
        if (errno != EINTR && (!is_held || std::chrono::steady_clock::now() > until)) return last_error();
        if (is_held) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return {};
}

auto parse(std::string_view text) -> std::optional<commit_point>
{
    constexpr std::size_t digits = 20;
    commit_point at;
    auto const number = [&](std::size_t from, std::int64_t& to) {
        if (text.size() < from + digits) return false;
        char const* const end = text.data() + from + digits;
        return std::from_chars(text.data() + from, end, to).ptr == end;
    };
    if (!number(0, at.epoch) || !number(digits + 1, at.sequence) || text != text_of(at)) return std::nullopt;
    return at;
}

}  // namespace

auto commit_mark::read(std::filesystem::path const& file) -> expected<std::optional<commit_point>>
{
    auto const text = read_input(file);
    if (!text && is_missing(text.error())) return std::optional<commit_point>();
    if (!text) return make_failure(messages::state_unreadable, {file.string(), text.error().message()});
    if (auto const at = parse(*text)) return at;
    return make_failure(messages::state_mark_damaged, {file.string()});
}

auto commit_mark::make(std::filesystem::path const& file, commit_point at) -> error_code
{
    return replace_file(file, text_of(at), 0600);
}

auto commit_mark::open(std::filesystem::path const& file) -> error_code
{
    file_ = file_descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    return file_ ? error_code() : last_error();
}

auto commit_mark::raise(commit_point to) const -> error_code
{
    // Another process may write a later commit: the lock makes the comparisons and writes sequential.
    if (auto const error = lock_file(file_.get(), F_WRLCK)) return error;
    std::array<char, mark_size + 1> text{};
    ssize_t const size = ::pread(file_.get(), text.data(), text.size(), 0);
    auto const noted = size > 0 ? parse({text.data(), static_cast<std::size_t>(size)}) : std::optional<commit_point>();
    auto const error = noted && noted->covers(to) ? error_code() : write(to);
    (void)lock_file(file_.get(), F_UNLCK);
    return error;
}

auto commit_mark::write(commit_point at) const -> error_code
{
    std::string const text = text_of(at);
    for (;;) {
        ssize_t const written = ::pwrite(file_.get(), text.data(), text.size(), 0);
        if (written == static_cast<ssize_t>(text.size())) return {};
        if (written >= 0) return {EIO, boost::system::system_category()};
        if (errno != EINTR) return last_error();
    }
}

auto commit_mark::sync() const -> error_code
{
    return ::fdatasync(file_.get()) == 0 ? error_code() : last_error();
}

}  // namespace iacctl::state
