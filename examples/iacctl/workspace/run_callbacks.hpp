// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_RUN_CALLBACKS_HPP
#define IACCTL_WORKSPACE_RUN_CALLBACKS_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/event.hpp>

#include <functional>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// Callbacks for the events and the interrupts of a run of the engine.
struct run_callbacks {
    infra::observer<language::value> watch{};  ///< called on several threads at once
    std::function<void(int)> interrupted{};  ///< called with 1 on the first interrupt, 2 on the second
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_RUN_CALLBACKS_HPP
