// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_MOVED_DEPENDENCIES_HPP
#define STRIDER_INFRA_PLAN_MOVED_DEPENDENCIES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/plan/moves.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::infra {

/// Renames moved resources in the dependencies of all objects, so that the order of destruction and the selection by targets find
/// them. The old name stays if an object remains there.
///
/// State records the new names when an object is planned or changed the next time.
/// \complexity O(objects + their distinct sets of dependencies), nothing if no resource has another name
inline void rename_dependencies(moved_state& moved)
{
    std::map<std::string, std::string> renamed;
    for (auto const& [to, from] : moved.previous)
        if (to.config() != from.config()) renamed.insert_or_assign(to_string(from.config()), to_string(to.config()));
    if (renamed.empty()) return;
    std::set<std::string> remaining;
    for (auto const& [a, _] : moved.state.resources) remaining.insert(to_string(a.config()));

    std::unordered_map<dependency_set::id_type, dependency_set> made;
    auto const rename = [&](address const& of, object& o) {
        if (o.dependencies.empty()) return;
        auto const is_new = [&](dependency_set const& set) { return !made.contains(set.id()); };
        o.dependencies.for_each_set(is_new, [&](dependency_set const& set) {
            std::vector<std::string> names;
            for (std::string const& name : set.own_names()) {
                auto const found = renamed.find(name);
                if (found != renamed.end()) names.push_back(found->second);
                if (found == renamed.end() || remaining.contains(name)) names.push_back(name);
            }
            std::vector<dependency_set> parts;
            for (dependency_set const& part : set.parts()) parts.push_back(made.at(part.id()));
            made.emplace(set.id(), dependency_set(std::move(names), std::move(parts)));
        });
        dependency_set const& now = made.at(o.dependencies.id());
        if (now.id() == o.dependencies.id()) return;
        auto const names = now.names();
        // Something that the object depended on has moved to its own resource.
        if (std::binary_search(names.begin(), names.end(), to_string(of.config()))) return;
        o.dependencies = now;
    };
    for (auto& [a, record] : moved.state.resources) {
        if (record.current) rename(a, *record.current);
        for (auto& [_, old] : record.deposed) rename(a, old);
    }
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_MOVED_DEPENDENCIES_HPP
