// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_RUN_PROGRESS_HPP
#define IACCTL_CLI_COMMANDS_RUN_PROGRESS_HPP

#include "session.hpp"
#include "views/live_display.hpp"
#include "views/progress.hpp"
#include "workspace/run_estimate.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::commands {

/// Shows the progress of a plan or an apply: JSON lines with -json; on a terminal the running operations, below a log
/// of the ended ones; otherwise a line for each event.
class run_progress {
public:
    /// The progress of a plan. \param concise  shows only what is not progress
    run_progress(session const& s, bool concise);
    /// The progress of an apply. \pre the plan outlives this object
    run_progress(session const& s, bool concise, workspace::plan const& p);

    /// \pre this object exists while the observer is called
    [[nodiscard]] auto observer() -> infra::observer<language::value>;
    /// Writes a text immediately.
    void print(std::string_view text);
    /// Writes the rest of the log, and erases the lines below it. Returns the durations of the operations, if a
    /// terminal shows them.
    auto end() -> std::optional<views::run_summary>;

private:
    // Returns whether progress is shown.
    [[nodiscard]] auto shows() const -> bool;
    void begin_display(views::run_status::counts planned, std::function<std::optional<std::chrono::seconds>()> left);
    void show(infra::event<language::value> const& e);
    void show_live(infra::event<language::value> const& e);

    session const* session_;
    bool concise_;
    views::progress_printer printer_;
    std::chrono::steady_clock::time_point begun_;
    std::optional<workspace::run_estimate> estimate_;
    std::optional<views::live_display> display_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_RUN_PROGRESS_HPP
