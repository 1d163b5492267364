// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROCESS_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROCESS_HPP

#include "base/log.hpp"
#include "base/process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::plugin {

/// The last lines that a program wrote to its standard error, or the first lines of its panic. Log records below `warn`
/// are omitted, because they are numerous and may contain values.
class recent_lines {
public:
    void add(std::string_view line, log_record const& record);
    /// The lines, indented; "(nothing)" if there are none.
    [[nodiscard]] auto text() const -> std::string;

private:
    std::deque<std::string> lines_;
    bool panicked_ = false;
};

/// The process of a provider: its first line of output, its log, its end. Everything runs on its executor, which must
/// be a strand or have a single thread.
class plugin_process : public std::enable_shared_from_this<plugin_process> {
public:
    /// Starts the program. \param name  of the provider in logs
    [[nodiscard]] static auto start(boost::asio::any_io_executor const& executor, process_command const& command,
        std::string name, log_sink log) -> boost::system::result<std::shared_ptr<plugin_process>>;

    plugin_process(plugin_process const&) = delete;
    auto operator=(plugin_process const&) -> plugin_process& = delete;

    /// Waits for the first line of standard output; nothing if the program ends without one, or after the limit.
    [[nodiscard]] auto first_line(std::chrono::milliseconds limit)
        -> boost::asio::awaitable<std::optional<std::string>>;
    /// Waits until the program has ended and its output was read; false after the limit.
    [[nodiscard]] auto wait_for_end(std::chrono::milliseconds limit) -> boost::asio::awaitable<bool>;
    /// Sends a signal to the program and its descendants.
    void signal(int number) const noexcept { child_.signal(number); }

    [[nodiscard]] auto has_ended() const noexcept -> bool { return status_.has_value(); }
    /// "exit status 1". \pre it has ended
    [[nodiscard]] auto status_text() const -> std::string { return process_status_text(*status_); }
    [[nodiscard]] auto last_output() const -> std::string { return recent_.text(); }
    /// Logs a line that the program wrote to a standard stream.
    void log_line(std::string_view line);

private:
    plugin_process(boost::asio::any_io_executor const& executor, process child, int output, int errors,
        std::string name, log_sink log);

    using stream = boost::asio::posix::stream_descriptor;
    // \param rest  the delay between two reads; the pipe buffers the output meanwhile
    [[nodiscard]] static auto read_lines(std::shared_ptr<plugin_process> self, stream& from,
        std::chrono::milliseconds rest, std::function<void(std::string_view)> on_line) -> boost::asio::awaitable<void>;
    [[nodiscard]] static auto await_end(std::shared_ptr<plugin_process> self) -> boost::asio::awaitable<void>;
    [[nodiscard]] auto wait_until(std::function<bool()> condition, std::chrono::milliseconds limit)
        -> boost::asio::awaitable<bool>;
    void begin();
    void changed();

    boost::asio::any_io_executor executor_;
    process child_;
    stream output_;
    stream errors_;
    std::string name_;
    log_sink log_;
    recent_lines recent_;
    std::optional<std::string> first_line_;
    std::optional<int> status_;
    std::size_t open_streams_ = 2;
    std::set<boost::asio::steady_timer*> waiting_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROCESS_HPP
