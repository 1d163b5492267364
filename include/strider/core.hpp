// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_HPP
#define STRIDER_CORE_HPP

#include <strider/core/assert.hpp>
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/filtered_graph.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/make_digraph.hpp>
#include <strider/core/result.hpp>
#include <strider/core/reverse_graph.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/core/vertex_naming.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/core/views.hpp>

#endif  // STRIDER_CORE_HPP
