// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP
#define STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP

#include <strider/infra/model/dependency_set.hpp>

#include <vector>

namespace strider::infra {

/// What resources depend on by declaration, transitively; by number of declaration.
struct dependency_tables {
    std::vector<dependency_set> declared;  ///< what an object has that is made now
    std::vector<dependency_set> planned;   ///< the same, with what modules still have and no longer declare
    std::vector<dependency_set> awaited;   ///< of data: what must have no change pending for them to be read
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP
