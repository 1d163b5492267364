// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SSH_PIPED_PROCESS_HPP
#define IACCTL_BASE_SSH_PIPED_PROCESS_HPP

#include "base/file_descriptor.hpp"
#include "base/process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace iacctl::ssh {

/// A running program with a pipe to its standard input and one from its standard output. Its standard error is kept.
///
/// Not thread-safe: its executor is a strand, or has a single thread. It does not outlive this object.
class piped_process {
public:
    using clock = std::chrono::steady_clock;
    template <class T>
    using task = boost::asio::awaitable<T>;

    /// The end of a read.
    struct received {
        boost::system::error_code error;  ///< `operation_aborted` after a cancellation, `timed_out` after the deadline
        std::size_t size = 0;  ///< in bytes
    };

    [[nodiscard]] static auto start(boost::asio::any_io_executor const& executor, process_command const& command)
        -> boost::system::result<piped_process>;

    [[nodiscard]] auto read_some(
        boost::asio::mutable_buffer into, clock::time_point deadline = clock::time_point::max()) -> task<received>;
    /// Writes all of it.
    [[nodiscard]] auto write(std::string_view text) -> task<boost::system::error_code>;
    /// The program receives the end of its input.
    void close_input() noexcept;
    /// Waits for its end. \return false after a cancellation
    [[nodiscard]] auto wait() const -> task<bool> { return child_.wait(); }
    [[nodiscard]] auto has_ended() const noexcept -> bool { return child_.has_ended(); }
    /// Ends it, if it is running. \return the status of waitpid
    [[nodiscard]] auto end() -> int;
    /// The text that it wrote to its standard error.
    [[nodiscard]] auto errors() const -> std::string;

private:
    using stream = boost::asio::posix::stream_descriptor;

    piped_process(process child, stream input, stream output, file_descriptor errors);

    process child_;
    stream input_;
    stream output_;
    file_descriptor errors_;
};

}  // namespace iacctl::ssh

#endif  // IACCTL_BASE_SSH_PIPED_PROCESS_HPP
