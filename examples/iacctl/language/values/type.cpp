// SPDX-License-Identifier: BSL-1.0
#include "type.hpp"

#include "base/json_text.hpp"

#include <algorithm>

namespace iacctl::language {

namespace detail {

struct type_node : counted {
    std::vector<type> elements;
    std::vector<type_attribute> attributes;
    bool has_dynamic = false;
    bool has_optional = false;
};

}  // namespace detail

auto type::node() const noexcept -> detail::type_node const&
{
    return static_cast<detail::type_node const&>(*node_);
}

auto type::has_optional() const noexcept -> bool
{
    return node_ && node().has_optional;
}

auto type::list(type element) -> type
{
    type made = tuple({std::move(element)});
    made.kind_ = type_kind::list;
    return made;
}

auto type::set(type element) -> type
{
    type made = list(std::move(element));
    made.kind_ = type_kind::set;
    return made;
}

auto type::map(type element) -> type
{
    type made = list(std::move(element));
    made.kind_ = type_kind::map;
    return made;
}

auto type::tuple(std::vector<type> elements) -> type
{
    auto* const node = new detail::type_node;
    type made(type_kind::tuple, node);
    node->has_dynamic = std::ranges::any_of(elements, &type::has_dynamic);
    node->has_optional = std::ranges::any_of(elements, &type::has_optional);
    node->elements = std::move(elements);
    return made;
}

auto type::object(std::vector<type_attribute> attributes) -> type
{
    std::ranges::stable_sort(
        attributes, [](type_attribute const& a, type_attribute const& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < attributes.size();) {
        if (attributes[i - 1].name == attributes[i].name)
            attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(i - 1));
        else ++i;
    }
    auto* const node = new detail::type_node;
    type made(type_kind::object, node);
    for (auto const& attribute : attributes) {
        node->has_dynamic |= attribute.of.has_dynamic();
        node->has_optional |= attribute.optional || attribute.of.has_optional();
    }
    node->attributes = std::move(attributes);
    return made;
}

auto type::element() const -> type const&
{
    return node().elements.front();
}

auto type::elements() const noexcept -> std::span<type const>
{
    if (kind_ != type_kind::tuple) return {};
    return node().elements;
}

auto type::attributes() const noexcept -> std::span<type_attribute const>
{
    if (kind_ != type_kind::object) return {};
    return node().attributes;
}

auto type::find(std::string_view name) const noexcept -> type_attribute const*
{
    auto const all = attributes();
    auto const found = std::ranges::lower_bound(all, name, {}, &type_attribute::name);
    return found != all.end() && found->name == name ? &*found : nullptr;
}

auto type::has_dynamic() const noexcept -> bool
{
    return kind_ == type_kind::dynamic || (node_ && node().has_dynamic);
}

auto type::without_optional() const -> type
{
    if (!has_optional()) return *this;
    switch (kind_) {
    case type_kind::list: return list(element().without_optional());
    case type_kind::set: return set(element().without_optional());
    case type_kind::map: return map(element().without_optional());
    case type_kind::tuple: {
        std::vector<type> inner;
        for (auto const& t : elements()) inner.push_back(t.without_optional());
        return tuple(std::move(inner));
    }
    case type_kind::object: {
        std::vector<type_attribute> inner;
        for (auto const& a : attributes()) inner.push_back({a.name, a.of.without_optional(), false});
        return object(std::move(inner));
    }
    case type_kind::dynamic:
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: break;
    }
    return *this;
}

auto type::friendly_name() const -> std::string
{
    switch (kind_) {
    case type_kind::dynamic: return "dynamic";
    case type_kind::boolean: return "bool";
    case type_kind::number: return "number";
    case type_kind::string: return "string";
    case type_kind::list: return "list of " + element().friendly_name();
    case type_kind::set: return "set of " + element().friendly_name();
    case type_kind::map: return "map of " + element().friendly_name();
    case type_kind::tuple: return "tuple";
    case type_kind::object: return "object";
    }
    return {};
}

auto type::constraint_name() const -> std::string
{
    auto const inner = [this] {
        return element().is_dynamic() ? std::string("any single type") : element().constraint_name();
    };
    switch (kind_) {
    case type_kind::dynamic: return "any type";
    case type_kind::list: return "list of " + inner();
    case type_kind::set: return "set of " + inner();
    case type_kind::map: return "map of " + inner();
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string:
    case type_kind::tuple:
    case type_kind::object: break;
    }
    return friendly_name();
}

auto operator==(type const& a, type const& b) noexcept -> bool
{
    if (a.kind_ != b.kind_) return false;
    if (a.node_ == b.node_) return true;
    return a.node().elements == b.node().elements && a.node().attributes == b.node().attributes;
}

auto type_to_json(type const& t) -> std::string
{
    switch (t.kind()) {
    case type_kind::dynamic:
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: return '"' + t.friendly_name() + '"';
    case type_kind::list: return "[\"list\"," + type_to_json(t.element()) + "]";
    case type_kind::set: return "[\"set\"," + type_to_json(t.element()) + "]";
    case type_kind::map: return "[\"map\"," + type_to_json(t.element()) + "]";
    case type_kind::tuple: {
        std::string text = "[\"tuple\",[";
        bool first = true;
        for (auto const& element : t.elements()) {
            if (!std::exchange(first, false)) text += ',';
            text += type_to_json(element);
        }
        return text + "]]";
    }
    case type_kind::object: {
        std::string text = "[\"object\",{";
        bool first = true;
        bool any_optional = false;
        std::string optional;
        for (auto const& attribute : t.attributes()) {
            if (!std::exchange(first, false)) text += ',';
            append_json_string(text, attribute.name);
            text += ':';
            text += type_to_json(attribute.of);
            if (attribute.optional) {
                if (std::exchange(any_optional, true)) optional += ',';
                append_json_string(optional, attribute.name);
            }
        }
        text += any_optional ? "},[" + optional + "]" : "}";
        return text + "]";
    }
    }
    return {};
}

}  // namespace iacctl::language
