// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_PUSHED_STATE_HPP
#define IACCTL_APP_PUSHED_STATE_HPP

#include "encryption/target.hpp"
#include "settings.hpp"
#include "state_access.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <optional>
#include <string>

namespace iacctl::app {

/// A state to be taken in.
struct pushed_state {
    infra::snapshot content;
    bool reports_operations = false;  ///< says which operations are pending, be it none; Terraform does not
};

/// The state that a text in Terraform's format describes, unless the next command would report it as damaged.
/// \param sealed_with  the methods that decrypt one which is encrypted
[[nodiscard]] auto parse_pushed(std::string text, encryption::target const& sealed_with = {})
    -> infra::expected<pushed_state>;

/// The error if it may not replace the present state.
[[nodiscard]] auto find_conflict(infra::snapshot const& now, pushed_state const& from)
    -> std::optional<infra::diagnostic>;

/// Puts it in the place of the state that there is. A lineage that there is stays.
[[nodiscard]] auto write_pushed(settings const& of, state::store& store, infra::snapshot now,
    infra::snapshot const& pushed) -> infra::expected<void>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_PUSHED_STATE_HPP
