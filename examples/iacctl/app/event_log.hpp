// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_EVENT_LOG_HPP
#define IACCTL_APP_EVENT_LOG_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/event.hpp>

namespace iacctl::app {

namespace infra = strider::infra;

/// Returns an observer that logs each event, without its values, and then calls `next`; `next` itself if such events are not logged.
[[nodiscard]] auto with_log(infra::observer<language::value> next) -> infra::observer<language::value>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_EVENT_LOG_HPP
