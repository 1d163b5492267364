// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_INTERRUPTS_HPP
#define IACCTL_CLI_COMMANDS_INTERRUPTS_HPP

#include "workspace/interrupt_source.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace iacctl::commands {

/// The exit code of a command that an interrupt has ended.
constexpr int interrupted_code = 130;

/// Handles SIGINT, SIGTERM and SIGHUP from the first `defer` or `tell` to the end of its lifetime, so that signals do not
/// interrupt a write of state or the release of a lock.
///
/// The first interrupt requests a run of the engine to stop, the second requests it to stop at once. Three seconds after
/// the second, or at the third, the process ends. A command without such a run acts on the first interrupt, and the second
/// ends the process. SIGHUP stays ignored if the caller of the program ignores it (`nohup`).
class interrupts final : public workspace::interrupt_source {
public:
    interrupts() = default;
    ~interrupts() override { restore(); }

    void defer() override;
    [[nodiscard]] auto defers() const noexcept -> bool override { return handling_ != nullptr; }
    void restore() override;
    [[nodiscard]] auto count() const noexcept -> int override { return count_; }
    /// \param to  is called on a thread of this object
    void set_handler(handler to) override;

private:
    void wait();
    void interrupted();

    // Created on demand, because most commands defer nothing.
    struct handling {
        boost::asio::io_context context{1};
        boost::asio::signal_set signals{context};
        boost::asio::steady_timer deadline{context};
    };

    std::unique_ptr<handling> handling_;
    std::mutex guard_;
    handler to_;
    std::atomic<int> count_ = 0;
    int deferred_ = 1;  // the number of interrupts that do not end the process
    std::thread thread_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_INTERRUPTS_HPP
