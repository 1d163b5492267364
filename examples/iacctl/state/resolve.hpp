// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RESOLVE_HPP
#define IACCTL_STATE_RESOLVE_HPP

#include "base/expected.hpp"
#include "state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::state {

/// The outcome of an operation that began and did not end, as stated by a user or by a provider.
class decision {
public:
    enum class kind_type : std::uint8_t {
        not_created,
        created,
        not_updated,
        updated,
        not_destroyed,
        destroyed,
        not_invoked,
        invoked
    };

    [[nodiscard]] static auto not_created() -> decision { return {kind_type::not_created, {}}; }
    /// The object exists, with this content.
    [[nodiscard]] static auto created(infra::object o) -> decision { return {kind_type::created, std::move(o)}; }
    /// The object is unchanged.
    [[nodiscard]] static auto not_updated() -> decision { return {kind_type::not_updated, {}}; }
    [[nodiscard]] static auto updated(infra::object o) -> decision { return {kind_type::updated, std::move(o)}; }
    /// The object still exists.
    [[nodiscard]] static auto not_destroyed() -> decision { return {kind_type::not_destroyed, {}}; }
    [[nodiscard]] static auto destroyed() -> decision { return {kind_type::destroyed, {}}; }
    /// The action was not performed.
    [[nodiscard]] static auto not_invoked() -> decision { return {kind_type::not_invoked, {}}; }
    [[nodiscard]] static auto invoked() -> decision { return {kind_type::invoked, {}}; }

    [[nodiscard]] auto kind() const noexcept -> kind_type { return kind_; }
    [[nodiscard]] auto object() const noexcept -> std::optional<infra::object> const& { return object_; }

private:
    decision(kind_type kind, std::optional<infra::object> o) : object_(std::move(o)), kind_(kind) {}

    std::optional<infra::object> object_;
    kind_type kind_;
};

/// A line about an operation: its address, its kind and its id.
[[nodiscard]] auto describe(infra::pending_operation const& p) -> std::string;

/// The pending operation with that id, or the only one on that address.
[[nodiscard]] auto find_pending(infra::snapshot const& s, std::string_view address_or_operation)
    -> expected<infra::pending_operation>;

/// The entries that record the outcome of an operation in state. They change nothing else. A create that did not take
/// place makes the deposed object current again.
///
/// An object without a provider is assigned that of the operation.
/// \return state_error::cannot_resolve if there is no such operation, or the decision does not fit its kind
[[nodiscard]] auto resolve(infra::snapshot const& s, std::string_view address_or_operation, decision decided)
    -> expected<std::vector<infra::journal_entry>>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RESOLVE_HPP
