// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_REFERENCES_HPP
#define IACCTL_LANGUAGE_SYNTAX_REFERENCES_HPP

#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

enum class reference_kind : std::uint8_t {
    resource,
    data,
    ephemeral,
    action,
    list,
    variable,
    local,
    module,
    count,
    each,
    self,
    caller,
    path,
    terraform
};

/// The object that a traversal (`terraform_data.a[0].output`) refers to, and the steps inside that object.
///
/// The first `consumed` steps name the referenced object as a whole: a resource (not one of its instances),
/// a variable, one attribute of `count`, `each`, `path` and `terraform`; the rest are applied to its value.
struct reference {
    reference_kind kind = reference_kind::resource;
    std::string_view type;               // of a resource or data source; "tofu" in tofu.workspace
    std::string_view name;               // also the attribute of count, each, path and terraform
    std::optional<value> key;            // [0] or ["a"] after a resource or module, if written as a constant
    std::span<syntax::step const> steps; // all steps after the first name
    std::size_t consumed = 0;
    source_range range;                  // of the whole traversal
    source_range subject;                // of what names the object, with its key

    /// The address of the object: `terraform_data.a`, `data.x.y`, `var.z`, `module.m`.
    [[nodiscard]] auto address() const -> std::string;
    /// The same with the key: `terraform_data.a[0]`.
    [[nodiscard]] auto address_with_key() const -> std::string;
    /// Steps after the object (and after its key, if it has one).
    [[nodiscard]] auto remaining() const noexcept -> std::span<syntax::step const>
    {
        return steps.subspan(consumed + (key ? 1 : 0));
    }
    /// True if the object may have instances: a resource, a data source or a module.
    [[nodiscard]] auto is_repeatable() const noexcept -> bool
    {
        return kind <= reference_kind::list || kind == reference_kind::module;
    }
    /// The output that a reference to a module names, or nothing.
    [[nodiscard]] auto output() const noexcept -> std::string_view;
};

/// Parses a traversal as a reference; nothing after a diagnostic.
[[nodiscard]] auto parse_reference(syntax::traversal const& t, source_file const* file, diagnostics& found)
    -> std::optional<reference>;

/// Calls `visit` with each traversal of an expression, in the order of the text, but not with those that
/// start at a name bound by a `for` inside it.
void for_each_traversal(expression const& e, std::function<void(syntax::traversal const&)> const& visit);

/// Calls `visit` with each call of a function in an expression.
void for_each_call(expression const& e, std::function<void(syntax::call const&)> const& visit);

/// Names that stand for values, not for objects of the configuration: iterators of the `dynamic` blocks around.
using bound_names = std::vector<std::string_view>;

/// Calls `visit` with each expression of a body, including those of nested and `dynamic` blocks. `enter` decides by the
/// `for_each` of a `dynamic` block whether its content is visited; without `enter` all are.
using expression_visitor = std::function<void(expression const&, bound_names const& bound)>;
using dynamic_filter = std::function<bool(expression const& for_each, bound_names const& bound)>;
void for_each_expression(body const& b, expression_visitor const& visit, dynamic_filter const& enter = {});

/// All references of an expression. Nothing is evaluated.
[[nodiscard]] std::vector<reference> references_of(
    expression const& e, diagnostics& found, bound_names const& bound = {});
/// All references of a body, nested and `dynamic` blocks included.
[[nodiscard]] auto references_of(body const& b, diagnostics& found) -> std::vector<reference>;

/// Returns whether a reference that begins with this word cannot be one to a resource of that type, and neither can an address.
[[nodiscard]] auto is_reserved_root(std::string_view word) noexcept -> bool;

/// A traversal as in messages: `local.m["b"]`. \param count  the number of steps to include
[[nodiscard]] auto traversal_text(syntax::traversal const& t, std::size_t count) -> std::string;

/// The text of an expression that is a bare name (`all`, `create`), or nothing.
[[nodiscard]] auto as_keyword(expression const& e) noexcept -> std::string_view;
/// The traversal that an expression is, with constant steps, or null.
[[nodiscard]] auto as_traversal(expression const& e) noexcept -> syntax::traversal const*;
/// The same where only names are allowed. There, `null`, `true` and `false` are names like others: `null.west`.
[[nodiscard]] auto as_static_traversal(expression const& e) -> std::optional<syntax::traversal>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_REFERENCES_HPP
