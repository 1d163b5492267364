// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_FAULT_PLAN_HPP
#define STRIDER_SIM_FAULT_PLAN_HPP

#include <strider/core/assert.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::sim {

/// The fault of one operation.
enum class fault : std::uint8_t {
    none,
    fails,      ///< it ends with an error
    throws,     ///< it throws
    hangs,      ///< it never ends, except by cancellation
    slow,       ///< it succeeds, but late
    no_memory,  ///< it throws std::bad_alloc
};

/// Returns the name of a fault.
[[nodiscard]] constexpr auto to_string(fault f) noexcept -> std::string_view
{
    constexpr std::array<std::string_view, 6> words{"none", "fails", "throws", "hangs", "slow", "no_memory"};
    return words[static_cast<std::size_t>(f)];
}

/// The rate of each fault per thousand operations; the sum is at most a thousand.
struct fault_rates {
    /// Operations that fail, per thousand.
    std::uint32_t fails = 0;
    /// Operations that throw, per thousand.
    std::uint32_t throws = 0;
    /// Operations that do not end by themselves, per thousand.
    std::uint32_t hangs = 0;
    /// Operations that take longer, per thousand.
    std::uint32_t slow = 0;
};

/// Determines the faults of operations in advance: by operation and occurrence, from rules or from a seed.
///
/// A seeded plan depends only on the name and the occurrence of an operation, not on the time of the query, so every
/// interleaving with one seed has the same faults. Concurrent calls of `at` are safe. Rules take precedence over the
/// seed, later rules over earlier ones.
class fault_plan {
public:
    /// Stands for every occurrence of an operation.
    static constexpr std::uint32_t every = 0;

    /// A plan without faults.
    fault_plan() = default;

    /// \pre The rates add up to at most 1000.
    [[nodiscard]] static auto seeded(std::uint64_t seed, fault_rates rates) -> fault_plan
    {
        STRIDER_ASSERT(rates.fails + rates.throws + rates.hangs + rates.slow <= 1000,
            "the sum of fault rates is at most a thousand");
        fault_plan plan;
        plan.seed_ = seed;
        plan.rates_ = rates;
        return plan;
    }

    /// Adds a rule for the given occurrence of `operation`, counted from 1, or for `every` occurrence.
    auto on(std::string operation, fault what, std::uint32_t occurrence = every) -> fault_plan&
    {
        rules_.push_back({std::move(operation), occurrence, what});
        return *this;
    }
    /// Sets the delay of slow operations.
    auto delay(std::chrono::nanoseconds late) -> fault_plan&
    {
        delay_ = late;
        return *this;
    }
    /// The additional time of slow operations.
    [[nodiscard]] auto delay() const noexcept -> std::chrono::nanoseconds { return delay_; }
    /// The seed of the faults; 0 if there is none.
    [[nodiscard]] auto seed() const noexcept -> std::uint64_t { return seed_; }

    /// Returns the fault of the given occurrence of `operation`, counted from 1.
    [[nodiscard]] auto at(std::string_view operation, std::uint32_t occurrence = 1) const -> fault
    {
        for (auto r = rules_.rbegin(); r != rules_.rend(); ++r)
            if (r->operation == operation && (r->occurrence == every || r->occurrence == occurrence)) return r->what;
        std::uint64_t die = mix(seed_ ^ mix(hash(operation) + occurrence)) % 1000;
        for (auto const& [rate, what] : {std::pair{rates_.fails, fault::fails}, std::pair{rates_.throws, fault::throws},
                 std::pair{rates_.hangs, fault::hangs}, std::pair{rates_.slow, fault::slow}}) {
            if (die < rate) return what;
            die -= rate;
        }
        return fault::none;
    }

    /// Returns the fault of the next occurrence of `operation`, which the plan counts. Not thread-safe.
    [[nodiscard]] auto next(std::string_view operation) -> fault
    {
        auto const known = seen_.find(operation);
        std::uint32_t& count = known != seen_.end() ? known->second : seen_.emplace(operation, 0).first->second;
        return at(operation, ++count);
    }

private:
    struct rule {
        std::string operation;
        std::uint32_t occurrence;
        fault what;
    };

    // FNV-1a and the finisher of splitmix64: the same plan on every platform, unlike `std::hash`.
    [[nodiscard]] static constexpr auto hash(std::string_view text) noexcept -> std::uint64_t
    {
        std::uint64_t h = 0xcbf2'9ce4'8422'2325U;
        for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
        return h;
    }
    [[nodiscard]] static constexpr auto mix(std::uint64_t z) noexcept -> std::uint64_t
    {
        z += 0x9e37'79b9'7f4a'7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return z ^ (z >> 31U);
    }

    std::vector<rule> rules_;
    std::map<std::string, std::uint32_t, std::less<>> seen_;
    fault_rates rates_;
    std::uint64_t seed_ = 0;
    std::chrono::nanoseconds delay_ = std::chrono::seconds(1);
};

}  // namespace strider::sim

#endif  // STRIDER_SIM_FAULT_PLAN_HPP
