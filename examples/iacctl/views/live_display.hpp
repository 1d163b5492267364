// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_LIVE_DISPLAY_HPP
#define IACCTL_VIEWS_LIVE_DISPLAY_HPP

#include "run_status.hpp"

#include <strider/infra/model/action.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace iacctl::views {

/// Shows the running operations on a terminal, below a scrolling log. Thread-safe.
///
/// A thread writes several times per second: in one write it erases the lines, writes the new part of the log, and
/// draws the lines again. Callers do not wait for the terminal. Nothing is drawn in the first moments of a run, so that
/// a short run only prints its log.
class live_display {
public:
    struct options {
        bool colour = false;
        run_status::counts planned{};  ///< the number of operations of each kind; all 0 if unknown
        std::function<terminal_size()> size;  ///< called for each update, because a terminal may be resized
        std::function<std::optional<std::chrono::seconds>()> left{};  ///< the estimated remaining time
        std::chrono::milliseconds delay{300};  ///< before lines are drawn for the first time
        std::chrono::milliseconds period{100};
    };

    live_display(std::ostream& to, options o);
    live_display(live_display const&) = delete;
    auto operator=(live_display const&) -> live_display& = delete;
    /// Writes the rest of the log, and erases the lines.
    ~live_display();

    /// Adds a line to the log, which is written asynchronously.
    void print(std::string_view line);
    /// Writes the log synchronously.
    void flush();
    void started(infra::operation_kind kind, std::string name);
    void ended(infra::operation_kind kind, std::string const& name, bool failed);
    /// The largest number of operations that ran at once.
    [[nodiscard]] auto most_running() -> std::size_t;

private:
    void update(bool draws);
    void run();

    std::ostream& to_;
    options with_;
    painter paint_;
    run_status::clock::time_point begun_;
    std::mutex mutex_;
    run_status status_;
    std::string log_;  // not written yet
    std::vector<std::size_t> drawn_;  // the number of columns of each line on the terminal
    bool ends_ = false;
    std::condition_variable end_;
    std::thread thread_;
};

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_LIVE_DISPLAY_HPP
