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

    [[nodiscard]] static auto dynamic() noexcept -> type { return {}; }
    [[nodiscard]] static auto boolean() noexcept -> type { return type(type_kind::boolean); }
    [[nodiscard]] static auto number() noexcept -> type { return type(type_kind::number); }
    [[nodiscard]] static auto string() noexcept -> type { return type(type_kind::string); }
    [[nodiscard]] static auto list(type element) -> type;
    [[nodiscard]] static auto set(type element) -> type;
    [[nodiscard]] static auto map(type element) -> type;
    [[nodiscard]] static auto tuple(std::vector<type> elements) -> type;
    /// Attributes may come in any order; of two with one name the later one counts.
    [[nodiscard]] static auto object(std::vector<type_attribute> attributes) -> type;

    [[nodiscard]] auto kind() const noexcept -> type_kind { return kind_; }
    [[nodiscard]] auto is_dynamic() const noexcept -> bool { return kind_ == type_kind::dynamic; }
    [[nodiscard]] auto is_primitive() const noexcept -> bool
    {
        return kind_ > type_kind::dynamic && kind_ < type_kind::list;
    }
    [[nodiscard]] auto is_collection() const noexcept -> bool
    {
        return kind_ >= type_kind::list && kind_ <= type_kind::map;
    }
    [[nodiscard]] auto is_structural() const noexcept -> bool { return kind_ >= type_kind::tuple; }
    [[nodiscard]] auto is(type_kind kind) const noexcept -> bool { return kind_ == kind; }

    /// \pre A list, set or map.
    [[nodiscard]] auto element() const -> type const&;
    /// Elements of a tuple; empty for others.
    [[nodiscard]] auto elements() const noexcept -> std::span<type const>;
    /// Attributes of an object, sorted by name; empty for others.
    [[nodiscard]] auto attributes() const noexcept -> std::span<type_attribute const>;
    [[nodiscard]] auto find(std::string_view name) const noexcept -> type_attribute const*;

    /// Returns whether `any` occurs anywhere inside.
    [[nodiscard]] auto has_dynamic() const noexcept -> bool;
    /// The same type without optional attributes, as values have it.
    [[nodiscard]] auto without_optional() const -> type;

    /// The name in messages: "string", "list of number", "object", "dynamic".
    [[nodiscard]] auto friendly_name() const -> std::string;
    /// The same for a type that is required: "any type" for `any`, "list of any single type".
    [[nodiscard]] auto constraint_name() const -> std::string;

    friend auto operator==(type const& a, type const& b) noexcept -> bool;

private:
    friend class value;
    using node_ptr = boost::intrusive_ptr<detail::counted const>;

    explicit type(type_kind kind, node_ptr node = {}) noexcept : kind_(kind), node_(std::move(node)) {}
    [[nodiscard]] auto node() const noexcept -> detail::type_node const&;
    [[nodiscard]] auto has_optional() const noexcept -> bool;

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
[[nodiscard]] auto type_to_json(type const& t) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_TYPE_HPP
