// SPDX-License-Identifier: BSL-1.0
// The documents of the server, as the console shows them.
#include "base/json.hpp"
#include "base/timestamp.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/backends/lock_info.hpp"
#include "state/document/state_v4.hpp"
#include "state_source.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace iacctl::server {

namespace {

using state::document_store;

// Longer documents are read only when someone looks at their content.
constexpr std::int64_t longest_observed = std::int64_t{8} << 20U;
// The writes of a run that are compared one by one when someone looks at it.
constexpr std::size_t most_compared = 20;

auto version_of(state::document_revision const& r) -> state_version
{
    state_version made;
    made.number = r.number;
    made.serial = r.header.serial;
    made.time = r.time;
    made.author = r.author;
    made.lineage = r.header.lineage;
    made.size = r.size;
    made.removed = r.removed;
    return made;
}

// "apply" of "OperationTypeApply".
auto command_of(std::string_view operation) -> std::string
{
    constexpr std::string_view prefix = "OperationType";
    if (!operation.starts_with(prefix)) return std::string(operation);
    std::string made(operation.substr(prefix.size()));
    if (!made.empty() && made.front() >= 'A' && made.front() <= 'Z')
        made.front() = static_cast<char>(made.front() - 'A' + 'a');
    return made;
}

auto description_of(state::document_lock const& held) -> state::lock_description
{
    auto const info = backends::lock_info::parse(held.info);
    state::lock_description made;
    made.id = held.id;
    made.holder = info ? info->who : std::string();
    if (!held.author.empty()) made.holder += made.holder.empty() ? held.author : ", user \"" + held.author + "\"";
    made.operation = info ? command_of(info->operation) : std::string();
    made.since = timestamp::of_unix_ms(held.time).text();
    return made;
}

auto is_sealed(std::string_view text) -> bool
{
    auto const whole = parse_json(text);
    return whole && whole->find("encrypted_data") != nullptr;
}

// The objects of a state, each with a number that changes with it.
auto objects_of(infra::snapshot const& s) -> std::map<std::string, std::size_t>
{
    std::map<std::string, std::size_t> all;
    auto const add = [&](infra::address const& a, std::string const& key, infra::object const& o) {
        all.emplace(object_name(a, key), std::hash<std::string>()(o.attributes.text()) + (o.tainted ? 1U : 0U));
    };
    for (auto const& [a, record] : s.resources) {
        if (record.current) add(a, {}, *record.current);
        for (auto const& [key, o] : record.deposed) add(a, key, o);
    }
    return all;
}

class document_source final : public state_source {
public:
    document_source(std::shared_ptr<document_store> store, state::store_thread& thread)
        : store_(std::move(store)),
          thread_(&thread)
    {}

    [[nodiscard]] auto name() const noexcept -> std::string const& override { return name_; }
    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "http"; }
    [[nodiscard]] auto thread() noexcept -> state::store_thread& override { return *thread_; }
    [[nodiscard]] auto is_shared() const noexcept -> bool override { return false; }

    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        auto const all = store_->workspaces();
        if (!all) return all.error();
        std::vector<std::string> names;
        for (auto const& one : *all) names.push_back(one.name);
        return names;
    }

    [[nodiscard]] auto observe(std::string const& workspace, observation_depth depth)
        -> expected<std::optional<workspace_overview>> override
    {
        auto const found = store_->workspace(workspace);
        if (!found) return found.error();
        if (!*found) {
            observed_.erase(workspace);
            return std::optional<workspace_overview>();
        }
        workspace_overview made;
        observed& before = observed_[workspace];
        if ((*found)->last) made.last = version_of(*(*found)->last);
        if ((*found)->lock) made.locks.push_back(description_of(*(*found)->lock));
        std::int64_t const last = made.last ? made.last->number : 0;
        note_lock((*found)->lock, made.locks, last, before);
        std::vector<run_step> steps;
        if (depth == observation_depth::content && before.is_behind(last)) {
            auto read = read_writes(workspace, last, before);
            if (!read) return read.error();
            steps = std::move(*read);
        }
        made.is_behind = before.is_behind(last);
        if (before.number == last) {
            made.is_sealed = before.is_sealed;
            made.resources = before.resources;
        }
        if (!before.run.id.empty()) {
            made.run = before.run;
            made.run->steps = std::move(steps);
        }
        return std::optional(std::move(made));
    }

    [[nodiscard]] auto history(std::string const& workspace) -> expected<std::vector<state_version>> override
    {
        auto const revisions = store_->history(workspace);
        if (!revisions) return revisions.error();
        std::vector<state_version> all;
        for (auto const& one : *revisions) all.push_back(version_of(one));
        return all;
    }

    [[nodiscard]] auto content(std::string const& workspace, std::optional<std::int64_t> version)
        -> expected<std::optional<infra::snapshot>> override
    {
        auto const text = version ? store_->get(workspace, *version) : store_->get(workspace);
        if (!text) return text.error();
        if (!*text) return std::optional<infra::snapshot>();
        auto read = state::from_v4(**text);
        if (read) return std::optional(std::move(*read));
        if (is_sealed(**text)) return state::make_failure(messages::served_state_sealed, {workspace});
        return read.error();
    }

    [[nodiscard]] auto release(std::string const& workspace, std::string const& id) -> expected<bool> override
    {
        auto const held = store_->workspace(workspace);
        if (!held) return held.error();
        if (!*held || !(*held)->lock || (*held)->lock->id != id) return false;
        auto const made = store_->unlock(workspace, id);
        if (!made) return made.error();
        return made->of == document_store::verdict::done;
    }

private:
    // The observations of a workspace until now. Numbers are those of revisions.
    struct observed {
        std::int64_t number = 0;  // of the last content that was read
        std::optional<std::size_t> resources;  // in this content
        bool is_sealed = false;
        observed_run run;  // without an id: none
        std::int64_t compared = 0;  // the last write that belongs to the steps of the run
        std::optional<std::int64_t> last_of_run;  // the last write before its end
        std::optional<std::map<std::string, std::size_t>> objects;  // after that write; nothing: not read
        std::set<std::string> pending;

        [[nodiscard]] auto is_behind(std::int64_t last) const -> bool
        {
            return number != last || (!run.id.empty() && compared < last_of_run.value_or(last));
        }
    };

    // A run begins with a lock and ends with its release.
    static void note_lock(std::optional<state::document_lock> const& held,
        std::vector<state::lock_description> const& shown, std::int64_t last, observed& o)
    {
        bool const is_of_run = held && o.run.id == held->id;
        if (!is_of_run && !o.run.id.empty() && !o.run.ended) {
            o.run.ended = now_ms();
            o.last_of_run = last;
        }
        if (!held || is_of_run) return;
        o.run = observed_run();
        o.run.id = held->id;
        o.run.operation = shown.front().operation;
        o.run.who = shown.front().holder;
        o.run.begun = held->time;
        o.compared = last;
        o.last_of_run.reset();
        o.objects.reset();
        o.pending.clear();
    }

    // Reads the writes since the last time. \return the operations of the run
    [[nodiscard]] auto read_writes(std::string const& workspace, std::int64_t last, observed& o)
        -> expected<std::vector<run_step>>
    {
        auto const revisions = store_->history(workspace);
        if (!revisions) return revisions.error();
        std::optional<infra::snapshot> newest;
        std::vector<run_step> steps;
        if (!o.run.id.empty() && o.compared < o.last_of_run.value_or(last)) {
            if (!o.objects) o.objects = objects_before(workspace, *revisions, o.compared);
            for (auto const& r : writes_between(*revisions, o.compared, o.last_of_run.value_or(last))) {
                o.compared = r.number;
                auto now = observed_content(workspace, r);
                if (!now) continue;
                if (o.objects) std::ranges::move(steps_to(*now, r.time, o), std::back_inserter(steps));
                else o.objects = objects_of(*now);
                if (r.number == last) newest = std::move(now);
            }
            o.compared = o.last_of_run.value_or(last);
        }
        if (o.run.ended) {
            o.objects.reset();
            o.pending.clear();
        }
        if (std::exchange(o.number, last) == last) return steps;
        o.is_sealed = false;
        if (!newest && !revisions->empty()) newest = observed_content(workspace, revisions->front(), &o.is_sealed);
        o.resources = newest ? std::optional(newest->resources.size()) : std::nullopt;
        return steps;
    }

    // The writes behind a revision, up to another. Of many, the first ones are left out: the first one that is read has
    // their changes, too.
    [[nodiscard]] static auto writes_between(std::span<state::document_revision const> newest_first, std::int64_t first,
        std::int64_t last) -> std::vector<state::document_revision>
    {
        std::vector<state::document_revision> made;
        for (auto const& r : newest_first)
            if (r.number > first && r.number <= last && made.size() < most_compared) made.push_back(r);
        std::ranges::reverse(made);
        return made;
    }
    // The objects of a revision; nothing if it cannot be read.
    [[nodiscard]] auto objects_before(std::string const& workspace, std::span<state::document_revision const> all,
        std::int64_t number) -> std::optional<std::map<std::string, std::size_t>>
    {
        auto const found = std::ranges::find(all, number, &state::document_revision::number);
        bool const is_none = number == 0 || (found != all.end() && found->removed);
        if (is_none) return std::map<std::string, std::size_t>();
        if (found == all.end()) return std::nullopt;
        auto const read = observed_content(workspace, *found);
        return read ? std::optional(objects_of(*read)) : std::nullopt;
    }

    // The content of a revision; nothing if it cannot be read, or is long.
    [[nodiscard]] auto observed_content(std::string const& workspace, state::document_revision const& r,
        bool* sealed = nullptr) -> std::optional<infra::snapshot>
    {
        if (r.removed || r.size > longest_observed) return std::nullopt;
        auto const text = store_->get(workspace, r.number);
        if (!text || !*text) return std::nullopt;
        auto read = state::from_v4(**text);
        if (read) return std::optional(std::move(*read));
        if (sealed != nullptr) *sealed = is_sealed(**text);
        return std::nullopt;
    }

    // The operations that began or ended with a write. \pre the objects before it are known
    [[nodiscard]] static auto steps_to(infra::snapshot const& now, std::int64_t time, observed& o)
        -> std::vector<run_step>
    {
        using step_type = run_step::step_type;
        std::vector<run_step> steps;
        std::set<std::string> pending;
        for (auto const& [_, operation] : now.pending) {
            auto const address = object_name(operation.target, operation.deposed_key);
            pending.insert(address);
            if (!o.pending.contains(address))
                steps.push_back({step_type::begun, address, std::string(to_string(operation.kind)), time});
        }
        auto objects = objects_of(now);
        for (auto const& [address, mark] : objects) {
            auto const before = o.objects->find(address);
            bool const is_new = before == o.objects->end();
            if ((is_new || before->second != mark) && !pending.contains(address))
                steps.push_back({step_type::done, address, is_new ? "create" : "update", time});
        }
        for (auto const& [address, _] : *o.objects)
            if (!objects.contains(address)) steps.push_back({step_type::done, address, "destroy", time});
        o.objects = std::move(objects);
        o.pending = std::move(pending);
        return steps;
    }

    std::string name_ = "states";
    std::shared_ptr<document_store> store_;
    state::store_thread* thread_;
    std::map<std::string, observed> observed_;
};

}  // namespace

auto make_document_source(std::shared_ptr<document_store> store, state::store_thread& thread)
    -> std::unique_ptr<state_source>
{
    return std::make_unique<document_source>(std::move(store), thread);
}

}  // namespace iacctl::server
