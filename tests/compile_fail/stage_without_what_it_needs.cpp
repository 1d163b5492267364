// SPDX-License-Identifier: BSL-1.0
// expect: a stage of this pipeline needs a property that no earlier stage establishes
// expect: missing_property<strider::properties::acyclic, strider::detail::needed_by<
#include <strider/core.hpp>
#include <strider/transform.hpp>

#include <string>

struct layered : strider::transformer_base {
    using needs = strider::property_list<strider::properties::acyclic>;
    auto operator()(strider::digraph<std::string> graph) const -> strider::result<strider::digraph<std::string>>
    {
        return graph;
    }
};

void apply(strider::digraph<std::string>& draft)
{
    (void)(draft |= layered{});
}
