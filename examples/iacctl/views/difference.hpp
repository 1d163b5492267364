// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_DIFFERENCE_HPP
#define IACCTL_VIEWS_DIFFERENCE_HPP

#include "plan_view.hpp"
#include "text_style.hpp"

#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace iacctl::views {

enum class difference_kind : std::uint8_t {
    leaf,         ///< string, number, bool or null
    sequence,     ///< elements in order; shown with their neighbours
    set,          ///< elements without order
    mapping,      ///< elements by key, of one type
    object,       ///< elements by name
    block,        ///< a whole resource or a nested block; null attributes are omitted
    unknown,      ///< becomes known at apply; the element is the prior value, if there is one
    sensitive,    ///< not shown; the element is the hidden difference
    type_change,  ///< two elements: the old and the new value
};

struct nested_block;

/// The difference between two values, as a tree for display.
struct difference {
    difference_kind kind = difference_kind::leaf;
    infra::action action = infra::action::no_op;  ///< no_op, create, update or destroy
    bool forces_replacement = false;
    bool before_sensitive = false;
    bool after_sensitive = false;
    language::value before;  ///< leaves only
    language::value after;
    std::vector<std::string> names;  ///< of the elements of mappings, objects and blocks, sorted
    std::vector<difference> elements;
    std::vector<nested_block> blocks;  ///< blocks of one type are adjacent, sorted by type
};

/// A block in a resource or in another block.
struct nested_block {
    std::string type;
    std::string label;  ///< ` "key"`, or empty
    difference of;
};

/// Compares two objects of a resource type, either of which may be null.
///
/// \param relevant  the attributes to compare, or null for all; others are treated as unchanged
[[nodiscard]] difference compare_resources(language::value const& before, language::value const& after,
    resource_schema const* schema, std::vector<value_path> const& replace_paths = {},
    std::vector<value_path> const* relevant = nullptr);

/// Compares two values by structure: lists like tuples, maps like objects.
[[nodiscard]] auto compare_values(language::value const& before, language::value const& after) -> difference;
/// A value that does not change, displayed as a type.
[[nodiscard]] auto unchanged_value(language::value const& v, language::type const& seen_as) -> difference;

/// The format of a difference.
struct difference_style {
    bool colour = false;
    bool hide_null_suffix = false;  ///< no `-> null` after removed values
    bool show_unchanged = false;    ///< unchanged values are shown, too
    bool hide_symbols = false;      ///< no column for `+`, `-`, `~`: shows values, not changes
    bool show_sensitive = false;
};

/// The text of a difference. Lines after the first are indented by four columns per level.
[[nodiscard]] auto difference_text(difference const& d, std::size_t indent, difference_style style) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_DIFFERENCE_HPP
