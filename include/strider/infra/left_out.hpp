// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_LEFT_OUT_HPP
#define STRIDER_INFRA_LEFT_OUT_HPP

#include <strider/infra/change_set.hpp>
#include <strider/infra/concepts.hpp>
#include <strider/infra/snapshot.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace strider::infra {

/// An instance that a plan for others did not look at: expressions see it as state has it.
struct left_out_instance {
    address target;
    std::size_t declaration;
};

/// Finds the declared instances of a state that no change of a targeted plan is about.
/// \complexity O(n log n) in the instances of state.
template <program P>
[[nodiscard]] auto instances_left_out(P const& wanted, std::vector<change<typename P::value_type>> const& changes,
    snapshot const& state) -> std::vector<left_out_instance>
{
    std::set<address> planned;
    for (auto const& c : changes) planned.insert(c.target);
    std::map<address, std::size_t> declared;
    std::size_t number = 0;
    for (auto const& d : wanted.declarations()) {
        if (wanted.kind_of(d) == declaration_kind::resource) declared.emplace(wanted.address_of(d), number);
        ++number;
    }
    std::vector<left_out_instance> all;
    for (auto const& [target, record] : state.resources) {
        auto const at = declared.find(target.config());
        if (record.current && at != declared.end() && !planned.contains(target)) all.push_back({target, at->second});
    }
    return all;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_LEFT_OUT_HPP
