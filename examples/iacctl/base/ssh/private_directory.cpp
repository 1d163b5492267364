// SPDX-License-Identifier: BSL-1.0
#include "private_directory.hpp"

#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/last_error.hpp"
#include "base/process_guard.hpp"

#include <boost/system/error_code.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::ssh {

namespace {

// Places in memory come first, so that a key does not reach a disk.
auto candidates() -> std::vector<std::string>
{
    std::error_code error;
    return {environment_variable("XDG_RUNTIME_DIR"), "/dev/shm",
        std::filesystem::temp_directory_path(error).lexically_normal().string(), "/tmp"};
}

// OpenSSH expands some characters in paths, and the name of a socket has a maximum length. It appends 17 characters to it
// while it creates the socket.
auto is_suitable(std::string const& path) -> bool
{
    static constexpr std::string_view others = "/_-.";
    constexpr std::size_t longest_name = 48;
    auto const is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || others.find(c) != others.npos;
    };
    return path.starts_with('/') && path.size() + longest_name < sizeof(sockaddr_un::sun_path)
        && std::ranges::all_of(path, is_plain);
}

}  // namespace

auto private_directory::make() -> boost::system::result<private_directory>
{
    boost::system::error_code why(ENOENT, boost::system::system_category());
    for (std::string const& parent : candidates()) {
        std::string made = parent + (parent.ends_with('/') ? "iacctl-XXXXXX" : "/iacctl-XXXXXX");
        if (parent.empty() || !is_suitable(made)) continue;
        if (::mkdtemp(made.data()) != nullptr) return private_directory(std::move(made));
        why = last_error();
    }
    return why;
}

private_directory::private_directory(std::string path) : path_(std::move(path))
{
    guard_directory(path_);
}

private_directory::private_directory(private_directory&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      files_(std::exchange(other.files_, {}))
{}

auto private_directory::operator=(private_directory&& other) noexcept -> private_directory&
{
    std::swap(path_, other.path_);
    std::swap(files_, other.files_);
    return *this;
}

private_directory::~private_directory()
{
    if (path_.empty()) return;
    remove_directory(path_);
    release_directory(path_);
}

auto private_directory::write(std::string_view name, std::string_view content) -> boost::system::result<std::string>
{
    std::string path = path_of(name);
    file_descriptor const file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return last_error();
    files_.push_back(path);
    if (auto const error = write_all(file.get(), content)) return error;
    return path;
}

void private_directory::remove_files() noexcept
{
    for (std::string const& one : files_) (void)::unlink(one.c_str());
    files_.clear();
}

}  // namespace iacctl::ssh
