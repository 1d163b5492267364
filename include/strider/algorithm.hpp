// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_HPP
#define STRIDER_ALGORITHM_HPP

#include <strider/algorithm/bottom_levels.hpp>
#include <strider/algorithm/critical_path.hpp>
#include <strider/algorithm/dependency_count.hpp>
#include <strider/algorithm/dot.hpp>
#include <strider/algorithm/equivalence.hpp>
#include <strider/algorithm/find_cycle.hpp>
#include <strider/algorithm/graph_text.hpp>
#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/redundant_edges.hpp>
#include <strider/algorithm/shortest_path.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/algorithm/topological_order.hpp>
#include <strider/algorithm/views.hpp>
#include <strider/core.hpp>

#endif  // STRIDER_ALGORITHM_HPP
