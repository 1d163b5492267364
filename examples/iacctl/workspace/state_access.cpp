// SPDX-License-Identifier: BSL-1.0
#include "state_access.hpp"

#include "base/log.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/state_error.hpp"
#include "state/stored_name.hpp"
#include "unsaved_changes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace {

auto text_of(std::map<std::string, infra::pending_operation> const& pending) -> std::string
{
    std::string text;
    for (auto const& [_, o] : pending)
        text += "\n  - " + to_string(o.target) + ": " + std::string(to_string(o.kind))
            + (o.kind == infra::operation_kind::destroy && !o.deposed_key.empty()
                    ? " of deposed object " + o.deposed_key
                    : std::string());
    return text;
}

// An interrupt ends the wait for a lock.
auto request_of(settings const& s, std::optional<state::state_parts> parts, bool reads = false) -> state::lock_request
{
    auto const* const from = s.interrupts;
    auto stop = [from] { return from != nullptr && from->count() > 0; };
    return {s.operation, s.lock_timeout, std::move(stop), std::move(parts), reads, s.on_remaining_lock};
}

}  // namespace

auto take_lock(settings const& s, state::backend const& in, std::string const& workspace,
    std::optional<state::state_parts> parts, bool reads) -> expected<std::unique_ptr<state::held_lock>>
{
    if (!s.lock) return std::unique_ptr<state::held_lock>();
    // If the process ended now, its lock would remain on a server.
    if (s.interrupts != nullptr) s.interrupts->defer();
    write_log(
        log_level::debug, "state", "lock workspace", {{"workspace", workspace}, {"parts", parts ? "some" : "all"}});
    auto held = in.lock(workspace, request_of(s, std::move(parts), reads));
    write_log(log_level::debug, "state", held ? "workspace is locked" : "workspace is not locked",
        {{"workspace", workspace}});
    s.check_interrupts();
    return held;
}

auto state_access::lock(settings const& s, std::optional<state::state_parts> parts) -> expected<void>
{
    if (!held_) return {};
    auto taken = held_->exchange(request_of(s, std::move(parts)));
    s.check_interrupts();
    return taken;
}

auto state_access::check_lock(settings const& s, std::function<state::state_parts()> const& parts) -> expected<void>
{
    if (!held_ && s.lock && backend_->lock_creates_workspace()) {
        // Another process may have created the workspace since this one looked for it.
        auto const there = backend_->exists(workspace_);
        if (!there) return there.error();
        if (!*there) return {};
        auto taken = take_lock(s, *backend_, workspace_, state::state_parts(), true);
        if (!taken) return taken.error();
        held_ = std::move(*taken);
    }
    if (!held_) return {};
    auto taken = held_->check(request_of(s, std::nullopt), parts);
    s.check_interrupts();
    return taken;
}

auto state_access::leave_out(read_state& found) const -> expected<void>
{
    if (found.now.pending.empty()) return {};
    auto const all = backend_->locks(workspace_);
    if (!all) return all.error();
    std::set<std::string> locked;
    for (auto const& one : *all) locked.insert(one.written.begin(), one.written.end());
    bool const whole = std::ranges::any_of(*all, &state::lock_description::of_workspace);
    std::map<std::string, infra::pending_operation> interrupted;
    for (auto& [name, operation] : found.now.pending) {
        auto& to = whole || locked.contains(state::stored_name(operation.target)) ? found.left_out : interrupted;
        to.emplace(name, std::move(operation));
    }
    for (auto const& one : *all) {
        bool const works = one.of_workspace || std::ranges::any_of(found.left_out, [&](auto const& operation) {
            return std::ranges::find(one.written, state::stored_name(operation.second.target)) != one.written.end();
        });
        if (works && !found.left_out.empty())
            found.left_out_by.push_back(one.operation + ", " + one.holder + ", started " + one.since);
    }
    found.now.pending = found.left_out;
    treat_as_created(found.now);
    found.now.pending = std::move(interrupted);
    // Without a lock, this change or the changes of other processes would be lost.
    if (held_ || mode_ == state::open_mode::read_only || found.left_out.empty()) return {};
    return backend_->lock_failure(workspace_, text_of(found.left_out));
}

auto state_access::open(root_module const& root, state::open_mode mode, lock_scope scope) -> expected<state_access>
{
    auto in = backend_of(root);
    if (!in) return in.error();
    return open(std::move(*in), root.options(), mode, scope);
}

auto state_access::open(std::shared_ptr<state::backend> in, settings const& s, state::open_mode mode, lock_scope scope)
    -> expected<state_access>
{
    std::unique_ptr<state::held_lock> held;
    bool const reads = mode == state::open_mode::read_only;
    bool there = !reads || !in->lock_creates_workspace();
    if (!there) {
        auto const found = in->exists(s.workspace);
        if (!found) return found.error();
        there = *found;
    }
    if (there) {
        std::optional<state::state_parts> none;
        if (scope == lock_scope::parts && in->locks_parts()) none.emplace();
        auto taken = take_lock(s, *in, s.workspace, std::move(none), reads);
        if (!taken) {
            infra::diagnostics why = taken.error().why();
            if (reads)
                why.update([](infra::diagnostic& problem) {
                    if (state::kind_of(problem) == state::state_error::not_writable)
                        problem.detail += " To read state without its lock, add -lock=false.";
                });
            return infra::failure(std::move(why));
        }
        held = std::move(*taken);
    }
    return state_access(std::move(in), s.workspace, mode, std::move(held));
}

auto state_access::to_show(root_module const& root) -> expected<infra::snapshot>
{
    auto in = backend_of(root);
    if (!in) return in.error();
    state_access access(std::move(*in), root.options().workspace, state::open_mode::read_only, nullptr);
    auto found = access.read();
    if (!found) return found.error();
    if (found->under_way) treat_as_created(found->now);
    return std::move(found->now);
}

auto state_access::read() -> expected<read_state>
{
    std::map<std::string, infra::pending_operation> seen;
    for (;;) {
        auto now = store_->read_now();
        if (!now) return now.error();
        read_state found{std::move(*now), false};
        if (backend_->locks_parts()) {
            if (auto const done = leave_out(found); !done) return done.error();
        } else if (!held_ && !found.now.pending.empty()) {
            found.under_way = backend_->is_locked(workspace_);
            if (found.under_way && mode_ != state::open_mode::read_only)
                return backend_->lock_failure(workspace_, text_of(found.now.pending));
        }
        // An operation is interrupted if it is still pending and no process has held its lock since the last read.
        bool const is_certain = found.now.pending == seen || (held_ && !backend_->locks_parts());
        if (found.under_way || is_certain) return found;
        seen = std::move(found.now.pending);
    }
}

auto left_out_warning(read_state const& state) -> infra::diagnostic
{
    std::string by;
    for (std::string const& one : state.left_out_by) by += "\n  - " + one;
    return make_warning(messages::other_operations_under_way, {by, text_of(state.left_out)});
}

auto under_way_warning(state::backend const& in, std::string const& workspace, infra::snapshot const& now)
    -> infra::diagnostic
{
    std::string by = "Another process";
    if (auto const holder = in.holder(workspace)) by += " (" + *holder + ")";
    return make_warning(messages::operations_under_way, {by, text_of(now.pending)});
}

auto write_entries(settings const& s, state::store& store, infra::snapshot& now,
    std::vector<infra::journal_entry> const& entries, std::optional<std::uint64_t> serial) -> expected<void>
{
    s.check_interrupts();
    auto const generation = store.begin_generation(s.operation);
    if (!generation) return generation.error();
    unsaved_changes changes;
    for (auto const& entry : entries) (void)replay(now, entry);
    now.serial = serial.value_or(now.serial);
    if (auto const saved = store.append_now(entries, now); !saved) return saved.error();
    if (auto const ended = store.end_generation("complete"); !ended) return ended.error();
    changes.saved();
    return boost::system::in_place_value;
}

auto opened_state::open_to_replace(root_module const& root) -> expected<opened_state>
{
    auto access = state_access::open(root, state::open_mode::read_write);
    if (!access) return access.error();
    auto replaced = access->store().read_to_replace();
    if (!replaced) return replaced.error();
    bool const unusable = replaced->is_unusable;
    auto found = unusable ? expected<read_state>(read_state{std::move(replaced->now)}) : access->read();
    if (!found) return found.error();
    opened_state opened(root.options(), std::move(*access), std::move(found->now));
    opened.unusable_ = unusable;
    return opened;
}

auto opened_state::open(root_module const& root) -> expected<opened_state>
{
    auto access = state_access::open(root, state::open_mode::read_write);
    if (!access) return access.error();
    auto found = access->read();
    if (!found) return found.error();
    return opened_state(root.options(), std::move(*access), std::move(found->now));
}

}  // namespace iacctl::workspace
