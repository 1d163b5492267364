// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_DOCUMENT_STORE_HPP
#define IACCTL_STATE_RECORD_DOCUMENT_STORE_HPP

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "sqlite_store.hpp"
#include "state/state_error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// Serial and lineage of a state document.
struct document_header {
    std::int64_t serial = 0;
    std::string lineage;

    /// Nothing if the text is not a JSON object with both members. An encrypted state has them, too.
    [[nodiscard]] static auto read(std::string_view text) -> std::optional<document_header>;
};

/// A current or earlier document of a workspace, or its removal.
struct document_revision {
    std::int64_t number = 0;  ///< increases over all workspaces
    document_header header;
    std::int64_t time = 0;  ///< milliseconds since 1970, UTC
    std::string author;
    std::int64_t size = 0;  ///< bytes
    bool removed = false;
};

/// A lock of a workspace that a client holds.
struct document_lock {
    std::string id;
    std::string info;  ///< the description from the request: JSON
    std::string author;
    std::int64_t time = 0;
};

/// State documents of workspaces, their history and their locks, in one SQLite database.
///
/// A document is stored unchanged, byte for byte, which preserves encrypted states and members of later versions of
/// Terraform. A change is durable when its function returns. Locks are stored in the database and survive a restart. A
/// change that is repeated because its reply was lost has the result of the first request.
///
/// It uses a rollback journal instead of a write-ahead log, so that no second file exists whose damage could hide a
/// change.
class document_store {
public:
    /// Opens or creates the database in a directory. Only one process at a time can open it.
    [[nodiscard]] static auto open(std::filesystem::path const& directory, retention_policy keep = {})
        -> expected<document_store>;

    document_store(document_store&&) noexcept;
    auto operator=(document_store&&) noexcept -> document_store&;
    ~document_store();

    /// The current document; nothing if there is none.
    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>>;
    /// The document of a revision; nothing if it is no longer stored, or is a removal.
    [[nodiscard]] auto get(std::string const& workspace, std::int64_t number) -> expected<std::optional<std::string>>;

    enum class verdict : std::uint8_t {
        done,
        locked,  ///< by another client
        lock_lost,  ///< the lock with that id is no longer held
        other_lineage,
        older_serial,
        same_serial,  ///< with another content
    };
    struct outcome {
        verdict of = verdict::done;
        std::optional<document_lock> holder;  ///< if locked
        std::optional<document_revision> present;  ///< of the document with which the new one conflicts
    };
    /// Makes `text` the document of the workspace.
    /// \param lock_id  of the lock that the client holds; empty: none
    [[nodiscard]] auto put(std::string const& workspace, std::string_view text, document_header const& header,
        std::string_view lock_id, std::string_view author) -> expected<outcome>;
    /// Removes the document; its history stays. Succeeds if there is none.
    [[nodiscard]] auto remove(std::string const& workspace, std::string_view lock_id, std::string_view author)
        -> expected<outcome>;

    /// Takes the lock. The holder may repeat the request with the same id. An id whose lock was released is refused with
    /// `lock_lost`: the request was sent before the release and delivered after it.
    [[nodiscard]] auto lock(std::string const& workspace, std::string_view id, std::string_view info,
        std::string_view author) -> expected<outcome>;
    /// Releases the lock. Succeeds if it is not held. \param id  empty: any id
    [[nodiscard]] auto unlock(std::string const& workspace, std::string_view id) -> expected<outcome>;

    struct workspace_summary {
        std::string name;
        std::optional<document_revision> last;
        std::optional<document_lock> lock;
    };
    /// All workspaces that have a document, a history or a lock, sorted by name.
    [[nodiscard]] auto workspaces() -> expected<std::vector<workspace_summary>>;
    /// One of them; nothing if there is none.
    [[nodiscard]] auto workspace(std::string const& name) -> expected<std::optional<workspace_summary>>;
    /// The stored revisions, the newest first.
    [[nodiscard]] auto history(std::string const& workspace) -> expected<std::vector<document_revision>>;

private:
    class impl;

    explicit document_store(std::unique_ptr<impl> i);

    std::unique_ptr<impl> impl_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_DOCUMENT_STORE_HPP
