// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_INTERRUPTS_HPP
#define IACCTL_COMMANDS_INTERRUPTS_HPP

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <mutex>
#include <thread>

namespace iacctl::commands {

/// The exit code of a command that an interrupt has ended.
constexpr int interrupted_code = 130;

/// Takes SIGINT, SIGTERM and SIGHUP as long as it lives, also between runs of the engine: what is being saved is not cut off.
///
/// The first interrupt asks a run to stop, the second to stop at once. Three seconds after the second, or at the third, the
/// process ends. SIGHUP stays ignored where the caller of the program ignores it (`nohup`).
class interrupts {
public:
    using handler = std::function<void(int)>;

    interrupts();
    interrupts(interrupts const&) = delete;
    auto operator=(interrupts const&) -> interrupts& = delete;
    ~interrupts();

    /// From now on `to` is called with the number of each interrupt, also of one that came before; empty: nobody is told.
    /// It is called on a thread of this object, and not any more when the next call of `tell` returns.
    void tell(handler to);

private:
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
