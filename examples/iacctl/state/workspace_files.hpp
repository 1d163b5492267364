// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_WORKSPACE_FILES_HPP
#define IACCTL_STATE_WORKSPACE_FILES_HPP

#include "encryption/target.hpp"
#include "state_error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace iacctl::state {

/// Beside a configuration: the directory of its workspaces. For a state with a name of its own: the end of the name of that
/// directory.
inline constexpr std::string_view workspaces_directory = ".iacctl";

/// Writes `.gitignore` into a directory of workspaces, if there is none: versions are kept of configurations, which lie beside it,
/// but not of state, which may have secrets. Does nothing to other directories.
[[nodiscard]] auto keep_out_of_version_control(std::filesystem::path const& directory) -> boost::system::error_code;

/// The places of the parts of a workspace, and the methods that encrypt what is in them. Directories are for their owner alone
/// (0700), and so are files (0600).
class workspace_files {
public:
    /// \param sealed_with  the methods of encryption; null: none
    explicit workspace_files(
        std::filesystem::path directory, std::shared_ptr<encryption::target const> sealed_with = {})
        : directory_(std::move(directory)),
          encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
    {}

    [[nodiscard]] auto encryption() const noexcept -> encryption::target const& { return *encryption_; }
    /// The same methods, in another directory.
    [[nodiscard]] auto at(std::filesystem::path directory) const -> workspace_files
    {
        return workspace_files(std::move(directory), encryption_);
    }
    [[nodiscard]] auto directory() const noexcept -> std::filesystem::path const& { return directory_; }
    [[nodiscard]] auto database() const -> std::filesystem::path { return directory_ / "state.db"; }
    [[nodiscard]] auto log() const -> std::filesystem::path { return directory_ / "state.db-wal"; }
    /// A `commit_mark`.
    [[nodiscard]] auto mark() const -> std::filesystem::path { return directory_ / "state.db-mark"; }
    [[nodiscard]] auto lock() const -> std::filesystem::path { return directory_ / "lock"; }
    [[nodiscard]] auto backups() const -> std::filesystem::path { return directory_ / "backups"; }
    [[nodiscard]] auto spool() const -> std::filesystem::path { return directory_ / "spool"; }

    enum class condition : std::uint8_t {
        never_made,  ///< there is no state, and there never was
        present,  ///< there is a database, which is not empty
        lost,  ///< there was a database: it is gone, or empty
    };
    /// \return a failure if that cannot be told
    [[nodiscard]] auto look() const -> expected<condition>;

    /// Makes the workspace with an empty state, all at once, if it was never made.
    ///
    /// It is prepared under another name: there is never a directory with a lock but without a database, which is how
    /// a lost one is told from one that never was.
    [[nodiscard]] auto make() const -> std::optional<infra::failure>;

    /// What happened, and the ways out.
    [[nodiscard]] auto lost_database() const -> infra::failure;
    /// "Nothing was changed. To go back ...": the command that puts the newest backup in the place of the database.
    [[nodiscard]] auto way_back() const -> std::string;
    /// Nothing if there is none.
    [[nodiscard]] auto newest_backup() const -> std::filesystem::path;

    /// Lets nobody else read what is here, which may be secret, nor a version control system take it up: where older versions
    /// left that open.
    void protect() const;

private:
    std::filesystem::path directory_;
    std::shared_ptr<encryption::target const> encryption_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_WORKSPACE_FILES_HPP
