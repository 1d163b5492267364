// SPDX-License-Identifier: BSL-1.0
#include "state_parts.hpp"

#include "state/stored_name.hpp"

#include <strider/infra/model/dependency_set.hpp>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

namespace iacctl::workspace {

namespace {

using state::state_parts;

// Names of resources, without keys of instances.
class resource_names {
public:
    void add(infra::dependency_set const& set)
    {
        auto const is_new = [&](infra::dependency_set const& s) { return seen_.insert(s.id()).second; };
        set.for_each_set(
            is_new, [&](infra::dependency_set const& s) { names_.insert(s.own_names().begin(), s.own_names().end()); });
    }
    void add(std::string name) { names_.insert(std::move(name)); }
    [[nodiscard]] auto all() const noexcept -> std::unordered_set<std::string> const& { return names_; }
    [[nodiscard]] auto contains(infra::address const& instance) const -> bool
    {
        return !names_.empty() && names_.contains(to_string(instance.config()));
    }

private:
    std::unordered_set<infra::dependency_set::id_type> seen_;
    std::unordered_set<std::string> names_;
};

}  // namespace

auto parts_of(plan const& p, read_state const& prior, state::store const& store) -> plan_parts
{
    plan_parts parts;
    auto const version_of = [&](std::string const& part) {
        auto const& versions = *store.versions();
        auto const found = versions.find(part);
        return found == versions.end() ? std::int64_t{0} : found->second;
    };
    auto const write = [&](std::string part) {
        std::int64_t const version = version_of(part);
        parts.written.emplace(std::move(part), version);
    };
    resource_names needed;
    for (auto const& c : p.changes) {
        bool const changes = c.what != infra::action::no_op || c.previous || c.import_id;
        if (changes) write(state::stored_name(c.target));
        if (c.previous) write(state::stored_name(*c.previous));
        if (changes || c.has_conditions) needed.add(c.dependencies);
        // Such a plan depends on the number of instances.
        if (changes && !p.targeted) needed.add(to_string(c.target.config()));
    }
    for (infra::journal_entry const& e : p.refreshed) {
        if (!e.is_of_state()) write(state::stored_name(e.target()));
        else if (!e.output_name().empty()) write(state_parts::name_of_output(e.output_name()));
    }
    for (auto const& o : p.outputs)
        if (o.what != infra::action::no_op) write(state_parts::name_of_output(o.name));

    auto const read = [&](std::string part) {
        if (parts.written.contains(part)) return;
        std::int64_t const version = version_of(part);
        parts.read.emplace(std::move(part), version);
    };
    for (auto const& [instance, _] : prior.now.resources)
        if (needed.contains(instance)) read(state::stored_name(instance));
    // If another process adds an instance, the version of the resource changes.
    for (std::string const& name : needed.all()) read(name);
    // A plan for an object is valid only after the operations of other processes on it have ended.
    for (auto const& [_, operation] : prior.left_out)
        if (p.mode == infra::plan_mode::refresh_only
            || std::ranges::any_of(p.changes, [&](auto const& c) { return c.target == operation.target; }))
            read(state::stored_name(operation.target));
    return parts;
}

auto locks_to_apply(plan const& p, plan_parts const& parts) -> state_parts
{
    std::set<std::string> written;
    for (auto const& [part, _] : parts.written) written.insert(part);
    for (auto const& one : p.invocations) written.insert(state::stored_name(one.target));
    state_parts locks;
    locks.written.assign(written.begin(), written.end());
    for (auto const& [part, _] : parts.read) locks.read.push_back(part);
    return locks;
}

auto locks_to_plan(plan const& p, plan_parts const& parts) -> state_parts
{
    state_parts locks;
    locks.read = names_of(parts);
    auto const of_changes = static_cast<std::ptrdiff_t>(locks.read.size());
    for (auto const& c : p.changes)
        if (auto name = state::stored_name(c.target); !parts.written.contains(name) && !parts.read.contains(name))
            locks.read.push_back(std::move(name));
    auto const others = locks.read.begin() + of_changes;
    if (!std::is_sorted(others, locks.read.end())) std::sort(others, locks.read.end());
    locks.read.erase(std::unique(others, locks.read.end()), locks.read.end());
    std::inplace_merge(locks.read.begin(), locks.read.begin() + of_changes, locks.read.end());
    return locks;
}

auto stale_parts(plan_parts const& parts, state::part_versions const& now) -> std::vector<std::string>
{
    std::vector<std::string> stale;
    for (auto const* const some : {&parts.written, &parts.read})
        for (auto const& [part, version] : *some) {
            auto const found = now.find(part);
            if ((found == now.end() ? 0 : found->second) != version) stale.push_back(part);
        }
    std::ranges::sort(stale);
    return stale;
}

auto names_of(plan_parts const& parts) -> std::vector<std::string>
{
    std::vector<std::string> all;
    all.reserve(parts.written.size() + parts.read.size());
    std::ranges::merge(parts.written | std::views::keys, parts.read | std::views::keys, std::back_inserter(all));
    return all;
}

}  // namespace iacctl::workspace
