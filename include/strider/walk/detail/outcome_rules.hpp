// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_OUTCOME_RULES_HPP
#define STRIDER_WALK_DETAIL_OUTCOME_RULES_HPP

#include <strider/walk/walk_report.hpp>

#include <cstdint>
#include <optional>

namespace strider::detail {

// The part of an outcome that a run needs at once.
enum class visit_end : std::uint8_t { done, failed, skipped, cancelled, unchanged };

[[nodiscard]] inline auto end_of(visit_outcome const& outcome) noexcept -> visit_end
{
    return outcome.is_unchanged() ? visit_end::unchanged : static_cast<visit_end>(outcome.status());
}

// The statuses that a vertex inherits from its dependencies, as a set of bits.
namespace inherited {
inline constexpr std::uint32_t affected = 1;  // used in partial runs only
inline constexpr std::uint32_t cancel = 2;
inline constexpr std::uint32_t skip = 4;

[[nodiscard]] constexpr auto after(visit_end end) noexcept -> std::uint32_t
{
    if (end == visit_end::done) return affected;
    if (end == visit_end::unchanged) return 0;
    return end == visit_end::cancelled ? cancel : skip;
}
}  // namespace inherited

// The outcome of a vertex that is not visited, after all of its dependencies are settled; empty if it is visited.
[[nodiscard]] inline auto outcome_without_visit(std::uint32_t inherited, bool is_partial, bool is_stopping) noexcept
    -> std::optional<visit_outcome>
{
    if ((inherited & inherited::skip) != 0) return visit_outcome::skipped();
    if (is_partial && inherited == 0) return visit_outcome::unchanged();
    if ((inherited & inherited::cancel) != 0 || is_stopping) return visit_outcome::cancelled();
    return std::nullopt;
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_OUTCOME_RULES_HPP
