// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_COMMIT_MARK_HPP
#define IACCTL_STATE_RECORD_COMMIT_MARK_HPP

#include "base/durable_file.hpp"
#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "state/state_error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace iacctl::state {

/// The last commit of a database. Neither number ever decreases.
struct commit_point {
    std::int64_t epoch = 0;
    std::int64_t sequence = 0;

    /// Returns whether this point includes all commits up to `other`.
    [[nodiscard]] auto covers(commit_point const& other) const noexcept -> bool
    {
        return epoch >= other.epoch && sequence >= other.sequence;
    }
    friend auto operator==(commit_point const&, commit_point const&) -> bool = default;
};

/// The last commit, recorded in a small file outside the database. A database with fewer commits has lost its
/// write-ahead log.
///
/// Order of writes: the commit is synchronized, the mark is written, the commit is reported. Hence the mark never
/// includes a commit that is not durable (no false alarm after a crash or a power loss at any point), and it includes
/// every reported commit. The mark itself is synchronized when it is created and once per command. Until the kernel has
/// written it, a power loss may leave an older mark, which is still correct. Then only the log shows later commits: see
/// `find_wal_damage`.
class commit_mark {
public:
    /// Nothing if the file does not exist.
    [[nodiscard]] static auto read(std::filesystem::path const& file) -> expected<std::optional<commit_point>>;
    /// Creates or replaces the file atomically. Durable once its directory is synchronized.
    [[nodiscard]] static auto make(std::filesystem::path const& file, commit_point at) -> error_code;

    commit_mark() = default;

    [[nodiscard]] auto is_open() const noexcept -> bool { return static_cast<bool>(file_); }
    [[nodiscard]] auto open(std::filesystem::path const& file) -> error_code;
    /// The mark survives the end of the process.
    [[nodiscard]] auto write(commit_point at) const -> error_code;
    /// Writes a commit unless the file has a later one, which another process may have written.
    [[nodiscard]] auto raise(commit_point to) const -> error_code;
    /// The mark survives the end of the machine, too.
    [[nodiscard]] auto sync() const -> error_code;

private:
    file_descriptor file_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_COMMIT_MARK_HPP
