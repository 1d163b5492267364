// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_IMPORT_TARGETS_HPP
#define STRIDER_INFRA_PLAN_IMPORT_TARGETS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/state_statements.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace strider::infra {

/// Returns the objects that a plan imports as instances of a declaration: those that the program names, then those of the options.
/// An instance that is not declared is an error, unless it may be one of those that are not known yet. An instance that a target with
/// an unknown key may stand for has that target.
template <program P>
[[nodiscard]] auto import_targets_of(P const& p, typename P::declaration_type const& d, plan_options const& options,
    expansion<typename P::value_type> const& expanded, evaluation_scope<typename P::value_type> const& scope)
    -> result<std::map<address, import_target>, failure>
{
    std::vector<import_target> all;
    if constexpr (has_imports<P>)
        if (options.mode == plan_mode::normal && !options.before_destroy) {
            auto named = p.imports(d, scope);
            if (!named) return named.error();
            all = std::move(*named);
        }
    address const block = p.address_of(d);
    for (import_target const& one : options.imports)
        if (one.target.config() == block) all.push_back(one);
    std::map<address, import_target> found;
    if (all.empty()) return found;
    // Known targets take precedence over those that may stand for the same instance.
    std::stable_partition(
        all.begin(), all.end(), [](import_target const& one) { return !has_unknown_key(one.target); });
    std::set<address> const declared(expanded.instances.begin(), expanded.instances.end());
    bool const others = std::ranges::any_of(expanded.instances, has_unknown_key);
    diagnostics problems;
    for (import_target& one : all) {
        address const to = one.target;
        if (has_unknown_key(to)) {
            for (address const& a : declared)
                if (may_be_target(a, to)) found.try_emplace(a, one);
        } else if (declared.contains(to)) found.insert_or_assign(to, std::move(one));
        else if (!others) problems.add(make_error(codes::import_target_not_declared, {to_string(to)}));
    }
    if (!problems.empty()) return failure(std::move(problems));
    return found;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_IMPORT_TARGETS_HPP
