// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_BASIC_PLAN_HPP
#define STRIDER_INFRA_PLAN_BASIC_PLAN_HPP

#include <strider/core/frozen_digraph.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace strider::infra {

/// The actions of an apply and their order. The graph is built when the plan is made; an apply walks it unchanged.
template <class V>
struct basic_plan {
    plan_mode mode = plan_mode::normal;
    std::string lineage;       ///< of the state it was made from
    std::uint64_t serial = 0;  ///< any other, and the plan is stale
    std::vector<journal_entry> refreshed;  ///< what was found while planning; recorded before anything is done
    std::vector<change<V>> changes;        ///< by address; the current object first, then deposed ones
    std::vector<change<V>> drift;          ///< what had changed behind our back
    std::vector<output_change<V>> outputs;
    std::vector<std::string> providers;    ///< what provider vertices count
    frozen_digraph<node> graph;
    diagnostics warnings;
    diagnostics check_warnings;  ///< an apply looks at checks again, and has the last word
    bool targeted = false;   ///< not for all that is declared
    bool excluding = false;  ///< for all but some

    /// Is there anything to do that a user would want to confirm?
    [[nodiscard]] auto has_changes() const -> bool
    {
        for (auto const& c : changes)
            if (c.what != action::no_op || c.previous || c.import_id) return true;
        for (auto const& o : outputs)
            if (o.what != action::no_op) return true;
        return false;
    }
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_BASIC_PLAN_HPP
