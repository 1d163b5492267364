// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_TYPE_HPP
#define IACCTL_LANGUAGE_VALUES_TYPE_HPP

#include "counted.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language {

struct type_attribute;

namespace detail {

struct type_node;

}  // namespace detail

enum class type_kind : std::uint8_t { dynamic, boolean, number, string, list, set, map, tuple, object };

/// A type of the language: regular, immutable, cheap to copy. A default one is `any` (dynamic).
class type {
public:
    type() noexcept = default;

    [[nodiscard]] static type dynamic() noexcept { return {}; }
    [[nodiscard]] static type boolean() noexcept { return type(type_kind::boolean); }
    [[nodiscard]] static type number() noexcept { return type(type_kind::number); }
    [[nodiscard]] static type string() noexcept { return type(type_kind::string); }
    [[nodiscard]] static type list(type element);
    [[nodiscard]] static type set(type element);
    [[nodiscard]] static type map(type element);
    [[nodiscard]] static type tuple(std::vector<type> elements);
    /// Attributes may come in any order; of two with one name the later one counts.
    [[nodiscard]] static type object(std::vector<type_attribute> attributes);

    [[nodiscard]] type_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_dynamic() const noexcept { return kind_ == type_kind::dynamic; }
    [[nodiscard]] bool is_primitive() const noexcept { return kind_ > type_kind::dynamic && kind_ < type_kind::list; }
    [[nodiscard]] bool is_collection() const noexcept { return kind_ >= type_kind::list && kind_ <= type_kind::map; }
    [[nodiscard]] bool is_structural() const noexcept { return kind_ >= type_kind::tuple; }
    [[nodiscard]] bool is(type_kind kind) const noexcept { return kind_ == kind; }

    /// \pre A list, set or map.
    [[nodiscard]] type const& element() const;
    /// Elements of a tuple; empty for others.
    [[nodiscard]] std::span<type const> elements() const noexcept;
    /// Attributes of an object, sorted by name; empty for others.
    [[nodiscard]] std::span<type_attribute const> attributes() const noexcept;
    [[nodiscard]] type_attribute const* find(std::string_view name) const noexcept;

    /// Returns whether `any` occurs anywhere inside.
    [[nodiscard]] bool has_dynamic() const noexcept;
    /// The same type without optional attributes, as values have it.
    [[nodiscard]] type without_optional() const;

    /// The name in messages: "string", "list of number", "object", "dynamic".
    [[nodiscard]] std::string friendly_name() const;
    /// The same for a type that is required: "any type" for `any`, "list of any single type".
    [[nodiscard]] std::string constraint_name() const;

    friend bool operator==(type const& a, type const& b) noexcept;

private:
    friend class value;
    using node_ptr = boost::intrusive_ptr<detail::counted const>;

    explicit type(type_kind kind, node_ptr node = {}) noexcept : kind_(kind), node_(std::move(node)) {}
    [[nodiscard]] detail::type_node const& node() const noexcept;
    [[nodiscard]] bool has_optional() const noexcept;

    type_kind kind_ = type_kind::dynamic;
    node_ptr node_;  // a `type_node`; null for a primitive or dynamic type
};

struct type_attribute {
    std::string name;
    type of;
    bool optional = false;

    friend bool operator==(type_attribute const&, type_attribute const&) noexcept = default;
};

/// Canonical JSON of a type: `"string"`, `["list","number"]`, `["object",{"a":"bool"}]`, `"dynamic"`.
[[nodiscard]] std::string type_to_json(type const& of);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_TYPE_HPP
