// SPDX-License-Identifier: BSL-1.0
#include "drawn_object.hpp"

#include "providers/plugin/proposed_new.hpp"
#include <support/property.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <utility>

namespace iacctl::plugin::test {

/// A prior object and a configuration of the type `pool`.
struct drawn_change {
    language::value prior;
    language::value configured;

    friend auto operator<<(std::ostream& out, drawn_change const& change) -> std::ostream&
    {
        return out << "prior " << language::to_json(change.prior) << ", configured "
                   << language::to_json(change.configured);
    }
};

/// A change whose configuration is wholly known.
struct known_change : drawn_change {};

[[nodiscard]] inline auto draw_change(origin configured) -> drawn_change
{
    value_source const source([](std::size_t end) { return *rc::gen::inRange<std::size_t>(0, end); });
    bool const is_new = source.below(8) == 0;
    return {
        is_new ? language::value::null(pool().object_type()) : object_source(source, origin::provider).object(pool()),
        object_source(source, configured).object(pool())};
}

}  // namespace iacctl::plugin::test

namespace rc {

template <>
struct Arbitrary<iacctl::plugin::test::drawn_change> {
    static auto arbitrary() -> Gen<iacctl::plugin::test::drawn_change>
    {
        using namespace iacctl::plugin::test;
        return gen::exec([] { return draw_change(origin::configuration); });
    }
};

template <>
struct Arbitrary<iacctl::plugin::test::known_change> {
    static auto arbitrary() -> Gen<iacctl::plugin::test::known_change>
    {
        using namespace iacctl::plugin::test;
        return gen::exec([] { return known_change{draw_change(origin::known_configuration)}; });
    }
};

}  // namespace rc

namespace {

using namespace iacctl;
using language::nesting;
using language::schema;
using language::value;
using plugin::proposed_new;
using plugin::test::drawn_change;
using plugin::test::known_change;
using plugin::test::pool;

auto keeps(schema const& s, value const& configured, value const& proposed) -> bool;

// True if the proposed value of an attribute, or of the blocks of a type, is the configured one, and differs only in
// computed values.
auto keeps(nesting n, schema const& s, value const& configured, value const& proposed) -> bool
{
    if (!configured.has_data() || !proposed.has_data()) return configured == proposed;
    if (n == nesting::single || n == nesting::group) return keeps(s, configured, proposed);
    auto const any_keeps = [&](value const& wanted) {
        return std::ranges::any_of(
            proposed.elements(), [&](value const& element) { return keeps(s, wanted, element); });
    };
    // Elements of a set may become equal.
    if (n == nesting::set)
        return proposed.size() <= configured.size() && std::ranges::all_of(configured.elements(), any_keeps);
    return std::ranges::equal(configured.elements(), proposed.elements(),
               [&](value const& wanted, value const& element) { return keeps(s, wanted, element); })
        && std::ranges::equal(configured.entries(), proposed.entries(), [&](auto const& wanted, auto const& element) {
               return wanted.key == element.key && keeps(s, wanted.of, element.of);
           });
}

auto keeps(schema const& s, value const& configured, value const& proposed) -> bool
{
    if (!configured.has_data() || !proposed.has_data()) return configured == proposed;
    return std::ranges::all_of(s.attributes, [&](auto const& element) {
        value const& wanted = *configured.find(element.name);
        value const& made = *proposed.find(element.name);
        if (wanted.is_null() && element.computed) return true;
        return element.nested ? keeps(element.nested->how, *element.nested->content, wanted, made) : wanted == made;
    }) && std::ranges::all_of(s.blocks, [&](auto const& item) {
        return keeps(item.how, *item.content, *configured.find(item.name), *proposed.find(item.name));
    });
}

STRIDER_PROPERTY(ProposedNewLaw, WhatIsConfiguredIsProposed, (drawn_change const& one))
{
    STRIDER_LAW(keeps(pool(), one.configured, proposed_new(pool(), one.prior, one.configured)));
}

STRIDER_PROPERTY(ProposedNewLaw, AnObjectThatIsAsProposedIsProposedAgain, (known_change const& one))
{
    auto const once = proposed_new(pool(), one.prior, one.configured);

    STRIDER_LAW(proposed_new(pool(), once, one.configured) == once);
}

STRIDER_PROPERTY(ProposedNewLaw, NothingIsUnknownThatIsNotConfiguredSo, (known_change const& one))
{
    STRIDER_LAW(proposed_new(pool(), one.prior, one.configured).wholly_known());
}

STRIDER_PROPERTY(ProposedNewLaw, AProposedObjectHasTheTypeOfItsConfiguration, (drawn_change const& one))
{
    STRIDER_LAW(proposed_new(pool(), one.prior, one.configured).get_type() == one.configured.get_type());
}

}  // namespace
