// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_PLACES_HPP
#define STRIDER_INFRA_PROGRAM_PLACES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace strider::infra {

/// Optional: `locate(d, a, problems)` adds the place of a declaration to the diagnostics about its instance `a` that have none.
/// Default: diagnostics stay as they are.
template <class P>
concept has_places =
    program<P> && requires(P const& p, typename P::declaration_type const& d, address const& a, diagnostics& problems) {
        p.locate(d, a, problems);
    };

/// Diagnostics about an instance, with the place of its declaration.
/// \param declaration  its number, or `no_declaration`
template <program P>
[[nodiscard]] auto located([[maybe_unused]] P const& p, [[maybe_unused]] std::size_t declaration,
    [[maybe_unused]] address const& a, diagnostics problems) -> diagnostics
{
    if constexpr (has_places<P>)
        if (declaration != no_declaration) p.locate(declaration_at(p, declaration), a, problems);
    return problems;
}

/// Optional: `describe(place)` is the text of the `reference::place` of a reference, such as "main.tf:12". Cycle reports show
/// it. Default: they show no place.
template <class P>
concept has_place_texts = program<P> && requires(P const& p) {
    { p.describe(std::uint32_t{}) } -> std::convertible_to<std::string>;
};

/// Text of the place of a reference; empty: there is none.
template <program P>
[[nodiscard]] auto place_text([[maybe_unused]] P const& p, std::uint32_t place) -> std::string
{
    if constexpr (has_place_texts<P>)
        if (place != 0) return p.describe(place);
    return {};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_PLACES_HPP
