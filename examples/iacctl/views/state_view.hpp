// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_STATE_VIEW_HPP
#define IACCTL_VIEWS_STATE_VIEW_HPP

#include "base/terraform_version.hpp"

#include "language/validation/schema.hpp"
#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace iacctl::views {

namespace infra = strider::infra;

/// An attribute of a resource type, with the properties that affect display.
struct attribute_schema {
    std::string name;
    language::type of;  ///< `any` if each value has its own type
    bool required = false;
    bool optional = false;
    bool computed = false;
    bool sensitive = false;
};

struct resource_schema {
    std::vector<attribute_schema> attributes;
    std::uint64_t version = 0;
    language::schema const* content = nullptr;  ///< nested blocks and attributes; null: there are none
};

/// An object in state: the current one of an instance, or a deposed one.
struct resource_view {
    infra::address address;
    std::string deposed_key;  ///< empty: the current object
    std::string provider_name;
    std::uint64_t schema_version = 0;
    language::value attributes;
    strider::infra::dependency_set depends_on;
    bool tainted = false;
    std::string identity{};  ///< JSON; empty: the object has none
    std::uint64_t identity_version = 0;
    resource_schema const* schema = nullptr;  ///< null: shows every attribute of the value, each with its own type
};

struct output_view {
    std::string name;
    language::value of;
    bool sensitive = false;
};

/// The content of a state. Resources and outputs may be in any order.
struct state_view {
    std::vector<resource_view> resources;
    std::vector<output_view> outputs;
    std::string checks;  ///< check_results of a state file, or empty
    std::string terraform_version{iacctl::terraform_version};

    [[nodiscard]] auto empty() const noexcept -> bool { return resources.empty() && outputs.empty(); }
};

/// The order of addresses for display: short module paths first, data before managed resources. The engine has another
/// order, by declaration.
[[nodiscard]] auto shown_before(infra::address const& a, infra::address const& b) -> bool;
[[nodiscard]] auto shown_before(std::vector<infra::module_step> const& a, std::vector<infra::module_step> const& b)
    -> bool;

/// The same for objects with an address and the key of a deposed one: the current object is first.
template <class View>
[[nodiscard]] auto object_shown_before(View const* a, View const* b) -> bool
{
    return a->address != b->address ? shown_before(a->address, b->address) : a->deposed_key < b->deposed_key;
}

/// Sorts objects into that order. The engine's list for a configuration without modules is sorted already.
template <class View>
void sort_as_shown(std::vector<View const*>& objects)
{
    if (!std::ranges::is_sorted(objects, object_shown_before<View>))
        std::ranges::sort(objects, object_shown_before<View>);
}

/// The value in which the attributes are marked that the schema declares sensitive, in nested blocks and attributes
/// too, and without the blocks that the schema omits while they are null.
[[nodiscard]] auto with_schema_marks(language::value const& attributes, resource_schema const* schema)
    -> language::value;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_STATE_VIEW_HPP
