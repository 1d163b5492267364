// SPDX-License-Identifier: BSL-1.0
#include "files.hpp"

#include <boost/system/system_category.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

namespace iacctl::state {

auto last_error() noexcept -> error_code
{
    return {errno, boost::system::system_category()};
}

auto write_all(int fd, std::string_view text) noexcept -> error_code
{
    while (!text.empty()) {
        ssize_t const written = ::write(fd, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return last_error();
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

auto make_private_file(std::filesystem::path const& file) -> error_code
{
    file_descriptor const fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return fd ? error_code() : last_error();
}

auto make_private_directories(std::filesystem::path const& directory) -> error_code
{
    for (;;) {
        if (::mkdir(directory.c_str(), 0700) == 0) return {};
        error_code const error = last_error();
        std::error_code ignored;
        if (std::filesystem::is_directory(directory, ignored)) return {};
        if (error.value() != ENOENT || directory.parent_path() == directory || directory.parent_path().empty())
            return error;
        if (auto const above = make_private_directories(directory.parent_path())) return above;
    }
}

auto sync_directory(std::filesystem::path const& directory) -> error_code
{
    file_descriptor const fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return last_error();
    return {};
}

auto sync_file(std::filesystem::path const& file) -> error_code
{
    file_descriptor const fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return last_error();
    return {};
}

auto write_new_file(std::filesystem::path const& file, std::string_view text) -> error_code
{
    std::filesystem::path const directory = file.parent_path().empty() ? "." : file.parent_path();
    std::filesystem::path const draft = directory / ("." + file.filename().string() + "." + random_hex(8));
    file_descriptor fd(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return last_error();
    error_code error = write_all(fd.get(), text);
    if (!error && ::fsync(fd.get()) != 0) error = last_error();
    fd.reset();
    // A link refuses to replace, which a rename does not.
    if (!error && ::link(draft.c_str(), file.c_str()) != 0) {
        error = last_error();
        bool const no_links = error.value() == EPERM || error.value() == ENOTSUP || error.value() == ENOSYS;
        if (no_links && ::access(file.c_str(), F_OK) != 0)
            error = ::rename(draft.c_str(), file.c_str()) == 0 ? error_code() : last_error();
    }
    ::unlink(draft.c_str());
    return error ? error : sync_directory(directory);
}

auto random_hex(std::size_t digits) -> std::string
{
    static constexpr std::string_view hex = "0123456789abcdef";
    std::random_device device;
    std::string text;
    for (unsigned bits = 0; text.size() < digits; bits >>= 4U) {
        if (text.size() % 8 == 0) bits = device();
        text += hex[bits & 0xFU];
    }
    return text;
}

auto random_uuid() -> std::string
{
    static constexpr std::string_view variants = "89ab";
    std::string const hex = random_hex(32);
    auto const variant = static_cast<std::size_t>(hex[16] <= '9' ? hex[16] - '0' : hex[16] - 'a' + 10) % 4;
    return hex.substr(0, 8) + '-' + hex.substr(8, 4) + "-4" + hex.substr(13, 3) + '-' + variants[variant]
        + hex.substr(17, 3) + '-' + hex.substr(20);
}

auto now_ms() -> std::int64_t
{
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

auto timestamp(std::int64_t milliseconds) -> std::string
{
    auto const seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    std::size_t const length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), length};
}

}  // namespace iacctl::state
