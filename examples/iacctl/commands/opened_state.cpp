// SPDX-License-Identifier: BSL-1.0
#include "opened_state.hpp"

#include "state/workspace_files.hpp"

#include <map>
#include <string>
#include <utility>

namespace iacctl::commands {

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

}  // namespace

auto state_access::open(session const& s, state::open_mode mode, int& code) -> std::optional<state_access>
{
    auto const refuse = [&](infra::failure const& why) {
        code = s.tell(why);
        return std::nullopt;
    };
    auto directory = s.workspace_directory();
    std::optional<state::workspace_lock> held;
    bool there = mode != state::open_mode::read_only;
    if (!there) {
        auto const condition = state::workspace_files(directory).look();
        if (!condition) return refuse(condition.error());
        there = *condition != state::workspace_files::condition::never_made;
    }
    if (there) {
        auto taken = s.lock(s.asked().command);
        if (!taken) {
            infra::diagnostics why = taken.error().why();
            bool const reads = mode == state::open_mode::read_only;
            if (reads && state::kind_of(why.front()) == state::state_error::not_writable)
                why.front().detail += " To read state without its lock, add -lock=false.";
            return refuse(infra::failure(std::move(why)));
        }
        held = std::move(*taken);
    }
    return state_access(std::move(directory), mode, std::move(held));
}

auto state_access::to_show(session const& s) -> infra::checked<infra::snapshot>
{
    state_access access(s.workspace_directory(), state::open_mode::read_only, std::nullopt);
    auto found = access.read();
    if (!found) return found.error();
    if (found->under_way) take_as_made(found->now);
    return std::move(found->now);
}

auto state_access::read() -> infra::checked<read_state>
{
    std::map<std::string, infra::pending_operation> seen;
    for (;;) {
        auto now = store_.read_now();
        if (!now) return now.error();
        read_state found{std::move(*now), false};
        if (held_ || found.now.pending.empty()) return found;
        // An operation that is still pending, while nobody held the lock since the last look, was interrupted.
        found.under_way = state::is_locked(directory_);
        if (found.under_way && mode_ != state::open_mode::read_only)
            return state::lock_failure(directory_, text_of(found.now.pending));
        if (found.under_way || found.now.pending == seen) return found;
        seen = std::move(found.now.pending);
    }
}

auto under_way_warning(session const& s, infra::snapshot const& now) -> infra::diagnostic
{
    std::string by = "Another process";
    if (auto const holder = state::read_holder(s.workspace_directory()))
        by += " (" + holder->operation + ", process " + std::to_string(holder->pid) + " of " + holder->user + "@"
            + holder->host + ", started " + state::timestamp(holder->started) + ")";
    return infra::make_warning("Operations are under way",
        by + " changes this state now. These operations have begun and not ended:\n" + text_of(now.pending)
            + "\n\nThe plan shows what would be done without them, and cannot be applied once they have ended. Plan "
              "again then.");
}

auto opened_state::open(session const& s, int& code) -> std::optional<opened_state>
{
    auto access = state_access::open(s, state::open_mode::read_write, code);
    if (!access) return std::nullopt;
    auto found = access->read();
    if (!found) {
        code = s.tell(found.error());
        return std::nullopt;
    }
    return opened_state(std::move(*access), std::move(found->now));
}

}  // namespace iacctl::commands
