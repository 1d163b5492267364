// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_ADDED_DEPENDENCIES_HPP
#define STRIDER_INFRA_PLAN_ADDED_DEPENDENCIES_HPP

#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/evaluation_scope.hpp>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

namespace detail {

// True if an object at these entries depends on a block by state, and still does after the visit of its declaration.
template <class V>
[[nodiscard]] auto still_depends_on(
    std::vector<prior_instances::entry> const& all, std::string const& block, plan_findings<V> const* visited) -> bool
{
    auto const names_it = [&](object const& o) {
        auto const names = o.dependencies.names();
        return std::binary_search(names.begin(), names.end(), block);
    };
    std::unordered_set<address> dependents;
    for (prior_instances::entry e : all)
        if (e->second.current && names_it(*e->second.current)) dependents.insert(e->first);
    if (visited == nullptr || dependents.empty()) return !dependents.empty();
    for (journal_entry const& e : visited->refreshed)
        if (e.kind() == journal_entry::kind_type::record && e.deposed_key().empty() && e.result()
            && !names_it(*e.result()))
            dependents.erase(e.target());
    return !dependents.empty();
}

}  // namespace detail

/// Returns the declared dependencies that a refresh adds to those of the objects of a block: all but those whose objects
/// still depend on the block by state. The configuration has reversed these, and the objects that exist were made in the
/// former order.
///
/// \param objects  the entries of the instances, null where state has none \param planned  the findings of each visited
/// declaration, by number
/// \complexity O(1) for each object that has the dependencies already, else that of the names in the sets of all objects of a
/// dependency, once for each dependency
template <class V>
[[nodiscard]] auto added_dependencies(dependency_set const& declared,
    std::vector<prior_instances::entry> const& objects, address const& block, prior_instances const& prior,
    evaluation_scope<V> const& scope, std::vector<plan_findings<V>*> const& planned) -> dependency_set
{
    bool const adds = std::any_of(objects.begin(), objects.end(), [&](prior_instances::entry e) {
        if (e == nullptr || !e->second.current) return false;
        dependency_set const& stored = e->second.current->dependencies;
        return stored.merged(declared) != stored;
    });
    if (!adds) return declared;
    std::string const own = to_string(block);
    std::vector<std::string> kept;
    bool reversed = false;
    for (std::string& name : declared.names()) {
        auto const of = parse_address(name);
        auto const number = scope.number_of(name);
        if (of && detail::still_depends_on(prior.of(*of), own, number ? planned[*number] : nullptr)) reversed = true;
        else kept.push_back(std::move(name));
    }
    return reversed ? dependency_set(std::move(kept), {}) : declared;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_ADDED_DEPENDENCIES_HPP
