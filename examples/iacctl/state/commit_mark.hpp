// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_COMMIT_MARK_HPP
#define IACCTL_STATE_COMMIT_MARK_HPP

#include "state_error.hpp"
#include "support/durable_file.hpp"
#include "support/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace iacctl::state {

/// The last commit of a database. Neither number ever decreases.
struct commit_point {
    std::int64_t epoch = 0;
    std::int64_t sequence = 0;

    /// Has everything that `other` has.
    [[nodiscard]] auto covers(commit_point const& other) const noexcept -> bool
    {
        return epoch >= other.epoch && sequence >= other.sequence;
    }
    friend auto operator==(commit_point const&, commit_point const&) -> bool = default;
};

/// The last commit, noted in a small file outside the database: a database that ends before it has lost its write-ahead log.
///
/// Order of writes: the commit is synchronized, the mark is written, the commit is reported. So the mark never says more
/// than what is durable (no false alarm, wherever a crash or a power loss falls), and a commit that was reported is in the mark.
/// The mark itself is synchronized when it is made and once a command: until the kernel writes it back, a power loss may
/// leave an older one, which is never wrong. Then only the log tells of later commits: see `find_log_damage`.
class commit_mark {
public:
    /// Nothing where there is no such file.
    [[nodiscard]] static auto read(std::filesystem::path const& file) -> expected<std::optional<commit_point>>;
    /// Makes the file, or replaces it, as a whole: after a crash there is never a part of it. Durable once its directory is
    /// synchronized.
    [[nodiscard]] static auto make(std::filesystem::path const& file, commit_point at) -> error_code;

    commit_mark() = default;

    [[nodiscard]] auto is_open() const noexcept -> bool { return static_cast<bool>(file_); }
    [[nodiscard]] auto open(std::filesystem::path const& file) -> error_code;
    /// Survives the end of the process, however that ends.
    [[nodiscard]] auto write(commit_point at) const -> error_code;
    /// Writes a commit, unless a later one is there: another process may note that of its own first.
    [[nodiscard]] auto raise(commit_point to) const -> error_code;
    /// Survives the end of the machine, too.
    [[nodiscard]] auto sync() const -> error_code;

private:
    file_descriptor file_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_COMMIT_MARK_HPP
