// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_APPLY_REPORT_HPP
#define STRIDER_INFRA_APPLY_APPLY_REPORT_HPP

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <boost/system/error_code.hpp>

#include <cstddef>

namespace strider::infra {

/// The results of an apply, and the state after it.
struct apply_report {
    diagnostics problems;  ///< errors and warnings of all vertices
    snapshot state;                ///< with all completed operations, durable or not
    boost::system::error_code store_error;  ///< the commit that failed: completed operations may be in `state` only
    /// durable creates; a replacement counts here and in `destroyed`
    std::size_t added = 0;
    std::size_t changed = 0;  ///< durable updates in place
    std::size_t destroyed = 0;  ///< durable destroys, deposed objects included
    std::size_t invoked = 0;  ///< actions that succeeded
    std::size_t entries = 0;  ///< written to the journal
    std::size_t commits = 0;  ///< number of groups
    bool stopped = false;  ///< something was not started because of a cancellation
    std::size_t not_started = 0;  ///< changes of objects that were not started because of a cancellation

    /// True if nothing failed: no error, no failed commit, and nothing left to start.
    [[nodiscard]] auto ok() const -> bool { return !store_error && !stopped && !problems.has_errors(); }
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_APPLY_REPORT_HPP
