// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_COPY_SENDER_HPP
#define IACCTL_BASE_SSH_COPY_SENDER_HPP

#include "base/file_descriptor.hpp"
#include "piped_process.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::ssh {

/// A file or a directory to send.
class copied_entry {
public:
    std::string name;  ///< on the other machine
    std::filesystem::path source;
    bool is_directory = false;
};

/// The reason why a copy was not made; nothing if it was made.
using copy_problem = std::optional<std::string>;

/// Sends files to `scp -t`, which runs on another machine. Each step is confirmed before the next one.
///
/// \source OpenSSH, scp.c: the protocol. Terraform 1.11, communicator ssh: modes 0644 and 0755, and links are followed.
class copy_sender {
public:
    template <class T>
    using task = boost::asio::awaitable<T>;

    explicit copy_sender(piped_process& receiver) : receiver_(&receiver) {}

    /// Waits until the receiver is ready. It must be the first call.
    [[nodiscard]] auto begin() -> task<copy_problem>;
    /// Sends the content of a file from its begin.
    [[nodiscard]] auto send_file(file_descriptor const& content, std::string name, std::string mode)
        -> task<copy_problem>;
    /// Sends a file, or a directory with its content.
    [[nodiscard]] auto send(copied_entry entry) -> task<copy_problem>;

    /// Returns whether an operation was cancelled.
    [[nodiscard]] auto was_cancelled() const noexcept -> bool { return cancelled_; }

private:
    [[nodiscard]] auto confirmation() -> task<copy_problem>;
    [[nodiscard]] auto next_byte() -> task<std::optional<char>>;
    [[nodiscard]] auto write(std::string_view text) -> task<copy_problem>;
    [[nodiscard]] auto command(std::string line) -> task<copy_problem>;
    [[nodiscard]] auto send_content(file_descriptor const& content, std::uint64_t size) -> task<copy_problem>;
    [[nodiscard]] auto send_directory(copied_entry entry) -> task<copy_problem>;

    piped_process* receiver_;
    std::string received_;
    std::size_t next_ = 0;
    std::vector<std::filesystem::path> open_directories_;  // canonical
    bool cancelled_ = false;
};

/// The entries of a directory, by name. \throws std::filesystem::filesystem_error if it cannot be read
[[nodiscard]] auto entries_of(std::filesystem::path const& directory) -> std::vector<copied_entry>;

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_COPY_SENDER_HPP
