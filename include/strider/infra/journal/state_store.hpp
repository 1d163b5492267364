// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_JOURNAL_STATE_STORE_HPP
#define STRIDER_INFRA_JOURNAL_STATE_STORE_HPP

#include <strider/core/result.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/asio.hpp>

#include <concepts>
#include <span>

namespace strider::infra {

/// Stores state.
///
/// - `read()`: the state; an empty snapshot before the first write.
/// - `batch.add(after)`: writes entries. They are durable when it completes without an error. `after` is the state with
///   the batch applied; `append` may read the parts of it that the batch has changed. An error, or an exception, means that
///   nothing of the batch is durable; the journal calls the store no more.
///
/// The calls do not overlap.
template <class S>
concept state_store = requires(S& s, std::span<journal_entry const> batch, snapshot const& after) {
    { s.read() } -> std::same_as<task<result<snapshot, failure>>>;
    { s.append(batch, after) } -> std::same_as<task<error_code>>;
};

/// Optional: the store assigns a lineage to a state when it first writes it: `S::keeps_lineage` is true. The engine then refuses
/// a state without one. Default: the lineage of a state stays empty, and a stale plan is recognized by the serial number alone.
template <class S>
concept keeps_lineage = state_store<S> && S::keeps_lineage;

}  // namespace strider::infra

#endif  // STRIDER_INFRA_JOURNAL_STATE_STORE_HPP
