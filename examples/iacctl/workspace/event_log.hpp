// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_EVENT_LOG_HPP
#define IACCTL_WORKSPACE_EVENT_LOG_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/event.hpp>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// Returns an observer that logs each event, without its values, and then calls `next`; `next` itself if such events are not logged.
[[nodiscard]] auto with_log(infra::observer<language::value> next) -> infra::observer<language::value>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_EVENT_LOG_HPP
