// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SORT_STABLY_HPP
#define IACCTL_BASE_SORT_STABLY_HPP

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace iacctl {

/// Sorts, and preserves the order of equivalent items. `std::stable_sort` is not used because its temporary buffer
/// gives a warning about a deprecated function in clang.
template <class T, class Less>
void sort_stably(std::vector<T>& items, Less less)
{
    constexpr std::size_t few = 16;
    if (items.size() <= few) {
        for (auto next = items.begin(); next != items.end(); ++next)
            std::rotate(std::upper_bound(items.begin(), next, *next, less), next, std::next(next));
        return;
    }
    if (std::ranges::is_sorted(items, less)) return;
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        if (less(items[a], items[b])) return true;
        return !less(items[b], items[a]) && a < b;
    });
    std::vector<T> sorted;
    sorted.reserve(items.size());
    for (auto const index : order) sorted.push_back(std::move(items[index]));
    items = std::move(sorted);
}

}  // namespace iacctl

#endif  // IACCTL_BASE_SORT_STABLY_HPP
