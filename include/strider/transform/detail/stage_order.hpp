// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP
#define STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP

#include <strider/transform/transformer.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace strider::detail {

// A set of the properties that the stages of one pipeline name, as a mask.
using property_mask = std::uint64_t;

template <class Known, class... Properties>
struct distinct {
    using type = Known;
};
template <class... Known, class P, class... Properties>
struct distinct<property_list<Known...>, P, Properties...>
    : distinct<
          std::conditional_t<(std::is_same_v<P, Known> || ...), property_list<Known...>, property_list<Known..., P>>,
          Properties...> {};

template <class Known, class... Lists>
struct united {
    using type = Known;
};
template <class Known, class... Properties, class... Lists>
struct united<Known, property_list<Properties...>, Lists...>
    : united<typename distinct<Known, Properties...>::type, Lists...> {};

template <class... Stages>
using vocabulary = typename united<property_list<>, typename Stages::needs..., typename Stages::excludes...,
    typename Stages::establishes..., typename Stages::invalidates...>::type;

template <class P, class... All>
[[nodiscard]] consteval auto bit_of(property_list<All...>) -> property_mask
{
    static_assert(sizeof...(All) <= 64, "the stages of a pipeline name at most 64 properties");
    property_mask bit = 1;
    property_mask found = 0;
    ((found |= std::is_same_v<P, All> ? bit : 0, bit <<= 1U), ...);
    return found;
}
template <class All, class... Properties>
[[nodiscard]] consteval auto mask_of(property_list<Properties...>) -> property_mask
{
    return (bit_of<Properties>(All{}) | ... | property_mask{0});
}

template <property_mask Mask, class Chosen, class... All>
struct chosen {
    using type = Chosen;
};
template <property_mask Mask, class... Chosen, class P, class... All>
struct chosen<Mask, property_list<Chosen...>, P, All...>
    : chosen<(Mask >> 1U), std::conditional_t<(Mask & 1U) != 0, property_list<Chosen..., P>, property_list<Chosen...>>,
          All...> {};
template <property_mask Mask, class All>
struct list_of;
template <property_mask Mask, class... All>
struct list_of<Mask, property_list<All...>> : chosen<Mask, property_list<>, All...> {};

struct stage_contract {
    property_mask needs, excludes, establishes, invalidates;
};

enum class order_fault { none, missing, too_late };

struct sequence_contract : stage_contract {
    order_fault fault = order_fault::none;
    std::size_t property = 0;  // number of the property of the fault
    std::size_t stage = 0;     // the stage at fault
    std::size_t earlier = 0;   // the last stage before it that invalidates or establishes the property
};

// The contract of a sequence of stages: it needs what a stage needs and no earlier one establishes, and so on. The
// sequence has a fault if a stage can never have what it needs, or always finds what it excludes.
template <std::size_t N>
[[nodiscard]] constexpr auto contract_of_sequence(std::array<stage_contract, N> const& stages) -> sequence_contract
{
    sequence_contract all{};
    property_mask known = 0;
    auto const fail = [&](order_fault fault, property_mask properties, std::size_t stage) {
        all.fault = fault;
        all.property = static_cast<std::size_t>(std::countr_zero(properties));
        all.stage = stage;
        for (std::size_t i = 0; i < stage; ++i) {
            stage_contract const& s = stages[i];
            property_mask const by = fault == order_fault::missing ? s.invalidates : s.establishes | s.needs;
            if ((by >> all.property & 1U) != 0) all.earlier = i;
        }
        return all;
    };
    for (std::size_t i = 0; i < N; ++i) {
        stage_contract const& s = stages[i];
        property_mask const missing = s.needs & ~known;
        if ((missing & all.invalidates) != 0) return fail(order_fault::missing, missing & all.invalidates, i);
        all.needs |= missing;
        known |= missing;
        if ((known & s.excludes) != 0) return fail(order_fault::too_late, known & s.excludes, i);
        all.excludes |= s.excludes & ~all.invalidates;
        all.invalidates = (all.invalidates | s.invalidates) & ~s.establishes;
        all.establishes = (all.establishes & ~s.invalidates) | s.establishes;
        known = (known & ~s.invalidates) | s.establishes;
    }
    return all;
}

template <class... Stages>
struct stage_sequence {
    using all = vocabulary<Stages...>;
    static constexpr std::array<stage_contract, sizeof...(Stages)> contracts{
        stage_contract{mask_of<all>(typename Stages::needs{}), mask_of<all>(typename Stages::excludes{}),
            mask_of<all>(typename Stages::establishes{}), mask_of<all>(typename Stages::invalidates{})}...};
    static constexpr sequence_contract contract = contract_of_sequence(contracts);
};

// Compilers print the names of these templates and of their arguments.
template <class Stage>
struct needed_by;
template <class Stage>
struct excluded_by;
template <class Stage>
struct invalidated_by;
template <class Stage>
struct established_by;
template <class>
inline constexpr bool holds = false;

template <class Property, class... Stages>
struct missing_property {
    static_assert(holds<Property>,
        "a stage of this pipeline needs a property that no earlier stage establishes, or that an earlier stage "
        "invalidates: put a stage that `establishes` the property before the stage; missing_property<...> names both");
};
template <class Property, class... Stages>
struct excluded_property {
    static_assert(holds<Property>,
        "a stage of this pipeline comes too late: an earlier stage establishes a property that it `excludes`; "
        "excluded_property<...> names the property and the stages");
};

template <std::size_t I, class... T>
using type_at = std::tuple_element_t<I, std::tuple<T...>>;

template <std::size_t I, class List>
struct property_at;
template <std::size_t I, class... All>
struct property_at<I, property_list<All...>> {
    using type = type_at<I, All...>;
};

// Fails to compile if the order of the stages is wrong.
template <class... Stages>
[[nodiscard]] consteval auto check_order() -> bool
{
    constexpr sequence_contract c = stage_sequence<Stages...>::contract;
    if constexpr (c.fault != order_fault::none) {
        using property = typename property_at<c.property, vocabulary<Stages...>>::type;
        using stage = type_at<c.stage, Stages...>;
        using earlier = type_at<c.earlier, Stages...>;
        if constexpr (c.fault == order_fault::missing)
            return sizeof(missing_property<property, needed_by<stage>, invalidated_by<earlier>>) != 0;
        else return sizeof(excluded_property<property, excluded_by<stage>, established_by<earlier>>) != 0;
    }
    return true;
}

// Fails to compile if the stages need a property of the initial graph, which has none.
template <class... Stages>
[[nodiscard]] consteval auto check_needs() -> bool
{
    constexpr property_mask needs = stage_sequence<Stages...>::contract.needs;
    if constexpr (needs != 0) {
        constexpr auto number = static_cast<std::size_t>(std::countr_zero(needs));
        constexpr std::size_t first = [] {
            std::size_t i = 0;
            while ((stage_sequence<Stages...>::contracts[i].needs >> number & 1U) == 0) ++i;
            return i;
        }();
        using property = typename property_at<number, vocabulary<Stages...>>::type;
        return sizeof(missing_property<property, needed_by<type_at<first, Stages...>>>) != 0;
    }
    return true;
}

}  // namespace strider::detail

#endif  // STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP
