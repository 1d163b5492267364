// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PUSHED_STATE_HPP
#define IACCTL_WORKSPACE_PUSHED_STATE_HPP

#include "base/expected.hpp"
#include "settings.hpp"
#include "state/encryption/target.hpp"
#include "state_access.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <optional>
#include <string>
#include <vector>

namespace iacctl::workspace {

/// A state to be pushed.
struct pushed_state {
    infra::snapshot content;
    bool reports_operations = false;  ///< the state has a list of pending operations, maybe empty
    std::vector<std::string> replaces{};  ///< of a rescue copy: contents that it may replace, whatever their serial is
};

/// Parses a state in Terraform's format. Fails if the next command would report the state as damaged.
/// \param sealed_with  the methods that decrypt an encrypted state
[[nodiscard]] auto parse_pushed(std::string text, encryption::target const& sealed_with = {}) -> expected<pushed_state>;

/// The error if the pushed state must not replace the present one.
/// \param content_id  of the present state; empty: unknown
[[nodiscard]] auto find_conflict(infra::snapshot const& now, pushed_state const& from, std::string const& content_id)
    -> std::optional<infra::diagnostic>;

/// Replaces the present state. An existing lineage is kept.
/// \param always  also if nothing differs and the serial is not higher
[[nodiscard]] auto write_pushed(settings const& s, state::store& store, infra::snapshot now,
    infra::snapshot const& pushed, bool always = false) -> expected<void>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_PUSHED_STATE_HPP
