// SPDX-License-Identifier: BSL-1.0
#include "pushed_state.hpp"

#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/document/difference.hpp"
#include "state/document/state_v4.hpp"
#include "state/state_error.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::workspace {

namespace {

// Refuses a state that the next command would report as damaged, even with -force.
auto check_pushed(infra::snapshot const& pushed) -> expected<void>
{
    auto found = infra::verify_integrity(pushed);
    if (found.empty()) return {};
    return infra::failure(std::move(found));
}

}  // namespace

auto parse_pushed(std::string text, encryption::target const& sealed_with) -> expected<pushed_state>
{
    state::v4_additions more;
    // A state in plain text is accepted: its owner has chosen this form, independent of the encryption of the
    // configuration.
    auto read = encryption::is_sealed(text)
        ? state::from_sealed_v4(std::move(text), sealed_with, "the state file", &more)
        : state::from_v4(text, &more);
    if (!read) return read.error();
    if (auto const sound = check_pushed(*read); !sound) return sound.error();
    return pushed_state{std::move(*read), more.reports_operations, std::move(more.replaces)};
}

auto find_conflict(infra::snapshot const& now, pushed_state const& from, std::string const& content_id)
    -> std::optional<infra::diagnostic>
{
    infra::snapshot const& pushed = from.content;
    if (!now.pending.empty() && !from.reports_operations) {
        std::string operations;
        for (auto const& [_, operation] : now.pending) operations += "\n  - " + to_string(operation.target);
        return make_error(messages::state_push_forgets_operations, {operations});
    }
    // As in Terraform, any state may replace one without content.
    if (now.resources.empty() && now.outputs.empty()) return std::nullopt;
    if (now.lineage.empty() || pushed.lineage.empty()) return std::nullopt;
    if (now.lineage != pushed.lineage)
        return make_error(messages::state_push_conflict_of_lineage, {pushed.lineage, now.lineage});
    // The transaction that could not be synchronized may be part of the present state; the copy contains it, too.
    if (!content_id.empty() && std::ranges::find(from.replaces, content_id) != from.replaces.end()) return std::nullopt;
    auto const serial = std::to_string(now.serial);
    if (pushed.serial < now.serial)
        return make_error(messages::state_push_of_older_serial, {std::to_string(pushed.serial), serial});
    if (pushed.serial == now.serial && !state::entries_between(now, pushed).empty())
        return make_error(messages::state_push_of_same_serial, {serial});
    return std::nullopt;
}

auto write_pushed(settings const& s, state::store& store, infra::snapshot now, infra::snapshot const& pushed,
    bool always) -> expected<void>
{
    auto const entries = state::entries_between(now, pushed);
    if (now.lineage.empty()) now.lineage = pushed.lineage;
    else if (entries.empty() && !always && pushed.serial <= now.serial) return boost::system::in_place_value;
    auto const serial = pushed.serial > now.serial ? pushed.serial : now.serial + 1;
    return write_entries(s, store, now, entries, serial);
}

}  // namespace iacctl::workspace
