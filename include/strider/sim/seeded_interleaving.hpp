// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_SEEDED_INTERLEAVING_HPP
#define STRIDER_SIM_SEEDED_INTERLEAVING_HPP

#include <strider/sim/manual_executor.hpp>

#include <cinttypes>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace strider::sim {

/// Runs a body in a new world per seed, `[first, first + count)`, and prints the seed at which it fails.
///
/// The body starts its operations in the given context, runs it, and returns true on success. Seed 0 is the order of
/// arrival.
class seeded_interleaving {
public:
    /// The seeds `first` to `first + count - 1`.
    constexpr seeded_interleaving(std::uint64_t first, std::uint64_t count) noexcept : first_(first), count_(count) {}

    /// \return the first seed at which `body` returned false, after printing it; empty if there was none. An
    /// exception propagates after the seed is printed.
    template <class Body>
        requires std::predicate<Body&, manual_context&>
    [[nodiscard]] auto failing_seed(Body body) const -> std::optional<std::uint64_t>
    {
        for (std::uint64_t seed = first_; seed != first_ + count_; ++seed) {
            manual_context world(seed);
            report_on_failure reporter{seed};
            reporter.well = body(world);
            if (!reporter.well) return seed;
        }
        return std::nullopt;
    }

private:
    struct report_on_failure {
        std::uint64_t seed;
        bool well = false;
        ~report_on_failure()
        {
            if (!well) std::fprintf(stderr, "seeded_interleaving: seed %" PRIu64 " failed\n", seed);
        }
    };

    std::uint64_t first_;
    std::uint64_t count_;
};

}  // namespace strider::sim

#endif  // STRIDER_SIM_SEEDED_INTERLEAVING_HPP
