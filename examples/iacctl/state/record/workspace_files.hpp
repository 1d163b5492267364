// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_WORKSPACE_FILES_HPP
#define IACCTL_STATE_RECORD_WORKSPACE_FILES_HPP

#include "base/expected.hpp"
#include "state/encryption/target.hpp"
#include "state/state_error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace iacctl::state {

/// The name of the directory of workspaces beside a configuration. For a state with its own name, the suffix of the
/// name of that directory.
inline constexpr std::string_view workspaces_directory = ".iacctl";

/// Writes `.gitignore` into a directory of workspaces, if there is none, because state may contain secrets and must not
/// enter the version control of the configuration beside it. Does nothing to other directories.
[[nodiscard]] auto keep_out_of_version_control(std::filesystem::path const& directory) -> boost::system::error_code;

/// The paths of the parts of a workspace, and the methods that encrypt them. Directories and files are accessible to
/// their owner only (0700 and 0600).
class workspace_files {
public:
    /// \param sealed_with  the methods of encryption; null: none
    explicit workspace_files(
        std::filesystem::path directory, std::shared_ptr<encryption::target const> sealed_with = {})
        : directory_(std::move(directory)),
          encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
    {}

    [[nodiscard]] auto encryption() const noexcept -> encryption::target const& { return *encryption_; }
    /// The same with another directory.
    [[nodiscard]] auto at(std::filesystem::path directory) const -> workspace_files
    {
        return workspace_files(std::move(directory), encryption_);
    }
    [[nodiscard]] auto directory() const noexcept -> std::filesystem::path const& { return directory_; }
    [[nodiscard]] auto database() const -> std::filesystem::path { return directory_ / "state.db"; }
    [[nodiscard]] auto log() const -> std::filesystem::path { return directory_ / "state.db-wal"; }
    /// The file of the `commit_mark`.
    [[nodiscard]] auto mark() const -> std::filesystem::path { return directory_ / "state.db-mark"; }
    [[nodiscard]] auto lock() const -> std::filesystem::path { return directory_ / "lock"; }
    [[nodiscard]] auto backups() const -> std::filesystem::path { return directory_ / "backups"; }
    [[nodiscard]] auto spool() const -> std::filesystem::path { return directory_ / "spool"; }

    enum class condition : std::uint8_t {
        never_made,  ///< there is no state, and there never was one
        present,  ///< there is a database that is not empty
        lost,  ///< there was a database: it is missing or empty
    };
    /// \return a failure if the condition cannot be determined
    [[nodiscard]] auto look() const -> expected<condition>;

    /// Creates the workspace with an empty state, atomically, if it never existed.
    ///
    /// It is prepared under another name. A directory with a lock and without a database therefore always means that
    /// the database was lost.
    [[nodiscard]] auto make() const -> expected<void>;

    /// The error for a lost database, with the remedies.
    [[nodiscard]] auto lost_database() const -> infra::failure;
    /// "Nothing was changed. To go back ...": advice with the command that restores the newest backup.
    [[nodiscard]] auto recovery_advice() const -> std::string;
    /// The database in messages.
    [[nodiscard]] auto site() const -> state_site
    {
        return {database().string(), [*this] { return recovery_advice(); }};
    }
    /// Empty if there is none.
    [[nodiscard]] auto newest_backup() const -> std::filesystem::path;

    /// Restricts access to the owner, as the content may be secret, and excludes it from version control, if an older
    /// version of the program has not done so.
    void protect() const;

private:
    std::filesystem::path directory_;
    std::shared_ptr<encryption::target const> encryption_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_WORKSPACE_FILES_HPP
