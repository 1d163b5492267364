// SPDX-License-Identifier: BSL-1.0
// A subject of test_mutation.py. The tests in price.cpp find some of its mutants; which ones, the script states.
#ifndef STRIDER_TESTS_MUTATION_TINY_PRICE_HPP
#define STRIDER_TESTS_MUTATION_TINY_PRICE_HPP

#include <vector>

namespace tiny {

inline constexpr int limit = 100;

template <class T>
auto price(T amount, T each) -> T
{
    T total = amount * each;
    if (total > limit) total = limit;
    return total;
}

struct cart {
    std::vector<int> prices;
    bool open = true;

    auto add(int price) -> bool
    {
        if (!open || price < 0) return false;
        prices.push_back(price);
        return true;
    }
    void close() { open = false; }
    [[nodiscard]] auto total() const -> int
    {
        int sum = 0;
        for (int const price : prices) sum += price;
        return sum;
    }
    [[nodiscard]] auto count() const -> int { return static_cast<int>(prices.size()); }
};

constexpr auto twice(int n) -> int
{
    return n * 2;
}

}  // namespace tiny

#endif  // STRIDER_TESTS_MUTATION_TINY_PRICE_HPP
