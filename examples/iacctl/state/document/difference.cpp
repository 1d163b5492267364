// SPDX-License-Identifier: BSL-1.0
#include "difference.hpp"

#include "base/terraform_version.hpp"
#include "state_v4.hpp"

#include <string>
#include <utility>

namespace iacctl::state {

using infra::journal_entry;

auto entries_between(infra::snapshot const& now, infra::snapshot const& to) -> std::vector<journal_entry>
{
    auto const as_file = from_v4(to_v4(now, terraform_version));
    infra::snapshot from = as_file && !now.lineage.empty() ? *as_file : now;
    std::vector<journal_entry> entries;
    // Operations are first: their begin or end may change objects, which are then corrected like all others.
    auto const operate = [&](journal_entry e) {
        (void)replay(from, e);
        entries.push_back(std::move(e));
    };
    auto const before = from.pending;
    for (auto const& [id, operation] : before) {
        auto const kept = to.pending.find(id);
        if (kept == to.pending.end() || kept->second != operation) operate(journal_entry::end(operation, {}, true));
    }
    for (auto const& [id, operation] : to.pending)
        if (!from.pending.contains(id)) operate(journal_entry::begin(operation));
    for (auto const& [a, old] : from.resources) {
        auto const* const kept = to.find(a);
        if (old.current && (kept == nullptr || !kept->current)) entries.push_back(journal_entry::remove(a, {}));
        for (auto const& [key, _] : old.deposed)
            if (kept == nullptr || !kept->deposed.contains(key)) entries.push_back(journal_entry::remove(a, key));
    }
    for (auto const& [a, made] : to.resources) {
        auto const* const old = from.find(a);
        if (made.current && (old == nullptr || old->current != made.current))
            entries.push_back(journal_entry::record(a, {}, *made.current));
        for (auto const& [key, object] : made.deposed) {
            auto const there = old == nullptr ? made.deposed.end() : old->deposed.find(key);
            if (old == nullptr || there == old->deposed.end() || there->second != object)
                entries.push_back(journal_entry::record(a, key, object));
        }
    }
    for (auto const& [name, _] : from.outputs)
        if (!to.outputs.contains(name)) entries.push_back(journal_entry::output_removed(name));
    for (auto const& [name, value] : to.outputs) {
        auto const old = from.outputs.find(name);
        if (old == from.outputs.end() || old->second != value) entries.push_back(journal_entry::output(name, value));
    }
    if (from.checks != to.checks) entries.push_back(journal_entry::checks(to.checks));
    return entries;
}

auto have_same_document(infra::snapshot const& one, infra::snapshot const& other) -> bool
{
    auto const document_of = [](infra::snapshot s) {
        s.lineage.clear();
        s.serial = 0;
        return to_v4(s, terraform_version, true);
    };
    return document_of(one) == document_of(other);
}

}  // namespace iacctl::state
