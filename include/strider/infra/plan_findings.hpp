// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_FINDINGS_HPP
#define STRIDER_INFRA_PLAN_FINDINGS_HPP

#include <strider/infra/change_set.hpp>
#include <strider/infra/checks.hpp>
#include <strider/infra/diagnostics.hpp>
#include <strider/infra/journal_entry.hpp>

#include <optional>
#include <vector>

namespace strider::infra {

/// What the visit of one vertex of a plan graph has found out.
template <class V>
struct plan_findings {
    diagnostics problems;
    std::vector<change<V>> changes;
    std::vector<change<V>> drift;
    std::vector<journal_entry> refreshed;
    std::optional<output_change<V>> output;
    std::vector<check_outcome> checks;
    diagnostics check_warnings;
    std::vector<unread_data> unread;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_FINDINGS_HPP
