// SPDX-License-Identifier: BSL-1.0
#include <support/execution_graph.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

[[nodiscard]] auto acquires(std::memory_order o) noexcept -> bool
{
    return o == std::memory_order_acquire || o == std::memory_order_consume || o == std::memory_order_acq_rel
        || o == std::memory_order_seq_cst;
}
[[nodiscard]] auto releases(std::memory_order o) noexcept -> bool
{
    return o == std::memory_order_release || o == std::memory_order_acq_rel || o == std::memory_order_seq_cst;
}

}  // namespace

void join(event_clocks& into, event_clocks const& from) noexcept
{
    for (std::size_t i = 0; i < most_threads; ++i) into[i] = std::max(into[i], from[i]);
}

void event::settle() noexcept
{
    bool const is_expected = value == expected;
    is_exclusive =
        mode == load_mode::modify || ((mode == load_mode::compare || mode == load_mode::await_modify) && is_expected);
    waits = (mode == load_mode::await_other && is_expected) || (mode == load_mode::await_modify && !is_expected);
}

auto execution_graph::size() const noexcept -> std::size_t
{
    std::size_t sum = 0;
    for (auto const& each : threads_) sum += each.size();
    return sum;
}

auto execution_graph::latest(std::uint16_t location) const noexcept -> event_id
{
    variable const* const v = find(location);
    return v == nullptr || v->stores.empty() ? initial : v->stores.back();
}

auto execution_graph::in_order() const -> std::vector<event_id>
{
    std::vector<event_id> all;
    std::array<std::size_t, most_threads> done{};
    for (std::size_t const count = size(); all.size() != count;) {
        std::size_t best = most_threads;
        for (std::size_t t = 0; t < most_threads; ++t) {
            if (done[t] == size_of(t)) continue;
            event const& e = threads_[t][done[t]];
            bool is_ready = true;
            for (std::size_t other = 0; other < most_threads; ++other)
                is_ready = is_ready && (other == t || done[other] >= e.prefix[other]);
            if (is_ready && (best == most_threads || e.stamp < threads_[best][done[best]].stamp)) best = t;
        }
        if (best == most_threads) break;
        all.push_back({static_cast<std::uint8_t>(best), static_cast<std::uint16_t>(done[best]++)});
    }
    return all;
}

auto execution_graph::of(std::uint16_t location) -> variable&
{
    if (variables_.size() <= location) variables_.resize(location + std::size_t{1});
    return variables_[location];
}

auto execution_graph::find(std::uint16_t location) const noexcept -> variable const*
{
    return location < variables_.size() ? &variables_[location] : nullptr;
}

auto execution_graph::position(std::uint16_t location, event_id store) const noexcept -> std::size_t
{
    if (store == initial) return 0;
    auto const& stores = variables_[location].stores;
    return static_cast<std::size_t>(std::find(stores.rbegin(), stores.rend(), store).base() - stores.begin());
}

// Gives a new event the clocks of the event before it.
void execution_graph::begin(std::size_t thread, event& e) const
{
    event const* previous = nullptr;
    if (!threads_[thread].empty()) previous = &threads_[thread].back();
    else if (started_by_[thread] != initial) previous = &at(started_by_[thread]);
    e.before = previous == nullptr ? event_clocks{} : previous->before;
    e.prefix = previous == nullptr ? event_clocks{} : previous->prefix;
    e.before[thread] = e.prefix[thread] = static_cast<std::uint16_t>(threads_[thread].size() + 1);
}

// The earliest position from which a load may read, and after which a store may take its place, by coherence.
auto execution_graph::least_position(std::uint16_t location, event_clocks const& before) const -> std::size_t
{
    variable const* const v = find(location);
    if (v == nullptr) return 0;
    std::size_t least = v->stores.size();
    while (least != 0 && !happens_before(v->stores[least - 1], before)) --least;
    for (event_id const load : v->loads)
        if (happens_before(load, before)) least = std::max(least, position(location, at(load).from));
    return least;
}

auto execution_graph::candidates(std::size_t thread, event const& load) const -> std::vector<event_id>
{
    event e = load;
    begin(thread, e);
    variable const* const v = find(load.location);
    std::size_t const least = least_position(load.location, e.before);
    std::vector<event_id> all;
    for (std::size_t at = v == nullptr ? 0 : v->stores.size(); at > least; --at) all.push_back(v->stores[at - 1]);
    all.push_back(least == 0 ? initial : v->stores[least - 1]);
    return all;
}

auto execution_graph::places(std::size_t thread, event const& store) const -> std::vector<place>
{
    event e = store;
    begin(thread, e);
    variable const* const v = find(store.location);
    std::size_t const count = v == nullptr ? 0 : v->stores.size();
    auto const is_taken = [&](place p) { return p != count && at(v->stores[p]).is_exclusive; };
    if (store.is_exclusive) {
        place const p = position(store.location, threads_[thread].back().from);
        return is_taken(p) ? std::vector<place>() : std::vector<place>{p};
    }
    std::size_t const least = least_position(store.location, e.before);
    std::vector<place> all;
    for (place p = count + 1; p-- > least;)
        if (!is_taken(p)) all.push_back(p);
    return all;
}

void execution_graph::add(std::size_t thread, event e)
{
    begin(thread, e);
    e.stamp = ++stamps_;
    if (e.kind == event_kind::fence) {
        has_fences_ = true;
        has_sequential_fences_ = has_sequential_fences_ || e.order == std::memory_order_seq_cst;
        if (acquires(e.order))
            for (event const& each : threads_[thread])
                if (each.kind == event_kind::load && each.from != initial) join(e.before, at(each.from).released);
    }
    threads_[thread].push_back(e);
}

void execution_graph::acquire(std::size_t thread, event& load) const
{
    begin(thread, load);
    if (load.from == initial) return;
    event const& store = at(load.from);
    join(load.prefix, store.prefix);
    if (acquires(load.effective_order())) join(load.before, store.released);
}

void execution_graph::add_load(std::size_t thread, event load, event_id from, std::uint64_t value)
{
    load.from = from;
    load.value = value;
    load.settle();
    acquire(thread, load);
    load.stamp = ++stamps_;
    threads_[thread].push_back(load);
    of(load.location).loads.push_back(last(thread));
}

void execution_graph::add_store(std::size_t thread, event store, place at_place)
{
    begin(thread, store);
    store.stamp = ++stamps_;
    if (releases(store.order)) {
        store.released = store.before;
    } else {
        store.released = {};
        if (has_fences_)
            for (event const& each : threads_[thread])
                if (each.kind == event_kind::fence && releases(each.order)) join(store.released, each.before);
    }
    if (store.is_exclusive && threads_[thread].back().from != initial)
        join(store.released, at(threads_[thread].back().from).released);
    threads_[thread].push_back(store);
    auto& stores = of(store.location).stores;
    stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(at_place), last(thread));
}

void execution_graph::remove_last(std::size_t thread)
{
    event_id const it = last(thread);
    if (at(it).kind != event_kind::choice) {
        variable& v = of(at(it).location);
        std::erase(at(it).kind == event_kind::store ? v.stores : v.loads, it);
    }
    threads_[thread].pop_back();
}

auto execution_graph::add_thread(std::size_t thread, event spawn, std::uint64_t name) -> std::size_t
{
    std::size_t next = 1;
    auto const is_used = [&](std::size_t t) {
        return started_by_[t] != initial && started_by_[t].index < size_of(started_by_[t].thread)
            && at(started_by_[t]).kind == event_kind::spawn && at(started_by_[t]).value == t;
    };
    while (next != most_threads && is_used(next)) ++next;
    if (next == most_threads) return next;
    spawn.value = next;
    add(thread, spawn);
    started_by_[next] = last(thread);
    names_[next] = name;
    return next;
}

// True if the event was added as the first decision would have added it: a store at the end of the modification order, from which
// no load reads that was there; a load of the latest store; the first option of a choice. `kept` is what the new store depends on.
auto execution_graph::is_added_as_latest(event_id e, std::uint32_t stamp, event_clocks const& kept) const -> bool
{
    event const& it = at(e);
    if (it.kind == event_kind::choice) return it.value == 0;
    if (it.kind != event_kind::load && it.kind != event_kind::store) return true;
    variable const& v = variables_[it.location];
    auto const was_there = [&](event_id other) { return at(other).stamp <= stamp || happens_before(other, kept); };
    if (it.kind == event_kind::store)
        for (event_id const load : v.loads)
            if (at(load).from == e && was_there(load)) return false;
    event_id const store = it.kind == event_kind::store ? e : it.from;
    for (std::size_t p = position(it.location, store); p != v.stores.size(); ++p)
        if (was_there(v.stores[p])) return false;
    return true;
}

auto execution_graph::revisitable(std::size_t thread, event const& store) const -> std::vector<event_id>
{
    event e = store;
    begin(thread, e);
    e.prefix[thread] = static_cast<std::uint16_t>(e.prefix[thread] - 1);
    std::vector<event_id> all;
    variable const* const v = find(store.location);
    if (v == nullptr) return all;
    for (event_id const load : v->loads) {
        if (happens_before(load, e.prefix)) continue;
        std::uint32_t const begin_of_cut = at(load).stamp;
        bool is_possible = true;
        for (std::size_t t = 0; t < most_threads && is_possible; ++t)
            for (std::size_t i = e.prefix[t]; i < size_of(t) && is_possible; ++i) {
                std::uint32_t const stamp = threads_[t][i].stamp;
                if (stamp < begin_of_cut) continue;
                event_id const it{static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(i)};
                is_possible = is_added_as_latest(it, stamp, e.prefix);
            }
        if (is_possible) all.push_back(load);
    }
    return all;
}

auto execution_graph::cut(event_id load, std::size_t thread) const -> std::pair<execution_graph, event>
{
    event e;
    begin(thread, e);
    execution_graph rest;
    std::uint32_t const stamp = at(load).stamp;
    std::array<std::size_t, most_threads> left{};
    for (std::size_t t = 0; t < most_threads; ++t) {
        left[t] = std::min<std::size_t>(t == thread ? size_of(t) : e.prefix[t], size_of(t));
        while (left[t] != size_of(t) && threads_[t][left[t]].stamp < stamp) ++left[t];
        rest.threads_[t].assign(threads_[t].begin(), threads_[t].begin() + static_cast<std::ptrdiff_t>(left[t]));
    }
    rest.variables_.resize(variables_.size());
    auto const is_left = [&](event_id it) { return it.index < left[it.thread]; };
    for (std::size_t v = 0; v != variables_.size(); ++v) {
        std::ranges::copy_if(variables_[v].stores, std::back_inserter(rest.variables_[v].stores), is_left);
        std::ranges::copy_if(variables_[v].loads, std::back_inserter(rest.variables_[v].loads), is_left);
    }
    rest.started_by_ = started_by_;
    rest.names_ = names_;
    rest.stamps_ = stamps_;
    rest.has_fences_ = has_fences_;
    rest.has_sequential_fences_ = has_sequential_fences_;
    rest.deviations = deviations + 1;
    return {std::move(rest), at(load)};
}

auto execution_graph::add_again(event_id load, event e, event_id from, std::uint64_t value) -> bool
{
    e.from = from;
    e.value = value;
    e.settle();
    begin(load.thread, e);
    if (position(e.location, from) < least_position(e.location, e.before)) return false;
    acquire(load.thread, e);
    threads_[load.thread].push_back(e);
    of(e.location).loads.push_back(load);
    return true;
}

auto execution_graph::position_of_access(event_id e) const noexcept -> std::size_t
{
    event const& it = at(e);
    return position(it.location, it.kind == event_kind::store ? e : it.from);
}

// The relation of RC11 between two sequentially consistent accesses, in a graph without sequentially consistent fences.
auto execution_graph::ordered_by_psc(event_id x, event_id y) const -> bool
{
    if (x.thread == y.thread) return x.index < y.index;
    event const& a = at(x);
    event const& b = at(y);
    if (a.location == b.location) {
        if (happens_before(x, b.before)) return true;
        if (b.kind == event_kind::store && position_of_access(x) < position_of_access(y)) return true;
    }
    // Program order to another variable, happens-before, program order from another variable.
    auto const is_elsewhere = [](event const& e, std::uint16_t location) {
        return (e.kind != event_kind::load && e.kind != event_kind::store) || e.location != location;
    };
    auto const& mine = threads_[x.thread];
    auto const& theirs = threads_[y.thread];
    std::size_t after = x.index + std::size_t{1};
    while (after < mine.size() && !is_elsewhere(mine[after], a.location)) ++after;
    if (after == mine.size()) return false;
    std::size_t until = y.index;
    while (until != 0 && !is_elsewhere(theirs[until - 1], b.location)) --until;
    return until != 0 && theirs[until - 1].before[x.thread] > after;
}

auto execution_graph::is_sequential_at(std::size_t thread) const -> bool
{
    if (has_sequential_fences_) return !has_cycle_of_fences();
    event_id const me = last(thread);
    event const& it = at(me);
    if (!it.is_sequential()) return true;
    // An event that nothing follows is part of a cycle only if it precedes a later store of its variable.
    auto const& stores = variables_[it.location].stores;
    std::vector<event_id> open;
    for (std::size_t p = position_of_access(me); p < stores.size(); ++p)
        if (at(stores[p]).is_sequential()) open.push_back(stores[p]);
    if (open.empty()) return true;
    std::array<std::vector<bool>, most_threads> seen;
    for (std::size_t t = 0; t < most_threads; ++t) seen[t].resize(size_of(t));
    for (event_id const e : open) seen[e.thread][e.index] = true;
    while (!open.empty()) {
        event_id const x = open.back();
        open.pop_back();
        if (ordered_by_psc(x, me)) return false;
        for (std::size_t t = 0; t < most_threads; ++t)
            for (std::size_t i = 0; i < size_of(t); ++i) {
                event_id const y{static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(i)};
                if (seen[t][i] || !threads_[t][i].is_sequential() || y == x || y == me || !ordered_by_psc(x, y))
                    continue;
                seen[t][i] = true;
                open.push_back(y);
            }
    }
    return true;
}

// The whole relation, for graphs with sequentially consistent fences.
auto execution_graph::has_cycle_of_fences() const -> bool
{
    std::vector<event_id> all;
    for (std::size_t t = 0; t < most_threads; ++t)
        for (std::size_t i = 0; i < size_of(t); ++i)
            all.push_back({static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(i)});
    auto const is_access = [&](event_id e) {
        return at(e).kind == event_kind::load || at(e).kind == event_kind::store;
    };
    auto const is_fence = [&](event_id e) { return at(e).kind == event_kind::fence && at(e).is_sequential(); };
    auto const same_variable = [&](event_id x, event_id y) {
        return is_access(x) && is_access(y) && at(x).location == at(y).location;
    };
    auto const before = [&](event_id x, event_id y) { return x != y && happens_before(x, at(y).before); };
    auto const follows = [&](event_id x, event_id y) { return x.thread == y.thread && x.index < y.index; };
    auto const overwritten_by = [&](event_id x, event_id y) {  // modification order, or reads before
        return same_variable(x, y) && at(y).kind == event_kind::store && x != y
            && position_of_access(x) < position_of_access(y);
    };
    auto const is_step = [&](event_id x, event_id y) {  // scb
        if (x == y) return false;
        if (follows(x, y) || overwritten_by(x, y) || (same_variable(x, y) && before(x, y))) return true;
        return std::ranges::any_of(all, [&](event_id a) {
            return follows(x, a) && !same_variable(x, a) && std::ranges::any_of(all, [&](event_id b) {
                return follows(b, y) && !same_variable(b, y) && (a == b || before(a, b)) && a != b;
            });
        });
    };
    auto const communicates = [&](event_id x, event_id y) {  // eco
        if (!same_variable(x, y) || x == y) return false;
        std::size_t const p = position_of_access(x);
        std::size_t const q = position_of_access(y);
        if (at(y).kind == event_kind::store) return p < q;
        return at(x).kind == event_kind::store ? p <= q : p < q;
    };
    std::vector<event_id> nodes;
    std::ranges::copy_if(all, std::back_inserter(nodes), [&](event_id e) { return at(e).is_sequential(); });
    auto const ordered = [&](event_id x, event_id y) {
        auto const begins = [&](event_id a) { return a == x || (is_fence(x) && before(x, a)); };
        auto const ends = [&](event_id b) { return b == y || (is_fence(y) && before(b, y)); };
        for (event_id const a : all)
            for (event_id const b : all) {
                if (begins(a) && ends(b) && is_step(a, b)) return true;
                if (is_fence(x) && is_fence(y) && before(x, a) && before(b, y) && communicates(a, b)) return true;
            }
        return is_fence(x) && is_fence(y) && before(x, y);
    };
    std::size_t const count = nodes.size();
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) reaches[i][j] = ordered(nodes[i], nodes[j]);
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
    for (std::size_t i = 0; i < count; ++i)
        if (reaches[i][i]) return true;
    return false;
}

}  // namespace strider::test
