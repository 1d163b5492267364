// SPDX-License-Identifier: BSL-1.0
// The documents of the server, as the console shows them.
#include "base/json.hpp"
#include "base/timestamp.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/backends/lock_info.hpp"
#include "state/document/state_v4.hpp"
#include "state_source.hpp"

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace iacctl::server {

namespace {

using state::document_store;

// Longer documents are not read after each write, but only when someone looks at them.
constexpr std::int64_t longest_observed = std::int64_t{8} << 20U;

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

auto text_of(infra::address const& a, std::string const& deposed) -> std::string
{
    return to_string(a) + (deposed.empty() ? "" : " (deposed " + deposed + ")");
}

// The objects of a state, each with a number that changes with it.
auto objects_of(infra::snapshot const& s) -> std::map<std::string, std::size_t>
{
    std::map<std::string, std::size_t> all;
    auto const add = [&](infra::address const& a, std::string const& key, infra::object const& o) {
        all.emplace(text_of(a, key), std::hash<std::string>()(o.attributes.text()) + (o.tainted ? 1U : 0U));
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

    [[nodiscard]] auto observe(std::string const& workspace) -> expected<std::optional<workspace_overview>> override
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
        bool const is_changed = made.last && made.last->number != before.number;
        std::optional<infra::snapshot> now;
        if (is_changed) {
            before.number = made.last->number;
            before.is_sealed = false;
            before.resources.reset();
            if (auto read = observed_content(workspace, *made.last, before)) now = std::move(*read);
            if (now) before.resources = now->resources.size();
        }
        made.is_sealed = before.is_sealed;
        made.resources = before.resources;
        made.run = observe_run(workspace, (*found)->lock, made, before, now);
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
        if (is_sealed(**text)) return state::make_failure(messages::served_state_sealed, {workspace});
        auto read = state::from_v4(**text);
        if (!read) return read.error();
        return std::optional(std::move(*read));
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
    // The last observation of a workspace.
    struct observed {
        std::int64_t number = 0;
        std::optional<std::size_t> resources;
        bool is_sealed = false;
        observed_run run;  // without an id: none
        std::map<std::string, std::size_t> objects;  // during a run
        std::set<std::string> pending;
    };

    // The content of a document after a write; nothing if it cannot be read, or is long.
    [[nodiscard]] auto observed_content(std::string const& workspace, state_version const& v, observed& o)
        -> std::optional<infra::snapshot>
    {
        if (v.removed || v.size > longest_observed) return std::nullopt;
        auto const text = store_->get(workspace, v.number);
        if (!text || !*text) return std::nullopt;
        o.is_sealed = is_sealed(**text);
        auto read = state::from_v4(**text);
        return read ? std::optional(std::move(*read)) : std::nullopt;
    }

    [[nodiscard]] auto observe_run(std::string const& workspace, std::optional<state::document_lock> const& held,
        workspace_overview const& shown, observed& o, std::optional<infra::snapshot> const& now)
        -> std::optional<observed_run>
    {
        bool const is_running = held && !o.run.ended && o.run.id == held->id;
        bool const was_open = !o.run.id.empty() && !o.run.ended;
        if (!is_running && was_open) o.run.ended = now_ms();
        auto const last = shown.last ? shown.last->time : now_ms();
        std::vector<run_step> steps;
        if (held && o.run.id != held->id) {
            o.run = {held->id, shown.locks.front().operation, shown.locks.front().holder, held->time, {}, {}, {}};
            o.objects.clear();
            o.pending.clear();
            if (now) o.objects = objects_of(*now);
            else if (auto const first = shown.last ? observed_content(workspace, *shown.last, o) : std::nullopt)
                o.objects = objects_of(*first);
        } else if (was_open && now) steps = steps_to(*now, last, o);
        if (o.run.ended) {
            o.objects.clear();
            o.pending.clear();
        }
        if (o.run.id.empty()) return std::nullopt;
        observed_run made = o.run;
        made.steps = std::move(steps);
        return made;
    }

    // The operations that began or ended with a write.
    [[nodiscard]] static auto steps_to(infra::snapshot const& now, std::int64_t time, observed& o)
        -> std::vector<run_step>
    {
        using step_type = run_step::step_type;
        std::vector<run_step> steps;
        std::set<std::string> pending;
        for (auto const& [_, operation] : now.pending) {
            auto const address = text_of(operation.target, operation.deposed_key);
            pending.insert(address);
            if (!o.pending.contains(address))
                steps.push_back({step_type::begun, address, std::string(to_string(operation.kind)), time});
        }
        auto objects = objects_of(now);
        for (auto const& [address, mark] : objects) {
            auto const before = o.objects.find(address);
            bool const is_new = before == o.objects.end();
            if ((is_new || before->second != mark) && !pending.contains(address))
                steps.push_back({step_type::done, address, is_new ? "create" : "update", time});
        }
        for (auto const& [address, _] : o.objects)
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
