// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_BASIC_PLAN_HPP
#define STRIDER_INFRA_PLAN_BASIC_PLAN_HPP

#include <strider/core/dag.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace strider::infra {

/// The actions of an apply and their order. The plan contains the graph; an apply walks it unchanged.
template <class V>
struct basic_plan {
    plan_mode mode = plan_mode::normal;  ///< the goal that the plan was made for
    std::string lineage;       ///< of the prior state
    std::uint64_t serial = 0;  ///< of the prior state: if state has another one, the plan is stale
    std::vector<journal_entry> refreshed;  ///< results of refreshing; recorded before any operation
    std::vector<change<V>> changes;        ///< in ascending address; the current object before deposed ones
    std::vector<deferred_change<V>> deferred;  ///< not performed, in ascending address; a later plan decides on them
    std::vector<change<V>> drift;          ///< changes made outside of the engine
    std::vector<output_change<V>> outputs;  ///< of the root module, with the unchanged ones
    std::vector<invocation<V>> invocations;  ///< of actions; those of one change in the order of execution
    std::vector<std::string> providers;    ///< by number in provider vertices
    dag<node> graph;  ///< of the apply; its vertices refer to the tables above by number
    diagnostics warnings;  ///< of the plan, without those of checks
    diagnostics check_warnings;  ///< replaced by those of the apply, which assesses checks again
    bool targeted = false;   ///< restricted to targets
    bool excluding = false;  ///< restricted by exclusions

    /// True if the plan has no changes, but actions that its options name.
    [[nodiscard]] auto only_invokes() const -> bool { return mode == plan_mode::refresh_only && !invocations.empty(); }
    /// True if there is a change for a user to confirm.
    [[nodiscard]] auto has_changes() const -> bool
    {
        if (!invocations.empty()) return true;
        for (auto const& c : changes)
            if (c.what != action::no_op || c.previous || c.import_id) return true;
        for (auto const& o : outputs)
            if (o.what != action::no_op && (mode != plan_mode::refresh_only || !o.after || o.after->wholly_known()))
                return true;  // a refresh saves no unknown value
        return false;
    }
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_BASIC_PLAN_HPP
