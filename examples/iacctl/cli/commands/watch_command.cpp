// SPDX-License-Identifier: BSL-1.0
// Reads objects at intervals and reports what differs from state.
#include "base/blocking_child.hpp"
#include "base/durable_file.hpp"
#include "base/timestamp.hpp"
#include "cli/telemetry/progress_report.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "plan_request.hpp"
#include "session.hpp"
#include "views/drift.hpp"
#include "workspace/interrupt_source.hpp"

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

struct watch_options : options_with<variable_options, reading_lock_options, read_file_options, message_options>,
                       json_options,
                       planning_options,
                       limit_options {
    std::chrono::nanoseconds interval = std::chrono::minutes(5);
    std::optional<std::int64_t> rounds;
    std::string hook;
    std::string metrics;

    void declare(option_list& to)
    {
        to.with_value("interval", "DURATION", "Start a round every DURATION, at least 1s (default 5m).",
            [this](std::string const& text) -> value_problem {
                if (!read_into(interval, text) && interval >= std::chrono::seconds(1)) return {};
                return "a duration of at least 1s, such as 30s or 5m";
            });
        to.with_value("rounds", "N", "End after N rounds; exit with 2 if objects differ then.",
            [this](std::string const& text) -> value_problem {
                auto wrong = read_into(rounds, text);
                if (!wrong && *rounds == 0) wrong = "a number such as 12";
                return wrong;
            });
        to.with_value("hook", "COMMAND",
            "Run COMMAND in a shell after each change, with the change as JSON on standard input.", hook);
        to.with_value("metrics", "FILE", "Write metrics in the format of OpenMetrics to FILE after each round.",
            metrics, completion::file);
        to.with_value("target", "ADDRESS",
            "Only read this module, resource or instance, and everything it depends on. May be repeated.", targets,
            completion::address);
        to.with_value("exclude", "ADDRESS",
            "Do not read this module, resource or instance, nor anything that depends on it. May be repeated.",
            excludes, completion::address);
        limit_options::declare(to);
        to.on("json", "Print each change as JSON, on one line.", json);
        options_with::declare(to);
    }
};

constexpr int drift_present = 2;
constexpr int lock_held = 3;
constexpr std::size_t longest_report = std::size_t{256} << 10U;  // a console accepts less than 1 MiB

// Waits until a time. \return false after an interrupt, even one that came before
auto wait_until(clock::time_point end, workspace::interrupt_source* interrupts) -> bool
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
    drift_watch(session const& s, watch_options const& options) : session_(&s), options_(&options) {}

    // One round. \return the exit code of its plan
    auto check() -> int
    {
        auto const begin = clock::now();
        auto planned = plan_round();
        if (planned) {
            note(drift_of(*planned), std::chrono::duration<double>(clock::now() - begin).count());
            return 0;
        }
        int const code = planned.error().value;
        ++(code == lock_held ? counts_.locked : counts_.failed);
        return code;
    }
    // Writes the metrics if they are requested. \return an exit code
    auto write_metrics() -> int
    {
        std::string const& file = options_->metrics;
        if (file.empty()) return 0;
        // Programs of other users must be able to read the file.
        auto const error = replace_file(file, views::open_metrics(counts_, session_->workspace().name()), 0644);
        if (!error) return 0;
        return session_->show({make_error(messages::metrics_not_written, {file, error.message()})});
    }
    [[nodiscard]] auto has_drift() const noexcept -> bool { return !known_.empty(); }

private:
    auto plan_round() -> or_exit<workspace::saved_plan>
    {
        auto parameters = read_plan_parameters(*session_, *options_);
        if (!parameters) return parameters.error();
        parameters->options.mode = infra::plan_mode::refresh_only;
        auto planned = session_->workspace().plan(*parameters);
        if (planned.interrupted) return exit_code{0};
        if (!planned.ok()) {
            infra::diagnostics reported = planned.made ? std::move(planned.made->warnings) : infra::diagnostics();
            reported.add(std::move(planned.problems));
            return exit_code{session_->show(reported)};
        }
        planned.made->state.unlock();
        if (counts_.complete == 0) (void)session_->show(unmatched_selections(parameters->options, *planned.made));
        return std::move(planned.made->plan);
    }
    auto drift_of(workspace::saved_plan const& saved) -> std::vector<views::drifted_object>
    {
        return views::drifted_objects(view_of(saved, session_->schemas()));
    }
    void note(std::vector<views::drifted_object> now, double seconds)
    {
        ++counts_.complete;
        counts_.last_duration = seconds;
        counts_.last_complete = static_cast<double>(now_ms()) / 1000;
        counts_.deleted = 0;
        for (auto const& one : now) counts_.deleted += one.is_deleted ? 1U : 0U;
        counts_.changed = now.size() - counts_.deleted;
        auto const change = views::compare_drift(known_, now);
        known_ = std::move(now);
        std::string const time = timestamp::now().text();
        std::string const& workspace = session_->workspace().name();
        std::string const json = views::drift_json(change, known_, workspace, time);
        // Every round is reported: a console loses its reports when it ends, and it shows the time of the last one.
        if (report_to_) {
            auto report = views::drift_report(known_, workspace, time, longest_report);
            if (auto const why = telemetry::send_report(*report_to_, std::move(report) + '\n'))
                (void)session_->show({*why});
        }
        if (change.empty()) return;
        session_->out() << (options_->json ? json + "\n" : views::drift_text(change, time)) << std::flush;
        run_hook(json);
    }
    void run_hook(std::string const& json)
    {
        constexpr std::size_t longest = std::size_t{1} << 20U;
        std::string const& hook = options_->hook;
        if (hook.empty()) return;
        child_command command;
        command.words = {"/bin/sh", "-c", hook};
        command.input = json + "\n";
        auto const run = run_child(std::move(command), std::chrono::minutes(1), longest);
        if (run.succeeded()) return;
        ++counts_.hooks_failed;
        (void)session_->show({make_warning(messages::hook_failed, {run.why, run.errors})});
    }

    session const* session_;
    watch_options const* options_;
    std::optional<telemetry::report_address> report_to_ = telemetry::report_address::from_environment();
    std::vector<views::drifted_object> known_;
    views::watch_counts counts_;
};

auto watch(watch_options const& options, session const& s) -> int
{
    drift_watch watching(s, options);
    for (std::int64_t round = 1;; ++round) {
        auto const begin = clock::now();
        int const code = watching.check();
        int const of_metrics = watching.write_metrics();
        // If the configuration cannot be planned in the first round, this is a mistake of the caller.
        if (round == 1 && code != 0 && code != lock_held) return code;
        if (round == 1 && of_metrics != 0) return of_metrics;
        if (round == options.rounds.value_or(0)) return code != 0 ? code : watching.has_drift() ? drift_present : 0;
        if (!wait_until(begin + options.interval, s.workspace().options().interrupts)) return 0;
    }
}

constexpr std::string_view examples_of_watch[] = {
    "iacctl watch -interval=10m -metrics=/var/lib/node_exporter/iacctl.prom", "iacctl watch -rounds=1 -json",
    "iacctl watch -hook='mail -s drift operators@example.com'"};

}  // namespace

constinit command const watch_command{"watch",
    {.configuration = configuration_use::values, .configuration_required = true, .backend = true, .providers = true},
    begin<watch>, "Report changes that were made outside of the program",
    "Reads all objects at intervals, without a change of state, and prints a line when an object starts to differ from "
    "state, or matches it again. Runs until it is interrupted.",
    {}, examples_of_watch};

}  // namespace iacctl::commands
