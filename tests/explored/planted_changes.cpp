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

[[nodiscard]] auto name_of(int variable) -> std::string
{
    constexpr std::array names{"top", "bottom", "entry", "active", "posted", "offers", "searching", "closed", "slots",
        "open", "inherited", "control", "ended", "short_visits", "failed", "thrown"};
    static_assert(names.size() == static_cast<std::size_t>(detail::shared_variable::thrown) + 1);
    return names.at(static_cast<std::size_t>(variable));
}

[[nodiscard]] auto name_of(std::memory_order order) -> std::string
{
    switch (order) {
    case std::memory_order_relaxed: return "relaxed";
    case std::memory_order_consume: return "consume";
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    case std::memory_order_seq_cst: return "seq_cst";
    }
    return "?";
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
    return site.function + ": " + name_of(site.variable) + "." + site.operation;
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

auto find_fault(planted_change const& change, std::uint32_t deviations) -> found_fault
{
    std::vector<explored_program> programs = explored_protocols();
    for (explored_program& each : explored_walks()) {
        each.bounds.deviations = std::min(each.bounds.deviations, deviations);
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

}  // namespace strider::test
