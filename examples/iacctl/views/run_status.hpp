// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_RUN_STATUS_HPP
#define IACCTL_VIEWS_RUN_STATUS_HPP

#include "text_style.hpp"

#include <strider/infra/model/action.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::views {

/// The size of a terminal in characters.
struct terminal_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

/// The operations of a run: those that are running, and the numbers of finished and remaining ones. Formats the lines
/// that a terminal shows below the log. Not thread-safe.
class run_status {
public:
    using clock = std::chrono::steady_clock;
    using counts = std::array<std::size_t, infra::operation_kinds>;

    /// \param planned  the number of operations of each kind; all 0 if unknown
    run_status(counts planned, clock::time_point begun) : planned_(planned), begun_(begun) {}

    /// \complexity O(log running operations)
    void started(infra::operation_kind kind, std::string name, clock::time_point now);
    void ended(infra::operation_kind kind, std::string const& name, bool failed);

    [[nodiscard]] auto is_idle() const noexcept -> bool { return running_.empty(); }
    /// The largest number of operations that ran at once.
    [[nodiscard]] auto most_running() const noexcept -> std::size_t { return most_running_; }

    /// A bar, counters, and the running operations, the longest first. Each line has at most `size.columns - 1`
    /// characters, and all lines together use at most half of the rows.
    /// \param left  the estimated remaining time; nothing: unknown
    [[nodiscard]] auto lines(clock::time_point now, terminal_size size, painter const& paint,
        std::optional<std::chrono::seconds> left) const -> std::vector<std::string>;

private:
    using operation = std::pair<infra::operation_kind, std::string>;

    [[nodiscard]] auto headline(
        clock::time_point now, std::size_t columns, std::optional<std::chrono::seconds> left) const -> std::string;
    [[nodiscard]] auto counters() const -> std::string;

    counts planned_;
    counts ended_{};
    std::size_t failed_ = 0;
    std::size_t most_running_ = 0;
    clock::time_point begun_;
    std::map<operation, clock::time_point> running_;
};

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_RUN_STATUS_HPP
