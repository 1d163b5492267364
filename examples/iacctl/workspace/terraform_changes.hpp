// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_TERRAFORM_CHANGES_HPP
#define IACCTL_WORKSPACE_TERRAFORM_CHANGES_HPP

#include "base/expected.hpp"
#include "migration.hpp"
#include "root_module.hpp"
#include "settings.hpp"
#include "state/backend.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace iacctl::workspace {

/// The states of Terraform beside that of this program, which must not be used by both.
class terraform_changes {
public:
    enum class purpose : std::uint8_t { to_plan, to_apply };

    /// Finds the places of these states, and reads none of them.
    [[nodiscard]] static auto of(root_module const& root) -> expected<terraform_changes>;

    /// Returns an error if this program has no state but Terraform has one, because everything would be created a second
    /// time, or if Terraform has changed its state since it was taken over. A state of another lineage is not the one that
    /// was taken over, and is ignored.
    /// \param ours  the state of this program in a workspace of `in` \param why  to apply: the states that were found are
    /// recorded, so that later changes of them are noticed, whatever their serial is
    /// \param warnings  receives the states that cannot be read
    [[nodiscard]] auto check(infra::snapshot const& ours, state::backend const& in, purpose why,
        infra::diagnostics& warnings) const -> expected<void>;

private:
    explicit terraform_changes(settings const& s) : settings_(&s) {}

    settings const* settings_;
    std::vector<state::terraform_state_paths> files_;
    std::vector<state_source> taken_over_;  // the states of which this program may have a copy
    infra::diagnostics warnings_;
    std::string undecided_type_;  // the type of a backend of Terraform whose states were not taken over; empty: none
};

/// Records the state of Terraform that was copied into a backend.
[[nodiscard]] auto record_taken_over(state_source const& from, migration::copy const& what, state::backend const& into)
    -> expected<void>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_TERRAFORM_CHANGES_HPP
