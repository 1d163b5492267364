// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_RUN_CALLBACKS_HPP
#define IACCTL_APP_RUN_CALLBACKS_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/event.hpp>

#include <functional>

namespace iacctl::app {

namespace infra = strider::infra;

/// A source of interrupts: signals, or a button. The first interrupt asks what runs to stop, the second to stop at once.
class interrupt_source {
public:
    using handler = std::function<void(int)>;

    interrupt_source() = default;
    interrupt_source(interrupt_source const&) = delete;
    auto operator=(interrupt_source const&) -> interrupt_source& = delete;
    virtual ~interrupt_source() = default;

    /// From now on `to` is called with the number of each interrupt, also of one that came before; empty: nobody is told.
    /// It may be called on any thread, and is not called any more when the next call of `tell` returns.
    virtual void tell(handler to) = 0;
};

/// Callbacks by which a run of the engine reports, and is interrupted.
struct run_callbacks {
    infra::observer<language::value> watch{};  ///< called on several threads at once
    std::function<void(int)> interrupted{};  ///< called with 1 on the first interrupt, 2 on the second
    interrupt_source* interrupts = nullptr;  ///< null: nothing interrupts
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_RUN_CALLBACKS_HPP
