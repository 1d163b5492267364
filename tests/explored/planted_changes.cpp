// SPDX-License-Identifier: BSL-1.0
#include <explored/explored_programs.hpp>

#include <support/exploration.hpp>

#include <strider/walk/detail/stealing/native_threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

[[nodiscard]] auto variable_name(int variable) -> std::string
{
    constexpr std::array names{"top", "bottom", "entry", "active", "posted", "offers", "searching", "closed", "slots",
        "open", "inherited", "control", "ended", "short_visits", "failed", "thrown"};
    static_assert(names.size() == static_cast<std::size_t>(detail::shared_variable::thrown) + 1);
    return names.at(static_cast<std::size_t>(variable));
}

[[nodiscard]] auto is_load(access_site const& site) -> bool
{
    return !site.is_store && (site.mode == load_mode::plain || site.mode == load_mode::await_other);
}

// The orders that are weaker by one step.
[[nodiscard]] auto weaker_orders(access_site const& site, std::memory_order order) -> std::vector<std::memory_order>
{
    using enum std::memory_order;
    switch (order) {
    case seq_cst: return {is_load(site) ? acquire : site.is_store ? release : acq_rel};
    case acq_rel: return {acquire, release};
    case acquire:
    case release: return {relaxed};
    default: return {};
    }
}

[[nodiscard]] auto place_of(access_site const& site) -> std::string
{
    return site.function + ": " + variable_name(site.variable) + "." + site.operation;
}

[[nodiscard]] auto with_order(std::size_t number, std::memory_order order) -> planted_change
{
    access_site const& site = exploration::sites()[number];
    return {{number}, place_of(site) + " " + name_of(site.order) + " becomes " + name_of(order), order, site.otherwise};
}
[[nodiscard]] auto with_order_of_failure(std::size_t number, std::memory_order order) -> planted_change
{
    access_site const& site = exploration::sites()[number];
    return {{number},
        place_of(site) + " " + name_of(site.order) + ", if it fails " + name_of(site.otherwise) + " becomes "
            + name_of(order),
        site.order, order};
}

}  // namespace

auto planted_changes() -> std::vector<planted_change>
{
    std::vector<planted_change> all;
    auto const& sites = exploration::sites();
    for (std::size_t i = 1; i < sites.size(); ++i) {
        access_site const& site = sites[i];
        if (site.variable < 0) continue;  // of a test
        for (std::memory_order const order : weaker_orders(site, site.order)) all.push_back(with_order(i, order));
        if (site.mode == load_mode::compare && site.otherwise != std::memory_order_relaxed)
            all.push_back(with_order_of_failure(i,
                site.otherwise == std::memory_order_seq_cst ? std::memory_order_acquire : std::memory_order_relaxed));
        all.push_back(
            {{i}, place_of(site) + " " + name_of(site.order) + " is left out", site.order, site.otherwise, true});
    }
    std::ranges::sort(all, {}, &planted_change::name);
    std::vector<planted_change> one_of_each_name;
    for (planted_change& each : all) {
        if (!one_of_each_name.empty() && one_of_each_name.back().name == each.name)
            one_of_each_name.back().sites.push_back(each.sites.front());
        else one_of_each_name.push_back(std::move(each));
    }
    return one_of_each_name;
}

auto weaker_than(planted_change const& change) -> std::vector<planted_change>
{
    access_site const& site = exploration::sites()[change.sites.front()];
    std::vector<planted_change> all;
    if (change.is_dropped) return all;
    if (change.order != site.order)
        for (std::memory_order const order : weaker_orders(site, change.order))
            all.push_back(with_order(change.sites.front(), order));
    else if (change.otherwise == std::memory_order_acquire)
        all.push_back(with_order_of_failure(change.sites.front(), std::memory_order_relaxed));
    for (planted_change& each : all) each.sites = change.sites;
    return all;
}

auto find_fault(planted_change const& change, std::uint32_t deviations, std::uint64_t executions) -> found_fault
{
    std::vector<explored_program> programs = explored_protocols();
    for (explored_program& each : explored_walks()) {
        each.bounds.deviations = std::min(each.bounds.deviations, deviations);
        if (each.bounds.executions > executions) each.bounds.executions = executions;
        programs.push_back(std::move(each));
    }
    auto& sites = exploration::sites();
    for (std::size_t const each : change.sites) {
        sites[each].planted = change.order;
        sites[each].planted_otherwise = change.otherwise;
        sites[each].is_dropped = change.is_dropped;
    }
    found_fault found;
    for (explored_program const& each : programs) {
        search_result const result = each.explore(each.bounds);
        if (result.violation.empty()) continue;
        found = {each.name, result.violation};
        break;
    }
    for (std::size_t const each : change.sites) {
        sites[each].planted = sites[each].order;
        sites[each].planted_otherwise = sites[each].otherwise;
        sites[each].is_dropped = false;
    }
    return found;
}

auto harmless_changes() -> std::vector<harmless_change>
{
    return {
        {"acquire_slot: slots.load relaxed is left out", "The value is a hint: compare-exchange decides."},
        {"all_search: searching.load relaxed is left out", "A wrong count of searching workers costs time only."},
        {"search: searching.fetch_add relaxed is left out", "A wrong count of searching workers costs time only."},
        {"~search: searching.fetch_sub relaxed is left out", "A wrong count of searching workers costs time only."},
        {"clear: slots.store relaxed is left out", "Workers that fail release their slots before they leave."},
        {"close: closed.store relaxed is left out",
            "A helper of a walk that is destroyed finds no active worker; it only waits longer."},
        {"is_closed: closed.load relaxed is left out",
            "A helper of a walk that is destroyed finds no active worker; it only waits longer."},
        {"expect_one: open.load relaxed is left out", "One thread prepares a partial run."},
        {"is_ready: open.load relaxed is left out", "One thread prepares a partial run."},
        {"is_short: short_visits.load relaxed is left out", "The duration of visits determines the cost only."},
        {"raise: control.load relaxed is left out", "It only saves a modification that sets a bit again."},
        {"request: control.load relaxed is left out", "The value is a hint: compare-exchange decides."},
        {"pop: bottom.load relaxed is left out", "Only the owner writes the variable."},
        {"push: bottom.load relaxed is left out", "Only the owner writes the variable."},
        {"pop: entry.load relaxed is left out", "Only the owner writes entries."},
        {"pop: top.load relaxed is left out",
            "Thieves only increase the variable: a lower value does not end the attempt."},
        {"pop: bottom.store release becomes relaxed",
            "The deque is empty then: nobody takes an entry below this position."},
        {"pop: top.compare_exchange seq_cst becomes acq_rel",
            "The store and the load before it are sequentially consistent."},
        {"push: bottom.store seq_cst becomes release",
            "The count of offers, which is sequentially consistent, follows each store that workers must see."},
        {"push: top.load acquire becomes relaxed",
            "A thief that reads a later entry would read a value that depends on its own load, which the search does "
            "not have; C++ does."},
        {"push: top.load acquire is left out",
            "The position only increases: with a lower one, the deque seems to be full."},
        {"size: bottom.load seq_cst becomes acquire", "The value is a hint: `steal` and `pop` decide."},
        {"size: bottom.load seq_cst is left out", "The value is a hint: `steal` and `pop` decide."},
        {"size: top.load seq_cst becomes acquire", "The value is a hint: `steal` and `pop` decide."},
        {"size: top.load seq_cst is left out", "The value is a hint: `steal` and `pop` decide."},
        {"note: thrown.exchange acq_rel becomes acquire",
            "It selects one worker; the end of the run orders the exception."},
        {"note: thrown.exchange acq_rel becomes release",
            "It selects one worker; the end of the run orders the exception."},
        {"join: active.compare_exchange seq_cst becomes acq_rel",
            "A join precedes no look at what others may have offered: that of `leave` and `offer` decides."},
        {"join: active.compare_exchange seq_cst becomes acquire",
            "The joining worker has written nothing that others read before it leaves."},
        {"join: active.compare_exchange seq_cst becomes release",
            "The first load of the counter, or the deque, acquires what the worker reads."},
        {"join: active.compare_exchange seq_cst, if it fails seq_cst becomes acquire",
            "The value is a hint: the next compare-exchange decides."},
        {"join: active.compare_exchange seq_cst, if it fails seq_cst becomes relaxed",
            "The value is a hint: the next compare-exchange decides."},
        {"note: thrown.exchange acq_rel becomes relaxed",
            "It selects one worker; the end of the run orders the exception."},
        {"pop: top.compare_exchange seq_cst becomes release", "The load of the position before it acquires."},
        {"pop: top.compare_exchange seq_cst, if it fails seq_cst becomes acquire", "The owner does not use the value."},
        {"pop: top.compare_exchange seq_cst, if it fails seq_cst becomes relaxed", "The owner does not use the value."},
        {"reserve: posted.compare_exchange seq_cst becomes acq_rel",
            "The loads of the counters before it are sequentially consistent."},
        {"reserve: posted.compare_exchange seq_cst becomes acquire",
            "The loads of the counters before it are sequentially consistent."},
        {"reserve: posted.compare_exchange seq_cst becomes release",
            "The loads of the counters before it are sequentially consistent."},
        {"reserve: posted.compare_exchange seq_cst becomes relaxed",
            "The loads of the counters before it are sequentially consistent."},
        {"reserve: posted.compare_exchange seq_cst, if it fails seq_cst becomes acquire",
            "The value is a hint: the next compare-exchange decides."},
        {"reserve: posted.compare_exchange seq_cst, if it fails seq_cst becomes relaxed",
            "The value is a hint: the next compare-exchange decides."},
        {"size: bottom.load seq_cst becomes relaxed", "The value is a hint: `steal` and `pop` decide."},
        {"size: top.load seq_cst becomes relaxed", "The value is a hint: `steal` and `pop` decide."},
        {"steal: top.compare_exchange seq_cst, if it fails seq_cst becomes acquire",
            "The thief does not use the value."},
        {"steal: top.compare_exchange seq_cst, if it fails seq_cst becomes relaxed",
            "The thief does not use the value."},
        {"join: active.compare_exchange seq_cst becomes relaxed",
            "The load before it acquires, and a modification continues the release sequence of the others."},
        {"reserve: posted.load seq_cst is left out", "The value is a hint: compare-exchange decides."},
    };
}

}  // namespace strider::test
