// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_LONG_OPERATIONS_HPP
#define IACCTL_WORKSPACE_LONG_OPERATIONS_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/event.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// Reports periodically, to the observer of the other events, that a long operation is still running.
///
/// There is one timer for all operations, which is only set while operations are running; short operations cost a row
/// in a small table.
/// \pre No event is reported any more when this object is destroyed.
class long_operations {
public:
    using clock = std::chrono::steady_clock;

    /// \param on  waits and reports on a thread that runs it
    long_operations(boost::asio::io_context& on, infra::observer<language::value> watch,
        clock::duration every = std::chrono::seconds(10));

    /// An observer that passes on all events; empty if there is no observer.
    [[nodiscard]] auto observer() -> infra::observer<language::value>;

private:
    struct running {
        infra::event<language::value> what;  // points at `object`
        std::optional<language::value> object;
        clock::time_point begun;
        clock::time_point due;
    };

    void note(infra::event<language::value> const& e);
    void set_timer();
    void report();

    boost::asio::io_context* on_;
    infra::observer<language::value> watch_;
    clock::duration every_;
    std::mutex guard_;
    std::map<std::pair<infra::address, std::string>, running> all_;  // by address and deposed key
    boost::asio::steady_timer timer_;
    bool set_ = false;  // the timer is set, or is about to be set
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_LONG_OPERATIONS_HPP
