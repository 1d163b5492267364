// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_HPP
#define STRIDER_WALK_HPP

#include <strider/core.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/async_visitor.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/is_manual_executor.hpp>
#include <strider/walk/priority_first.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walk_executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>
#include <strider/walk/walker.hpp>

#endif  // STRIDER_WALK_HPP
