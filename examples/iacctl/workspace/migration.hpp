// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_MIGRATION_HPP
#define IACCTL_WORKSPACE_MIGRATION_HPP

#include "backend.hpp"
#include "base/expected.hpp"
#include "settings.hpp"
#include "state/backend.hpp"
#include "state/document/foreign_state.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

/// A backend that may have states of this configuration, which are to be copied to another one.
struct state_source {
    std::shared_ptr<state::backend> from;
    std::string name;  ///< the name in questions and messages
    /// True for states of Terraform that this program has not taken over; they are only copied if there is no state.
    bool is_terraform = false;
};

/// The places of state files of Terraform for a configuration: those that `terraform init` has recorded, those of the
/// settings of a local backend, and the default ones.
[[nodiscard]] auto terraform_state_paths_of(settings const& s, backend_choice const& chosen)
    -> std::vector<state::terraform_state_paths>;

/// A digest of a record of `terraform init`; empty if there is none.
[[nodiscard]] auto note_digest(std::optional<state::terraform_backend_record> const& note) -> std::string;

/// The states of Terraform that may have to be taken over into a backend, without those of a record about which the
/// user has already decided.
/// \return a failure if Terraform uses a backend that this program does not have
[[nodiscard]] auto terraform_sources(root_module const& root, backend_choice const& chosen)
    -> expected<std::vector<state_source>>;

/// The backend that `terraform init` has recorded; nothing if there is none, or if it is the local one.
[[nodiscard]] auto recorded_server_of(settings const& s) -> std::optional<state::terraform_backend_record>;
/// Its states; nothing if it is the chosen backend, or if this program does not have its type.
[[nodiscard]] auto recorded_source(state::terraform_backend_record const& note, backend_choice const& chosen,
    backends::place const& where) -> expected<std::optional<state_source>>;
/// The state files of Terraform.
[[nodiscard]] auto file_sources(settings const& s, backend_choice const& chosen, backends::place const& where)
    -> std::vector<state_source>;

/// Copies the states of one backend to another. The source is not changed.
///
/// An interrupted copy can be repeated: a state that is complete in its new place is not copied again.
class migration {
public:
    /// One state to be copied.
    struct copy {
        std::string from;  ///< workspace
        std::string to;  ///< workspace; another one only if the backend has only the default workspace
        infra::snapshot replaced;  ///< the present state there
        /// The present state has objects, and is not an earlier version of the copied one.
        bool conflicts = false;
        std::size_t resources = 0;  ///< resource instances of the copied state
        std::uint64_t serial = 0;  ///< of the copied state
        std::string lineage{};  ///< of the copied state
    };

    /// Finds the states to be copied: those that the other backend does not have.
    [[nodiscard]] static auto prepare(settings const& s, state_source const& source, std::shared_ptr<state::backend> to)
        -> expected<migration>;

    [[nodiscard]] auto copies() const noexcept -> std::vector<copy> const& { return copies_; }
    /// Workspaces whose states are not copied since the other backend has only the default workspace.
    [[nodiscard]] auto left() const noexcept -> std::vector<std::string> const& { return left_; }
    /// Workspaces whose states are the same in both backends.
    [[nodiscard]] auto same() const noexcept -> std::vector<std::string> const& { return same_; }
    /// The failure if a copy would replace a state that is not an earlier version of it.
    [[nodiscard]] auto find_conflict() const -> std::optional<infra::diagnostic>;
    /// Returns whether there is nothing to do.
    [[nodiscard]] auto empty() const noexcept -> bool { return copies_.empty() && copied_.empty(); }

    /// Copies the states, with the locks of both backends. The locks are held until this object is destroyed, so that
    /// no process changes a state before the other backend is selected. Replaced states are first saved to files.
    /// \param saved  receives the names of these files
    /// \throws interrupted  between two states
    [[nodiscard]] auto run(settings const& s, std::vector<std::filesystem::path>& saved) -> expected<void>;

private:
    migration(std::shared_ptr<state::backend> from, std::shared_ptr<state::backend> to)
        : from_(std::move(from)),
          to_(std::move(to))
    {}

    std::shared_ptr<state::backend> from_;
    std::shared_ptr<state::backend> to_;
    std::vector<copy> copies_;
    std::vector<std::string> copied_;  // workspaces with equal states, which may not have been sent to the server yet
    std::vector<std::string> same_;
    std::vector<std::string> left_;
    std::vector<std::unique_ptr<state::held_lock>> held_;
};

/// Returns whether the backend has only the default workspace.
[[nodiscard]] auto has_one_workspace(state::backend const& in) -> expected<bool>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_MIGRATION_HPP
