// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP
#define STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP

#include <strider/infra/model/dependency_set.hpp>

#include <vector>

namespace strider::infra {

/// The transitive dependencies of resources, by number of declaration.
struct dependency_tables {
    std::vector<dependency_set> declared;  ///< for objects that are created now
    std::vector<dependency_set> planned;   ///< as above, with objects of modules that are no longer declared
    std::vector<dependency_set>
        data_dependencies;   ///< of data: they are read while planning only if none of these has a pending change
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_DEPENDENCY_TABLES_HPP
