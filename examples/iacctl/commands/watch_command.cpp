// SPDX-License-Identifier: BSL-1.0
// Reads objects at intervals and reports what differs from state.
#include "app/interrupt_source.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "plan_request.hpp"
#include "providers/blocking_child.hpp"
#include "support/durable_file.hpp"
#include "support/timestamp.hpp"
#include "ui/drift.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using clock = std::chrono::steady_clock;

constexpr int drift_present = 2;
constexpr int lock_held = 3;

// Waits until a time. \return false after an interrupt, even one that came before
auto wait_until(clock::time_point end, app::interrupt_source* interrupts) -> bool
{
    std::mutex guard;
    std::condition_variable changed;
    bool is_interrupted = false;
    if (interrupts != nullptr)
        interrupts->set_handler([&](int) {
            std::lock_guard const guarded(guard);
            is_interrupted = true;
            changed.notify_all();
        });
    {
        std::unique_lock guarded(guard);
        changed.wait_until(guarded, end, [&] { return is_interrupted; });
    }
    if (interrupts != nullptr) interrupts->set_handler({});
    return !is_interrupted;
}

class drift_watch {
public:
    explicit drift_watch(session const& s) : session_(&s) {}

    // One round. \return the exit code of its plan
    auto check() -> int
    {
        auto const begin = clock::now();
        int code = 0;
        auto planned = plan_round(code);
        if (planned) {
            note(drift_of(*planned), std::chrono::duration<double>(clock::now() - begin).count());
            return 0;
        }
        ++(code == lock_held ? counts_.locked : counts_.failed);
        return code;
    }
    // Writes the metrics if they are requested. \return an exit code
    auto write_metrics() -> int
    {
        std::string const& file = session_->requested().watch.metrics;
        if (file.empty()) return 0;
        // Programs of other users must be able to read the file.
        auto const error = replace_file(file, ui::open_metrics(counts_, session_->workspace().name()), 0644);
        if (!error) return 0;
        return session_->show({make_error(messages::metrics_not_written, {file, error.message()})});
    }
    [[nodiscard]] auto has_drift() const noexcept -> bool { return !known_.empty(); }

private:
    auto plan_round(int& code) -> std::optional<app::saved_plan>
    {
        auto parameters = read_plan_parameters(*session_, code);
        if (!parameters) return std::nullopt;
        parameters->options.mode = infra::plan_mode::refresh_only;
        auto planned = session_->workspace().plan(*parameters);
        if (planned.interrupted) return std::nullopt;
        if (!planned.ok()) {
            infra::diagnostics reported = planned.made ? std::move(planned.made->warnings) : infra::diagnostics();
            append(reported, std::move(planned.problems));
            code = session_->show(reported);
            return std::nullopt;
        }
        planned.made->state.unlock();
        if (counts_.complete == 0) (void)session_->show(unmatched_selections(parameters->options, *planned.made));
        return std::move(planned.made->plan);
    }
    auto drift_of(app::saved_plan const& of) -> std::vector<ui::drifted_object>
    {
        return ui::drifted_objects(view_of(of, session_->schemas()));
    }
    void note(std::vector<ui::drifted_object> now, double seconds)
    {
        ++counts_.complete;
        counts_.last_duration = seconds;
        counts_.last_complete = static_cast<double>(now_ms()) / 1000;
        counts_.deleted = 0;
        for (auto const& one : now) counts_.deleted += one.is_deleted ? 1U : 0U;
        counts_.changed = now.size() - counts_.deleted;
        auto const change = ui::compare_drift(known_, now);
        known_ = std::move(now);
        if (change.empty()) return;
        std::string const time = timestamp::now().text();
        std::string const json = ui::drift_json(change, known_, session_->workspace().name(), time);
        session_->out() << (session_->requested().json ? json + "\n" : ui::drift_text(change, time)) << std::flush;
        run_hook(json);
    }
    void run_hook(std::string const& json)
    {
        constexpr std::size_t longest = std::size_t{1} << 20U;
        std::string const& hook = session_->requested().watch.hook;
        if (hook.empty()) return;
        providers::child_command command;
        command.words = {"/bin/sh", "-c", hook};
        command.input = json + "\n";
        auto const run = providers::run_child(std::move(command), std::chrono::minutes(1), longest);
        if (run.succeeded()) return;
        ++counts_.hooks_failed;
        (void)session_->show({make_warning(messages::hook_failed, {run.why, run.errors})});
    }

    session const* session_;
    std::vector<ui::drifted_object> known_;
    ui::watch_counts counts_;
};

}  // namespace

auto watch(session const& s) -> int
{
    watch_request const& requested = s.requested().watch;
    auto const interval =
        std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(requested.interval));
    drift_watch watching(s);
    for (std::int64_t round = 1;; ++round) {
        auto const begin = clock::now();
        int const code = watching.check();
        int const of_metrics = watching.write_metrics();
        // If the configuration cannot be planned in the first round, this is a mistake of the caller.
        if (round == 1 && code != 0 && code != lock_held) return code;
        if (round == 1 && of_metrics != 0) return of_metrics;
        if (round == requested.rounds.value_or(0)) return code != 0 ? code : watching.has_drift() ? drift_present : 0;
        if (!wait_until(begin + interval, s.workspace().options().interrupts)) return 0;
    }
}

}  // namespace iacctl::commands
