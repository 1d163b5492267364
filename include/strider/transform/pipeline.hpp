// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_PIPELINE_HPP
#define STRIDER_TRANSFORM_PIPELINE_HPP

#include <strider/transform/transformer.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

struct stage_contract {
    property needs, excludes, establishes, invalidates;
};

template <class S>
inline constexpr stage_contract contract_of{S::needs, S::excludes, S::establishes, S::invalidates};

enum class order_fault { none, missing, too_late };

// The first fault in a sequence of stages, if each may count on what the stages before it have left.
template <std::size_t N>
[[nodiscard]] constexpr auto first_fault(std::array<stage_contract, N> const& stages, property known) -> order_fault
{
    for (stage_contract const& s : stages) {
        if ((known & s.needs) != s.needs) return order_fault::missing;
        if ((known & s.excludes) != property::none) return order_fault::too_late;
        known = (known & ~s.invalidates) | s.establishes;
    }
    return order_fault::none;
}

}  // namespace detail

/// Runs stages one after the other; the first error ends it. A wrong order does not compile.
///
/// A stage may itself be a pipeline. Stages without data cost no space.
/// \complexity that of the stages.
template <transformer... Stages>
class pipeline : public transformer_base {
    static constexpr std::array<detail::stage_contract, sizeof...(Stages)> contracts{detail::contract_of<Stages>...};
    static constexpr detail::order_fault fault = detail::first_fault(contracts, property::none);
    static_assert(fault != detail::order_fault::missing,
        "a stage of this pipeline needs a property that no earlier stage establishes: "
        "look at `needs` of each stage and put the stage that `establishes` it before");
    static_assert(fault != detail::order_fault::too_late,
        "a stage of this pipeline comes too late: look at `excludes` of each stage, "
        "an earlier stage has established what it must not find");

    [[nodiscard]] static constexpr auto left_behind() -> property
    {
        property known = property::none;
        for (auto const& s : contracts) known = (known & ~s.invalidates) | s.establishes;
        return known;
    }

public:
    static constexpr property establishes = left_behind();

    pipeline() = default;
    constexpr explicit pipeline(Stages... stages)
        requires(sizeof...(Stages) > 0)
        : stages_(std::move(stages)...)
    {}

    template <mutable_digraph G>
        requires(transformer_for<Stages, G> && ...)
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        return run<0>(result<G>(std::move(g)));
    }

    [[nodiscard]] constexpr auto stages() const noexcept -> std::tuple<Stages...> const& { return stages_; }

private:
    template <std::size_t I, class G>
    [[nodiscard]] auto run(result<G> g) const -> result<G>
    {
        if constexpr (I == sizeof...(Stages)) return g;
        else {
            if (!g) return g;
            return run<I + 1, G>(std::get<I>(stages_)(std::move(*g)));
        }
    }

    [[no_unique_address]] std::tuple<Stages...> stages_;
};

template <transformer... A, transformer... B>
[[nodiscard]] constexpr auto operator|(pipeline<A...> const& a, pipeline<B...> const& b)
{
    return std::apply(
        [](auto const&... s) { return pipeline<A..., B...>(s...); }, std::tuple_cat(a.stages(), b.stages()));
}
template <transformer... A, transformer B>
[[nodiscard]] constexpr auto operator|(pipeline<A...> const& a, B b)
{
    return std::apply([&](auto const&... s) { return pipeline<A..., B>(s..., std::move(b)); }, a.stages());
}
template <transformer A, transformer... B>
[[nodiscard]] constexpr auto operator|(A a, pipeline<B...> const& b)
{
    return std::apply([&](auto const&... s) { return pipeline<A, B...>(std::move(a), s...); }, b.stages());
}
/// `forced_cbd{p} | destroy_split{p} | cycle_validation{}`: stages as values.
template <transformer A, transformer B>
[[nodiscard]] constexpr auto operator|(A a, B b) -> pipeline<A, B>
{
    return pipeline<A, B>(std::move(a), std::move(b));
}

}  // namespace strider

#endif  // STRIDER_TRANSFORM_PIPELINE_HPP
