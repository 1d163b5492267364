// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_HPP
#define STRIDER_WALK_HPP

#include <strider/core.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/change_detection.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/critical_path_first.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/growing_digraph.hpp>
#include <strider/walk/on_executors.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/remaining.hpp>
#include <strider/walk/resource_limits.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/vertex_cancellation.hpp>
#include <strider/walk/visit_values.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>
#include <strider/walk/walk_times.hpp>
#include <strider/walk/walker.hpp>

#endif  // STRIDER_WALK_HPP
