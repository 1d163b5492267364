// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_RANDOM_SOURCE_HPP
#define IACCTL_PROVIDERS_BUILT_IN_RANDOM_SOURCE_HPP

#include "base/digest.hpp"
#include "base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

/// Random numbers from the system; with a seed, the same numbers on every machine and in every version.
class random_source {
public:
    /// \param seed  empty: numbers from the system
    explicit random_source(std::string_view seed = {})
    {
        if (seed.empty()) return;
        std::vector<std::uint32_t> words;
        for (char const b : digest(seed, digest_kind::sha256)) words.push_back(static_cast<unsigned char>(b));
        std::seed_seq sequence(words.begin(), words.end());
        seeded_.emplace(sequence);
    }

    [[nodiscard]] auto next() -> std::uint64_t
    {
        if (seeded_) return (*seeded_)();
        std::uint64_t made = 0;
        for (char const b : iacctl::random_bytes(sizeof(made))) made = made << 8U | static_cast<unsigned char>(b);
        return made;
    }

    /// A uniformly distributed number of 0, 1, ... `bound` - 1; of all numbers if the bound is 0.
    [[nodiscard]] auto below(std::uint64_t bound) -> std::uint64_t
    {
        if (bound == 0) return next();
        // Numbers above the last whole multiple of the bound would make small results more likely.
        std::uint64_t const excess = (UINT64_MAX % bound + 1) % bound;
        std::uint64_t made = next();
        while (made > UINT64_MAX - excess) made = next();
        return made % bound;
    }

    template <class T>
    [[nodiscard]] auto one_of(T const& all) -> decltype(auto)
    {
        return all[static_cast<std::size_t>(below(all.size()))];
    }

    template <class T>
    void shuffle(std::vector<T>& all)
    {
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[static_cast<std::size_t>(below(i))]);
    }

private:
    std::optional<std::mt19937_64> seeded_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_RANDOM_SOURCE_HPP
