// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_MIGRATION_HPP
#define IACCTL_APP_MIGRATION_HPP

#include "backend.hpp"
#include "settings.hpp"
#include "state/backend.hpp"
#include "state/foreign_state.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::app {

/// A backend that may have states of this configuration, which another one is to get.
struct state_source {
    std::shared_ptr<state::backend> from;
    std::string name;  ///< as questions and messages call it
    /// True for states of Terraform that this program has never had: they go only where there is no state.
    bool is_terraform = false;
};

/// The places of state files of Terraform that concern a configuration: those that `terraform init` has noted, those that the
/// settings of a local backend name, and the usual ones.
[[nodiscard]] auto terraform_places_of(settings const& of, backend_choice const& chosen)
    -> std::vector<state::terraform_places>;

/// A digest of the note of `terraform init` in the data directory; empty if there is none, or one about the local backend.
[[nodiscard]] auto note_digest(settings const& of) -> std::string;

/// The states of Terraform that may have to be taken over into a backend. Those of a note that was decided on are left out.
/// \return a failure if Terraform uses a backend that this program does not have
[[nodiscard]] auto terraform_sources(root_module const& of, backend_choice const& chosen)
    -> infra::expected<std::vector<state_source>>;

/// Refuses to work with an empty state where Terraform has one: everything would be created a second time.
/// \param ours  state of this program, which goes before that of Terraform
[[nodiscard]] auto check_taken_over(settings const& of, infra::snapshot const& ours) -> std::optional<infra::failure>;

/// Copies the states of one backend to another. Nothing is removed or changed where they come from.
///
/// A copy that was interrupted can be made again: a state that is complete in its new place is not copied.
class migration {
public:
    /// One state to be copied.
    struct copy {
        std::string from;  ///< workspace
        std::string to;  ///< workspace; another one only if the backend has only the default workspace
        infra::snapshot replaced;  ///< the present state there
        /// Does the present state have objects, and is it no earlier version of the copied one?
        bool replaces = false;
        std::size_t resources = 0;  ///< resource instances of the copied state
    };

    /// Finds the states to be copied: those that the other backend does not have.
    [[nodiscard]] static auto prepare(settings const& of, state_source const& source,
        std::shared_ptr<state::backend> to) -> infra::expected<migration>;

    [[nodiscard]] auto copies() const noexcept -> std::vector<copy> const& { return copies_; }
    /// Workspaces whose states are not copied since the other backend has only the default workspace.
    [[nodiscard]] auto left() const noexcept -> std::vector<std::string> const& { return left_; }
    [[nodiscard]] auto replaces() const -> bool;
    /// Is there nothing to be done?
    [[nodiscard]] auto empty() const noexcept -> bool { return copies_.empty() && copied_.empty(); }

    /// Copies, under the locks of both sides. The locks are held until this is destroyed, so that nobody changes a state between
    /// the copy and the choice of the other backend. States that are replaced are first saved to files.
    /// \param saved  gets the names of these files
    /// \throws interrupted  between two states
    [[nodiscard]] auto run(settings const& of, std::vector<std::filesystem::path>& saved)
        -> std::optional<infra::failure>;

private:
    migration(std::shared_ptr<state::backend> from, std::shared_ptr<state::backend> to)
        : from_(std::move(from)),
          to_(std::move(to))
    {}

    std::shared_ptr<state::backend> from_;
    std::shared_ptr<state::backend> to_;
    std::vector<copy> copies_;
    std::vector<std::string> copied_;  // workspaces with equal states, perhaps on this machine only so far
    std::vector<std::string> left_;
    std::vector<std::unique_ptr<state::held_lock>> held_;
};

/// Does the backend have only the default workspace?
[[nodiscard]] auto has_one_workspace(state::backend const& in) -> infra::expected<bool>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_MIGRATION_HPP
