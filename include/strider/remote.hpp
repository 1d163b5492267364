// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_HPP
#define STRIDER_REMOTE_HPP

#include <strider/core.hpp>
#include <strider/remote/action.hpp>
#include <strider/remote/coordinator.hpp>
#include <strider/remote/coordinator_options.hpp>
#include <strider/remote/fields.hpp>
#include <strider/remote/frame.hpp>
#include <strider/remote/messages.hpp>
#include <strider/remote/placement.hpp>
#include <strider/remote/remote_error.hpp>
#include <strider/remote/request.hpp>
#include <strider/remote/visitor.hpp>
#include <strider/remote/worker.hpp>
#include <strider/remote/worker_options.hpp>

#endif  // STRIDER_REMOTE_HPP
