// SPDX-License-Identifier: BSL-1.0
#include "run_progress.hpp"

#include "terminal.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace iacctl::commands {

namespace {

using infra::event_kind;

// The estimate takes a pass over the graph once a second; a run that ends within a second shows no summary.
constexpr auto shortest_with_summary = std::chrono::seconds(1);

auto subject_of(infra::event<language::value> const& e) -> views::progress_subject
{
    views::progress_subject subject{to_string(e.target), e.deposed_key, {}};
    if (e.object != nullptr) subject.label = views::label_of(*e.object);
    return subject;
}

auto whole_seconds(infra::event<language::value> const& e) -> std::chrono::seconds
{
    return std::chrono::duration_cast<std::chrono::seconds>(e.elapsed);
}

// The step of an ephemeral resource that an event reports.
auto ephemeral_step(infra::event<language::value> const& e) -> std::string
{
    auto const after = [&](std::string_view step) {
        return std::string(step) + " complete after " + views::duration_text(whole_seconds(e));
    };
    switch (e.kind) {
    case event_kind::ephemeral_deferred: return "Configuration unknown, deferring...";
    case event_kind::ephemeral_opening: return "Opening...";
    case event_kind::ephemeral_opened: return after("Opening");
    case event_kind::ephemeral_closing: return "Closing...";
    default: return after("Closing");
    }
}

// The step of an action that an event reports; a diagnostic reports a failure.
auto action_step(infra::event<language::value> const& e) -> std::string
{
    switch (e.kind) {
    case event_kind::action_started: return "Invoking...";
    case event_kind::action_done: return "Invocation complete";
    case event_kind::action_failed: return "Invocation failed";
    default: return e.text;
    }
}

auto timed(std::vector<workspace::timed_operation> const& all) -> std::vector<views::timed_line>
{
    std::vector<views::timed_line> lines;
    for (workspace::timed_operation const& one : all) lines.push_back({one.kind, one.address, one.seconds});
    return lines;
}

}  // namespace

run_progress::run_progress(session const& s, bool concise)
    : session_(&s),
      concise_(concise),
      printer_(s.out(), s.text().colour),
      begun_(std::chrono::steady_clock::now())
{
    begin_display({}, {});
}

run_progress::run_progress(session const& s, bool concise, workspace::plan const& p)
    : session_(&s),
      concise_(concise),
      printer_(s.out(), s.text().colour),
      begun_(std::chrono::steady_clock::now())
{
    if (!s.text().live || !shows()) return;
    estimate_.emplace(p, s.workspace().durations(), s.workspace().options().limits.parallelism);
    begin_display(estimate_->counts(), [this] { return estimate_->remaining(); });
}

void run_progress::begin_display(
    views::run_status::counts planned, std::function<std::optional<std::chrono::seconds>()> left)
{
    if (!session_->text().live || !shows()) return;
    views::live_display::options with;
    with.colour = session_->text().colour;
    with.planned = planned;
    with.size = size_of_terminal;
    with.left = std::move(left);
    display_.emplace(session_->out(), std::move(with));
}

auto run_progress::observer() -> infra::observer<language::value>
{
    infra::observer<language::value> observer = [this, to = session_->stream(), shows = shows()](
                                                    infra::event<language::value> const& e) {
        if (to != nullptr) to->event(e);
        if (display_) show_live(e);
        else if (shows) show(e);
    };
    return session_->recording() == nullptr ? observer : session_->recording()->observer(std::move(observer));
}

auto run_progress::shows() const -> bool
{
    return !session_->machine_readable() && !concise_;
}

void run_progress::print(std::string_view text)
{
    if (!display_) return printer_.print(text);
    display_->print(text);
    display_->flush();
}

auto run_progress::end() -> std::optional<views::run_summary>
{
    printer_.flush();
    if (!display_) return std::nullopt;
    std::size_t const most_at_once = display_->most_running();
    display_.reset();
    auto const elapsed = std::chrono::steady_clock::now() - begun_;
    if (!estimate_ || elapsed < shortest_with_summary) return std::nullopt;
    auto const times = estimate_->times();
    return views::run_summary{
        std::chrono::duration<double>(elapsed).count(), most_at_once, timed(times.critical_path), timed(times.slowest)};
}

void run_progress::show(infra::event<language::value> const& e)
{
    if (e.kind == event_kind::refresh_done) return;  // most events are those of a refresh
    auto const subject = subject_of(e);
    switch (e.kind) {
    case event_kind::ephemeral_deferred:
    case event_kind::ephemeral_opening:
    case event_kind::ephemeral_opened:
    case event_kind::ephemeral_closing:
    case event_kind::ephemeral_closed: printer_.ephemeral(subject.address, ephemeral_step(e)); break;
    case event_kind::action_started:
    case event_kind::action_progress:
    case event_kind::action_done:
    case event_kind::action_failed: printer_.action(subject.address, action_step(e)); break;
    case event_kind::refresh_started: printer_.refreshing(subject); break;
    case event_kind::import_prepared: printer_.import_prepared(subject.address, e.text); break;
    case event_kind::imported: printer_.imported(subject.address, e.text); break;
    case event_kind::operation_started: printer_.started(e.operation, subject); break;
    case event_kind::operation_running: printer_.running(e.operation, subject, whole_seconds(e)); break;
    case event_kind::operation_done: printer_.finished(e.operation, subject, whole_seconds(e)); break;
    case event_kind::refresh_done:
    case event_kind::operation_failed:
    case event_kind::provision_done:
    case event_kind::provision_failed: break;
    case event_kind::provision_started: printer_.provisioning(subject.address, e.provisioner); break;
    case event_kind::provision_output: printer_.provisioner_wrote(subject.address, e.provisioner, e.text); break;
    }
}

void run_progress::show_live(infra::event<language::value> const& e)
{
    views::painter const paint(session_->text().colour);
    auto const subject = subject_of(e);
    auto const name = views::name_of(subject);
    switch (e.kind) {
    case event_kind::refresh_started: display_->started(infra::operation_kind::read, name); break;
    case event_kind::refresh_done: display_->ended(infra::operation_kind::read, name, false); break;
    case event_kind::import_prepared: display_->print(import_prepared_line(subject.address, e.text, paint)); break;
    case event_kind::imported: display_->print(imported_line(subject.address, e.text, paint)); break;
    case event_kind::operation_started:
        if (estimate_) estimate_->note(e);
        display_->started(e.operation, name);
        break;
    case event_kind::operation_done:
    case event_kind::operation_failed: {
        if (estimate_) estimate_->note(e);
        bool const failed = e.kind == event_kind::operation_failed;
        display_->ended(e.operation, name, failed);
        display_->print(failed ? failed_line(e.operation, subject, whole_seconds(e), paint)
                               : finished_line(e.operation, subject, whole_seconds(e), paint));
        break;
    }
    case event_kind::ephemeral_deferred:
    case event_kind::ephemeral_opening:
    case event_kind::ephemeral_opened:
    case event_kind::ephemeral_closing:
    case event_kind::ephemeral_closed:
        display_->print(ephemeral_line(subject.address, ephemeral_step(e), paint));
        break;
    case event_kind::action_started:
    case event_kind::action_progress:
    case event_kind::action_done:
    case event_kind::action_failed: display_->print(action_line(subject.address, action_step(e), paint)); break;
    case event_kind::operation_running:
    case event_kind::provision_done:
    case event_kind::provision_failed: break;
    case event_kind::provision_started:
        display_->print(provisioning_line(subject.address, e.provisioner, paint));
        break;
    case event_kind::provision_output:
        display_->print(provisioner_output(subject.address, e.provisioner, e.text, paint));
        break;
    }
}

}  // namespace iacctl::commands
