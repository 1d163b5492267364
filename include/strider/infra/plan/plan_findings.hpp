// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP
#define STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <optional>
#include <vector>

namespace strider::infra {

/// What is planned for the instances of a resource that replaces others when it changes, in the order of addresses.
template <class V>
struct trigger_subject {
    std::vector<change<V> const*> all;
    std::vector<change<V> const*> changed;  ///< those of them that will not stay as they are
};

/// What the visit of one vertex of a plan graph has found out.
template <class V>
struct plan_findings {
    diagnostics problems;
    std::vector<change<V>> changes;
    std::vector<change<V>> drift;
    std::vector<journal_entry> refreshed;
    std::optional<output_change<V>> output;
    diagnostics check_warnings;
    std::vector<unread_data> unread;
    std::vector<trigger_subject<V>> triggers;  ///< of what is declared to replace these instances, in that order
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP
