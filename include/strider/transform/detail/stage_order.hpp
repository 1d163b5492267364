// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP
#define STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP

#include <strider/transform/properties.hpp>

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <boost/mp11/set.hpp>

namespace strider::detail {

namespace mp11 = boost::mp11;

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

template <class Property>
struct needs_property {
    template <class Stage>
    using fn = mp11::mp_contains<typename Stage::needs, Property>;
};
template <class Property>
struct invalidates_property {
    template <class Stage>
    using fn = mp11::mp_contains<typename Stage::invalidates, Property>;
};
template <class Property>
struct leaves_property {
    template <class Stage>
    using fn = mp11::mp_contains<mp11::mp_append<typename Stage::establishes, typename Stage::needs>, Property>;
};
template <class Stages, class Predicate>
using first_stage = mp11::mp_at<Stages, mp11::mp_find_if_q<Stages, Predicate>>;

// The lists of a sequence of stages: it needs what a stage needs and no earlier one establishes, and so on. `Known` are the
// properties of the graph after it; `Stages` begins with the last stage.
template <class Stages, class Needs, class Excludes, class Establishes, class Invalidates, class Known>
struct stage_sequence {
    using stages = Stages;
    using needs = Needs;
    using excludes = Excludes;
    using establishes = Establishes;
    using invalidates = Invalidates;
    using known = Known;
};

// Fails to compile if a stage after these can never have what it needs, or always finds what it excludes.
template <class Before, class Stage>
struct with_stage {
    template <class A, class B>
    using with = mp11::mp_set_union<A, B>;
    template <class A, class B>
    using without = mp11::mp_set_difference<A, B>;

    using missing = without<with<property_list<>, typename Stage::needs>, typename Before::known>;
    using lost = mp11::mp_set_intersection<missing, typename Before::invalidates>;
    using known = with<typename Before::known, missing>;
    using too_late = mp11::mp_set_intersection<known, with<property_list<>, typename Stage::excludes>>;

    [[nodiscard]] static consteval auto check() -> bool
    {
        if constexpr (!mp11::mp_empty<lost>::value) {
            using property = mp11::mp_front<lost>;
            using earlier = first_stage<typename Before::stages, invalidates_property<property>>;
            return sizeof(missing_property<property, needed_by<Stage>, invalidated_by<earlier>>) != 0;
        } else if constexpr (!mp11::mp_empty<too_late>::value) {
            using property = mp11::mp_front<too_late>;
            using earlier = first_stage<typename Before::stages, leaves_property<property>>;
            return sizeof(excluded_property<property, excluded_by<Stage>, established_by<earlier>>) != 0;
        }
        return true;
    }
    static_assert(check());

    using type =
        stage_sequence<mp11::mp_push_front<typename Before::stages, Stage>, with<typename Before::needs, missing>,
            with<typename Before::excludes,
                without<with<property_list<>, typename Stage::excludes>, typename Before::invalidates>>,
            with<without<typename Before::establishes, typename Stage::invalidates>, typename Stage::establishes>,
            without<with<typename Before::invalidates, typename Stage::invalidates>, typename Stage::establishes>,
            with<without<known, typename Stage::invalidates>, typename Stage::establishes>>;
};
template <class Before, class Stage>
using followed_by = typename with_stage<Before, Stage>::type;

template <class... Stages>
using sequence_of = mp11::mp_fold<mp11::mp_list<Stages...>,
    stage_sequence<mp11::mp_list<>, property_list<>, property_list<>, property_list<>, property_list<>,
        property_list<>>,
    followed_by>;

// Fails to compile if the stages need a property of the initial graph, which has none.
template <class... Stages>
[[nodiscard]] consteval auto check_needs() -> bool
{
    using needs = typename sequence_of<Stages...>::needs;
    if constexpr (!mp11::mp_empty<needs>::value) {
        using property = mp11::mp_front<needs>;
        using stage = first_stage<mp11::mp_list<Stages...>, needs_property<property>>;
        return sizeof(missing_property<property, needed_by<stage>>) != 0;
    }
    return true;
}

}  // namespace strider::detail

#endif  // STRIDER_TRANSFORM_DETAIL_STAGE_ORDER_HPP
