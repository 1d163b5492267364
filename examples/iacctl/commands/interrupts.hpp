// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_INTERRUPTS_HPP
#define IACCTL_COMMANDS_INTERRUPTS_HPP

#include "app/run_callbacks.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <mutex>
#include <thread>

namespace iacctl::commands {

/// The exit code of a command that an interrupt has ended.
constexpr int interrupted_code = 130;

/// Takes SIGINT, SIGTERM and SIGHUP from its first `tell`, when a run of the engine begins, as long as it lives: what is saved
/// after the run is not cut off.
///
/// The first interrupt asks a run to stop, the second to stop at once. Three seconds after the second, or at the third, the
/// process ends. SIGHUP stays ignored where the caller of the program ignores it (`nohup`).
class interrupts final : public app::interrupt_source {
public:
    interrupts() = default;
    ~interrupts() override;

    /// `to` is called on a thread of this object.
    void tell(handler to) override;

private:
    void begin();
    void wait();
    void interrupted();

    boost::asio::io_context context_{1};
    boost::asio::signal_set signals_{context_};
    boost::asio::steady_timer deadline_{context_};
    std::mutex guard_;
    handler to_;
    int count_ = 0;
    std::thread thread_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_INTERRUPTS_HPP
