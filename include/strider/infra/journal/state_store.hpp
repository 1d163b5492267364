// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_JOURNAL_STATE_STORE_HPP
#define STRIDER_INFRA_JOURNAL_STATE_STORE_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/asio.hpp>

#include <concepts>
#include <span>

namespace strider::infra {

/// Where state is kept. `append` is durable when it completes, is called one at a time, and may read of `after`, the state
/// with the batch applied, what the batch has touched.
template <class S>
concept state_store = requires(S& s, std::span<journal_entry const> batch, snapshot const& after) {
    { s.read() } -> std::same_as<task<checked<snapshot>>>;
    { s.append(batch, after) } -> std::same_as<task<error_code>>;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_JOURNAL_STATE_STORE_HPP
