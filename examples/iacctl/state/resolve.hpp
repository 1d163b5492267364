// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RESOLVE_HPP
#define IACCTL_STATE_RESOLVE_HPP

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

/// What a user, or a provider that was asked, says about an operation that was begun and never ended.
class decision {
public:
    enum class kind_type : std::uint8_t { not_created, created, not_updated, updated, not_destroyed, destroyed };

    [[nodiscard]] static auto not_created() -> decision { return {kind_type::not_created, {}}; }
    /// The object exists, and is as given here.
    [[nodiscard]] static auto created(infra::object o) -> decision { return {kind_type::created, std::move(o)}; }
    /// The object is as it was before.
    [[nodiscard]] static auto not_updated() -> decision { return {kind_type::not_updated, {}}; }
    [[nodiscard]] static auto updated(infra::object o) -> decision { return {kind_type::updated, std::move(o)}; }
    /// The object still exists.
    [[nodiscard]] static auto not_destroyed() -> decision { return {kind_type::not_destroyed, {}}; }
    [[nodiscard]] static auto destroyed() -> decision { return {kind_type::destroyed, {}}; }

    [[nodiscard]] auto kind() const noexcept -> kind_type { return kind_; }
    [[nodiscard]] auto object() const noexcept -> std::optional<infra::object> const& { return object_; }

private:
    decision(kind_type kind, std::optional<infra::object> o) : object_(std::move(o)), kind_(kind) {}

    std::optional<infra::object> object_;
    kind_type kind_;
};

/// The pending operation with that id, or the only one on that address.
[[nodiscard]] auto find_pending(infra::snapshot const& s, std::string_view address_or_operation)
    -> expected<infra::pending_operation>;

/// The entries by which state learns how an operation ended. They change nothing but what the decision says; a create
/// that did not happen makes the deposed object current again.
///
/// An object without provider gets that of the operation.
/// \return state_error::cannot_resolve if there is no such operation, or the decision is about another kind
[[nodiscard]] auto resolve(infra::snapshot const& s, std::string_view address_or_operation, decision decided)
    -> expected<std::vector<infra::journal_entry>>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RESOLVE_HPP
