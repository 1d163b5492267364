// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_KAHN_HPP
#define STRIDER_CORE_DETAIL_KAHN_HPP

#include <strider/version.hpp>

#include <cstddef>
#include <vector>

namespace strider::detail {

/// Kahn's algorithm: appends each vertex to `order` as soon as all of its dependencies are in it.
///
/// \pre    `order` has the vertices without dependencies
/// \param  dependents_of  range of the dependents of a vertex; called once for each vertex, in the order
/// \param  open  reference to the number of dependencies of a vertex that `order` does not have yet
/// \complexity O(V + E).
/// \source A. B. Kahn, "Topological sorting of large networks", 1962.
template <class Id, class DependentsOf, class Open>
void append_ready(std::vector<Id>& order, DependentsOf dependents_of, Open open)
{
    for (std::size_t next = 0; next < order.size(); ++next)
        for (Id const d : dependents_of(order[next]))
            if (--open(d) == 0) order.push_back(d);
}

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_KAHN_HPP
