// SPDX-License-Identifier: BSL-1.0
// The states of a backend, as the console shows them: other processes change them at any time.
#include "base/timestamp.hpp"
#include "state_source.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::server {

namespace {

// Milliseconds after the last sign of a command until it counts as interrupted. Some servers do not tell who holds a lock.
constexpr std::int64_t longest_without_lock = 2'000;
constexpr std::int64_t longest_without_entries = 10 * 60 * 1000;

class backend_source final : public state_source {
public:
    backend_source(std::string name, std::shared_ptr<state::backend> of) : name_(std::move(name)), of_(std::move(of)) {}

    [[nodiscard]] auto name() const noexcept -> std::string const& override { return name_; }
    [[nodiscard]] auto type() const noexcept -> std::string_view override { return of_->type(); }
    [[nodiscard]] auto thread() noexcept -> state::store_thread& override { return thread_; }
    [[nodiscard]] auto is_shared() const noexcept -> bool override { return true; }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override { return of_->workspaces(); }

    [[nodiscard]] auto observe(std::string const& workspace, observation_depth /*depth*/)
        -> expected<std::optional<workspace_overview>> override
    {
        auto const exists = of_->exists(workspace);
        if (!exists) return exists.error();
        auto locks = of_->locks(workspace);
        if (!locks) return locks.error();
        if (!*exists && locks->empty()) {
            observed_.erase(workspace);
            return std::optional<workspace_overview>();
        }
        workspace_overview made;
        made.locks = std::move(*locks);
        observed& before = observed_[workspace];
        auto const store = of_->open(workspace, state::open_mode::read_only);
        auto const generations = store->generations();
        if (!generations || generations->empty()) {
            if (auto const ok = observe_document(*store, before, made); !ok) return ok.error();
            return std::optional(std::move(made));
        }
        auto const& last = generations->back();
        if (last.ended && of_->type() != "local") {
            // The history of a mirror ends with the last command of this machine; other machines may have gone on.
            if (auto const ok = observe_document(*store, before, made); !ok) return ok.error();
            if (made.last && made.last->serial != last.serial) {
                before.serial = -1;
                return std::optional(std::move(made));
            }
        }
        bool const is_new = before.run.id != std::to_string(last.number);
        if (is_new) {
            before.run = observed_run();
            before.run.id = std::to_string(last.number);
            before.run.operation = last.command;
            before.run.who = last.author;
            before.run.begun = last.started;
            before.sequence = last.sequence;
            before.rises = 0;
            before.had_lock = false;
            before.last_sign = last.started;
        }
        if (before.run.who.empty() && !made.locks.empty()) before.run.who = made.locks.front().holder;
        std::vector<run_step> steps;
        bool const was_open = !before.run.ended || before.run.end_is_assumed;
        if (was_open) {
            // A command that was killed leaves neither an end nor a lock. A command takes its lock before it begins its
            // generation, and locks were read first: a single observation without a lock proves nothing. A command
            // without a lock is seen by its entries only.
            auto read = steps_after(*store, before);
            if (!read) return read.error();
            steps = std::move(*read);
            std::int64_t const now = now_ms();
            for (run_step const& one : steps) before.last_sign = std::max(before.last_sign, one.time);
            // A command that was taken for interrupted goes on with its entries. A lock can be that of a plan.
            if (!made.locks.empty() && (!before.run.end_is_assumed || !steps.empty())) {
                before.last_sign = now;
                before.had_lock = true;
            }
            auto const longest = before.had_lock ? longest_without_lock : longest_without_entries;
            bool const is_interrupted = !last.ended && now - before.last_sign > longest;
            if (!is_interrupted) before.run.ended = last.ended;
            else if (!before.run.ended) before.run.ended = now;
            before.run.end_is_assumed = is_interrupted;
            before.run.result = is_interrupted ? "interrupted" : last.result;
        }
        made.last = version_of(last);
        if (made.last->author.empty()) made.last->author = before.run.who;
        if (!last.ended) made.last->serial = last.serial + before.rises;
        if (before.run.ended && before.serial != made.last->serial) {
            auto const now = store->read_now();
            if (!now) return now.error();
            before.resources = now->resources.size();
            before.serial = made.last->serial;
        }
        made.resources = before.resources;
        made.run = before.run;
        made.run->steps = std::move(steps);
        return std::optional(std::move(made));
    }

    [[nodiscard]] auto history(std::string const& workspace) -> expected<std::vector<state_version>> override
    {
        auto const generations = of_->open(workspace, state::open_mode::read_only)->generations();
        if (!generations) return generations.error();
        std::vector<state_version> all;
        for (auto const& one : *generations) all.push_back(version_of(one));
        std::ranges::reverse(all);
        return all;
    }

    [[nodiscard]] auto content(std::string const& workspace, std::optional<std::int64_t> version)
        -> expected<std::optional<infra::snapshot>> override
    {
        auto const store = of_->open(workspace, state::open_mode::read_only);
        if (version) {
            auto const generations = store->generations();
            if (!generations) return generations.error();
            auto const found = std::ranges::find(*generations, *version, &state::generation_record::number);
            if (found == generations->end()) return std::optional<infra::snapshot>();
            // The state after a command is the one before the next.
            if (auto const next = std::next(found); next != generations->end()) {
                auto read = store->read_at(next->sequence);
                if (!read) return read.error();
                return std::optional(std::move(*read));
            }
        }
        auto read = store->read_now();
        if (!read) return read.error();
        if (read->lineage.empty() && read->resources.empty()) return std::optional<infra::snapshot>();
        return std::optional(std::move(*read));
    }

    [[nodiscard]] auto release(std::string const& workspace, std::string const& id) -> expected<bool> override
    {
        auto const held = of_->locks(workspace);
        if (!held) return held.error();
        if (std::ranges::find(*held, id, &state::lock_description::id) == held->end()) return false;
        auto const released = of_->force_unlock(workspace, id);
        if (!released) return released.error();
        return true;
    }

private:
    // The last observation of a workspace.
    struct observed {
        observed_run run;  // without an id: none
        std::int64_t sequence = 0;  // of the last entry that was read
        std::int64_t rises = 0;  // the serials since the begin of the run
        std::int64_t serial = -1;  // of the state that was counted
        std::int64_t last_sign = 0;  // milliseconds since 1970: a lock or an entry of the run was seen
        bool had_lock = false;  // the run
        std::optional<std::size_t> resources;
    };

    [[nodiscard]] static auto version_of(state::generation_record const& g) -> state_version
    {
        state_version made;
        made.number = g.number;
        made.serial = g.serial;
        made.time = g.ended.value_or(g.started);
        made.author = g.author;
        made.command = g.command + (g.result.empty() || g.result == "complete" ? "" : ", " + g.result);
        return made;
    }

    // A state without a history of commands: of a server that keeps documents.
    [[nodiscard]] static auto observe_document(state::store& store, observed& before, workspace_overview& made)
        -> expected<void>
    {
        auto const now = store.read_now();
        if (!now) return now.error();
        if (now->lineage.empty()) return {};
        state_version& last = made.last.emplace();
        last.serial = static_cast<std::int64_t>(now->serial);
        last.lineage = now->lineage;
        before.resources = made.resources = now->resources.size();
        return {};
    }

    // The operations that began or ended since the last observation.
    [[nodiscard]] static auto steps_after(state::store& store, observed& seen) -> expected<std::vector<run_step>>
    {
        using kind = infra::journal_entry::kind_type;
        using step_type = run_step::step_type;
        auto const entries = store.entries_after(seen.sequence);
        if (!entries) return entries.error();
        std::vector<run_step> steps;
        for (auto const& one : *entries) {
            auto const& e = one.entry;
            seen.sequence = std::max(seen.sequence, one.sequence);
            if (e.kind() != kind::begin) ++seen.rises;  // the begin of an operation does not increase the serial
            if (e.kind() != kind::begin && e.kind() != kind::end) continue;
            auto const what = e.kind() == kind::begin ? step_type::begun
                : e.failed()                          ? step_type::failed
                                                      : step_type::done;
            steps.push_back({what, to_string(e.target()), std::string(to_string(e.operation().kind)), one.time});
        }
        return steps;
    }

    std::string name_;
    std::shared_ptr<state::backend> of_;
    std::map<std::string, observed> observed_;
    state::store_thread thread_;  // last: its work uses the other members
};

}  // namespace

auto make_backend_source(std::string name, std::shared_ptr<state::backend> of) -> std::unique_ptr<state_source>
{
    return std::make_unique<backend_source>(std::move(name), std::move(of));
}

}  // namespace iacctl::server
