// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PROGRESS_HPP
#define IACCTL_VIEWS_PROGRESS_HPP

#include "state_view.hpp"
#include "text_style.hpp"

#include "language/values/value.hpp"
#include <strider/infra/model/action.hpp>

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace iacctl::views {

/// The attribute that identifies an object to a reader: `id`, or else `name`, or none.
struct object_label {
    std::string key;
    std::string text;
};
[[nodiscard]] auto label_of(language::value const& attributes) -> object_label;

/// The object of a line of progress.
struct progress_subject {
    std::string address;
    std::string deposed_key;
    object_label label;
};

/// The address, with the key of a deposed object.
[[nodiscard]] auto name_of(progress_subject const& subject) -> std::string;

// Each returns one line without a line break.
[[nodiscard]] auto refreshing_line(progress_subject const& subject, painter const& paint = painter(false))
    -> std::string;
[[nodiscard]] auto started_line(
    infra::operation_kind kind, progress_subject const& subject, painter const& paint = painter(false)) -> std::string;
[[nodiscard]] auto running_line(infra::operation_kind kind, progress_subject const& subject,
    std::chrono::seconds elapsed, painter const& paint = painter(false)) -> std::string;
/// The line at the end does not contain the key of a deposed object.
[[nodiscard]] auto finished_line(infra::operation_kind kind, progress_subject const& subject,
    std::chrono::seconds elapsed, painter const& paint = painter(false)) -> std::string;
[[nodiscard]] auto failed_line(infra::operation_kind kind, progress_subject const& subject,
    std::chrono::seconds elapsed, painter const& paint = painter(false)) -> std::string;
/// A step of an ephemeral resource: "Opening...".
[[nodiscard]] auto ephemeral_line(
    std::string_view address, std::string_view subject, painter const& paint = painter(false)) -> std::string;
/// A step of an action: "Invoking..." or a line of its progress.
[[nodiscard]] auto action_line(
    std::string_view address, std::string_view subject, painter const& paint = painter(false)) -> std::string;
/// A line while planning, before the provider reads the object.
[[nodiscard]] auto import_prepared_line(
    std::string_view address, std::string_view id, painter const& paint = painter(false)) -> std::string;
[[nodiscard]] auto importing_line(std::string_view address, std::string_view id, painter const& paint = painter(false))
    -> std::string;
[[nodiscard]] auto imported_line(std::string_view address, std::string_view id, painter const& paint = painter(false))
    -> std::string;
[[nodiscard]] auto provisioning_line(
    std::string_view address, std::string_view provisioner, painter const& paint = painter(false)) -> std::string;
/// The output of a provisioner, each line after its name; empty lines are removed. May be empty.
[[nodiscard]] auto provisioner_output(std::string_view address, std::string_view provisioner, std::string_view written,
    painter const& paint = painter(false)) -> std::string;

/// `0s`, `1m10s`, `2h0m5s`.
[[nodiscard]] auto duration_text(std::chrono::seconds duration) -> std::string;
/// `1.5s`; from a minute on like `duration_text`.
[[nodiscard]] auto precise_text(double seconds) -> std::string;

struct apply_counts {
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t destroyed = 0;
    std::size_t imported = 0;
    std::size_t invoked = 0;  ///< actions
    std::size_t forgotten = 0;  ///< removed from state, but not destroyed
};

/// The summary of a successful apply, after an empty line.
/// The sentence "Apply complete! ..." or "Destroy complete! ...", without line breaks.
[[nodiscard]] auto applied_text(apply_counts const& counts) -> std::string;
[[nodiscard]] auto destroyed_text(apply_counts const& counts) -> std::string;
[[nodiscard]] auto apply_summary(apply_counts const& counts, painter const& paint = painter(false)) -> std::string;
[[nodiscard]] auto destroy_summary(apply_counts const& counts, painter const& paint = painter(false)) -> std::string;
/// An operation with its duration.
struct timed_line {
    infra::operation_kind kind = infra::operation_kind::create;
    std::string address;
    double seconds = 0;
};
/// The durations of an apply.
struct run_summary {
    double seconds = 0;
    std::size_t most_at_once = 0;  ///< operations
    std::vector<timed_line> critical_path;
    std::vector<timed_line> slowest;
};
/// The operations of a path with their durations, as a part of a screen.
[[nodiscard]] auto critical_path_block(std::vector<timed_line> const& all, painter const& paint = painter(false))
    -> std::string;
/// The duration of the run, how many operations ran at once, its critical path, and its slowest operations.
[[nodiscard]] auto durations_block(run_summary const& summary, painter const& paint = painter(false)) -> std::string;
/// The outputs below the summary, or nothing if there are none.
[[nodiscard]] auto outputs_block(std::vector<output_view> outputs, bool show_sensitive = false,
    painter const& paint = painter(false)) -> std::string;

/// The texts after the first and the second interrupt, and when operations are requested to stop.
[[nodiscard]] auto interrupted_text() -> std::string;
[[nodiscard]] auto interrupted_again_text() -> std::string;
[[nodiscard]] auto stopping_text() -> std::string;

/// Writes whole lines to a stream, in the order of the calls. Thread-safe. Only `print` and `flush` wait until the lines are written.
class progress_printer {
public:
    progress_printer(std::ostream& to, bool colour) noexcept : to_(to), paint_(colour) {}

    /// Writes text, and a line break if it does not end with one.
    void print(std::string_view text);
    /// Writes all lines so far. Until the next line, other text may then be written to the stream.
    void flush();

    void refreshing(progress_subject const& subject) { add(refreshing_line(subject, paint_)); }
    void started(infra::operation_kind kind, progress_subject const& subject)
    {
        add(started_line(kind, subject, paint_));
    }
    void running(infra::operation_kind kind, progress_subject const& subject, std::chrono::seconds elapsed)
    {
        add(running_line(kind, subject, elapsed, paint_));
    }
    /// For successful operations only.
    void finished(infra::operation_kind kind, progress_subject const& subject, std::chrono::seconds elapsed)
    {
        add(finished_line(kind, subject, elapsed, paint_));
    }
    void ephemeral(std::string_view address, std::string_view subject)
    {
        add(ephemeral_line(address, subject, paint_));
    }
    void action(std::string_view address, std::string_view subject) { add(action_line(address, subject, paint_)); }
    void import_prepared(std::string_view address, std::string_view id)
    {
        add(import_prepared_line(address, id, paint_));
    }
    /// An import takes no time, so its begin and end are reported together.
    void imported(std::string_view address, std::string_view id)
    {
        add(importing_line(address, id, paint_) + '\n' + imported_line(address, id, paint_));
    }
    void provisioning(std::string_view address, std::string_view provisioner)
    {
        add(provisioning_line(address, provisioner, paint_));
    }
    void provisioner_wrote(std::string_view address, std::string_view provisioner, std::string_view written)
    {
        add(provisioner_output(address, provisioner, written, paint_));
    }

private:
    // Writes a line within a few milliseconds, together with others: a system call for each would take longer than the line.
    void add(std::string_view text);
    void append(std::string_view text);
    void write_later(std::stop_token const& stop);

    std::ostream& to_;
    painter paint_;
    std::mutex stream_mutex_;  // acquired before the other one
    // Empty, unless it is being written. `flush` exchanges it with `waiting_`, so that both keep their memory.
    std::string written_;
    std::mutex mutex_;
    std::string waiting_;
    std::condition_variable_any has_lines_;
    std::jthread writer_;  // starts with the first line, and ends before the other members
};

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PROGRESS_HPP
