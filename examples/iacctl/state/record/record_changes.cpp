// SPDX-License-Identifier: BSL-1.0
#include "record_changes.hpp"

#include "state/record_text.hpp"
#include "state/stored_name.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::state {

namespace {

using kind = infra::journal_entry::kind_type;

auto operates(infra::journal_entry const& e) -> bool
{
    return e.kind() == kind::begin || e.kind() == kind::end;
}

// The begin of an operation does not change the objects at its address, unless it deposes one.
auto changes_objects(infra::journal_entry const& e) -> bool
{
    return e.kind() != kind::begin || (e.operation().kind == infra::operation_kind::create && !e.deposed_key().empty());
}

}  // namespace

auto record_changes::output(std::string const& name, infra::snapshot const& after) const -> std::optional<std::string>
{
    if (name.empty())
        return checks.empty() ? std::nullopt : std::optional(text_of(infra::output_value{checks, {}, false}));
    auto const found = after.outputs.find(name);
    return found == after.outputs.end() ? std::nullopt : std::optional(text_of(found->second));
}

auto record_changes::pending(touched_operation const& operation, infra::snapshot const& after)
    -> std::optional<std::string>
{
    auto const found = after.pending.find(operation.name);
    if (found == after.pending.end()) return std::nullopt;
    return operation.document.empty() ? text_of(found->second) : operation.document;
}

auto changes_of(std::span<infra::journal_entry const> batch, infra::document checks) -> record_changes
{
    record_changes all;
    all.checks = std::move(checks);
    for (infra::journal_entry const& e : batch) {
        written_entry& row = all.entries.emplace_back(written_entry{&e, address_of(e), {}, {}});
        if (e.is_of_state()) all.outputs.push_back(e.output_name());
        // Actions have no objects.
        bool const of_action = operates(e) && e.operation().kind == infra::operation_kind::invoke;
        if (!e.is_of_state() && !of_action) {
            touched_address& touched = all.addresses[e.target()];
            touched.last = all.entries.size() - 1;
            touched.changes_objects = touched.changes_objects || changes_objects(e);
        }
        if (operates(e)) {
            row.operation = e.operation().operation;
            all.operations.push_back({row.operation, {}});
        }
        std::string* const begun = e.kind() == kind::begin ? &all.operations.back().document : nullptr;
        row.document = e.kind() == kind::checks ? text_of(infra::journal_entry::checks(all.checks)) : text_of(e, begun);
    }
    std::ranges::sort(all.outputs);
    all.outputs.erase(std::ranges::unique(all.outputs).begin(), all.outputs.end());
    // If a batch begins and ends an operation, its text is that of the begin, which comes first.
    std::ranges::stable_sort(all.operations, {}, &touched_operation::name);
    all.operations.erase(
        std::ranges::unique(all.operations, {}, &touched_operation::name).begin(), all.operations.end());
    return all;
}

auto has_checks(std::span<infra::journal_entry const> batch) -> bool
{
    return std::ranges::any_of(batch, [](auto const& e) { return e.kind() == kind::checks; });
}

auto address_of(infra::journal_entry const& entry) -> std::string
{
    return entry.is_of_state() ? std::string() : stored_name(entry.target());
}

}  // namespace iacctl::state
