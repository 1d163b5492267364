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

struct sequence_contract : stage_contract {
    order_fault fault = order_fault::none;
};

// Stages one after the other are one stage: it needs what a stage needs and none before it establishes, and so on. It is at
// fault if a stage can never have what it needs, or always finds what it excludes.
template <std::size_t N>
[[nodiscard]] constexpr auto contract_of_sequence(std::array<stage_contract, N> const& stages) -> sequence_contract
{
    sequence_contract all{};
    property known = property::none;
    for (stage_contract const& s : stages) {
        property const missing = s.needs & ~known;
        if ((missing & all.invalidates) != property::none) all.fault = order_fault::missing;
        all.needs = all.needs | missing;
        known = known | missing;
        if ((known & s.excludes) != property::none) all.fault = order_fault::too_late;
        all.excludes = all.excludes | (s.excludes & ~all.invalidates);
        if (all.fault != order_fault::none) return all;
        all.invalidates = (all.invalidates | s.invalidates) & ~s.establishes;
        all.establishes = (all.establishes & ~s.invalidates) | s.establishes;
        known = (known & ~s.invalidates) | s.establishes;
    }
    return all;
}

}  // namespace detail

/// Runs stages one after the other; the first error ends it. A wrong order does not compile.
///
/// A pipeline is a stage, too: it `needs` what none of its stages establishes before, `excludes`, `establishes` and
/// `invalidates` what they do together. So a pipeline that needs something can be kept as the end of others; to run it alone
/// does not compile. Stages without data cost no space.
/// \complexity that of the stages.
template <transformer... Stages>
class pipeline : public transformer_base {
    static constexpr std::array<detail::stage_contract, sizeof...(Stages)> contracts{detail::contract_of<Stages>...};
    static constexpr detail::sequence_contract together = detail::contract_of_sequence(contracts);
    static_assert(together.fault != detail::order_fault::missing,
        "a stage of this pipeline needs a property that an earlier stage has invalidated: "
        "look at `needs` and `invalidates` of each stage, and put the stage that `establishes` it between them");
    static_assert(together.fault != detail::order_fault::too_late,
        "a stage of this pipeline comes too late: look at `excludes` of each stage, "
        "an earlier stage has established what it must not find");

public:
    static constexpr property needs = together.needs;
    static constexpr property excludes = together.excludes;
    static constexpr property establishes = together.establishes;
    static constexpr property invalidates = together.invalidates;

    pipeline() = default;
    constexpr explicit pipeline(Stages... stages)
        requires(sizeof...(Stages) > 0)
        : stages_(std::move(stages)...)
    {}

    template <mutable_digraph G>
        requires(transformer_for<Stages, G> && ...)
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        static_assert(needs == property::none,
            "a stage of this pipeline needs a property that no earlier stage establishes: "
            "look at `needs` of each stage and put the stage that `establishes` it before");
        return run<0>(result<G>(std::move(g)));
    }

    [[nodiscard]] constexpr auto stages() const noexcept -> std::tuple<Stages...> const& { return stages_; }

private:
    template <transformer...>
    friend class pipeline;

    template <class Stage, class G>
    [[nodiscard]] static auto apply_stage(Stage const& stage, G g) -> result<G>
    {
        return stage(std::move(g));
    }
    // One inside another has what it needs from the stages before it.
    template <class... Inner, class G>
    [[nodiscard]] static auto apply_stage(pipeline<Inner...> const& stage, G g) -> result<G>
    {
        return stage.template run<0>(result<G>(std::move(g)));
    }
    template <std::size_t I, class G>
    [[nodiscard]] auto run(result<G> g) const -> result<G>
    {
        if constexpr (I == sizeof...(Stages)) return g;
        else {
            if (!g) return g;
            return run<I + 1, G>(apply_stage(std::get<I>(stages_), std::move(*g)));
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
