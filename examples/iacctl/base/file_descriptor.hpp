// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_FILE_DESCRIPTOR_HPP
#define IACCTL_BASE_FILE_DESCRIPTOR_HPP

#include <unistd.h>

#include <utility>

namespace iacctl {

/// Owns a file descriptor, and closes it.
class file_descriptor {
public:
    file_descriptor() = default;
    explicit file_descriptor(int fd) noexcept : fd_(fd) {}
    file_descriptor(file_descriptor&& other) noexcept : fd_(other.release()) {}
    auto operator=(file_descriptor&& other) noexcept -> file_descriptor&
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~file_descriptor() { reset(); }

    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
    [[nodiscard]] auto get() const noexcept -> int { return fd_; }
    [[nodiscard]] auto release() noexcept -> int { return std::exchange(fd_, -1); }
    void reset() noexcept
    {
        if (fd_ >= 0) ::close(release());
    }

private:
    int fd_ = -1;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_FILE_DESCRIPTOR_HPP
