// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_CONNECTION_HPP
#define IACCTL_BASE_SSH_CONNECTION_HPP

#include "base/child_process.hpp"
#include "base/file_descriptor.hpp"
#include "command_words.hpp"
#include "copy_sender.hpp"
#include "piped_process.hpp"
#include "private_directory.hpp"
#include "settings.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <strider/infra/program/task.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::ssh {

/// Why a connection or an upload is not possible.
class problem {
public:
    enum class kind_type : std::uint8_t {
        cancelled,
        file,  ///< a file for the programs cannot be written
        program,  ///< a program of OpenSSH cannot be started
        key,  ///< a private key cannot be used
        unreachable,  ///< the connection was not made
        lost,  ///< the connection has ended
        refused,  ///< the machine refused a file, or it cannot be read
    };

    kind_type kind;
    std::string text;  ///< the reason; empty for a connection: only the time was over
    std::string about;  ///< "private_key", "bastion_private_key", or the name of a program
};

/// A connection to another machine, made by the programs of OpenSSH.
///
/// `ssh` makes the connection once; each command and upload is a session of it. Passwords and keys are in files that only
/// this user can read, until the connection is made. All programs end with this object, and with this process.
///
/// Not thread-safe: its executor is a strand, or has a single thread.
class connection {
public:
    template <class T>
    using task = strider::infra::task<T>;
    using clock = std::chrono::steady_clock;

    connection(boost::asio::any_io_executor executor, settings how);

    /// Writes the files for the programs, and checks the keys. \pre it was not called before
    [[nodiscard]] auto prepare() -> task<std::optional<problem>>;
    /// Tries to connect once. \pre `prepare` was successful
    [[nodiscard]] auto connect(clock::time_point deadline) -> task<std::optional<problem>>;

    /// Runs a command of the shell of the machine. The outcome is that of `ssh`, with the exit code of the command.
    /// \param output  receives the output of the command; false stops it
    [[nodiscard]] auto run(std::string command, std::function<bool(std::string_view)> output) -> task<child_outcome>;
    /// Writes a file. \param mode  its permissions if it does not exist, as "0644"
    [[nodiscard]] auto upload(file_descriptor content, std::string path, std::string mode)
        -> task<std::optional<problem>>;
    /// Writes a directory with its content. \param content_only  its entries become entries of the destination
    [[nodiscard]] auto upload_directory(std::filesystem::path source, bool content_only, std::string destination)
        -> task<std::optional<problem>>;

    /// Returns whether the connection was made, and has not ended.
    [[nodiscard]] auto is_open() const noexcept -> bool { return master_ && !master_->has_ended(); }
    /// The text that `ssh` has written about the connection since it was made.
    [[nodiscard]] auto errors() const -> std::string;

private:
    using copying = std::function<task<copy_problem>(copy_sender&)>;

    [[nodiscard]] auto write_files(endpoint const& of, std::string prefix, endpoint_files& files)
        -> task<std::optional<problem>>;
    [[nodiscard]] auto check_key(std::string path, std::string name) -> task<std::optional<problem>>;
    [[nodiscard]] auto write_file(std::string_view name, std::string_view content, std::string& path)
        -> std::optional<problem>;
    [[nodiscard]] auto copy(std::vector<std::string> receiver, copying send) -> task<std::optional<problem>>;
    [[nodiscard]] auto program(std::vector<std::string> words) const -> process_command;

    boost::asio::any_io_executor executor_;
    settings how_;
    std::optional<private_directory> directory_;
    connection_files files_;
    std::optional<piped_process> master_;
};

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_CONNECTION_HPP
