// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_DIFFERENCE_HPP
#define IACCTL_UI_DIFFERENCE_HPP

#include "plan_view.hpp"
#include "text_style.hpp"

#include <language/values/type.hpp>
#include <language/values/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace iacctl::ui {

enum class difference_kind : std::uint8_t {
    leaf,         ///< string, number, bool or null
    sequence,     ///< elements in order; shown with their neighbours
    set,          ///< elements without order
    mapping,      ///< elements by key, of one type
    object,       ///< elements by name
    block,        ///< a whole resource or a nested block: attributes that are null are not there
    unknown,      ///< becomes known at apply; the element is what there was before, if anything
    sensitive,    ///< not shown; the element is what it would show
    type_change,  ///< two elements: the one that goes and the one that comes
};

struct nested_block;

/// What changes between two values, as a tree that is ready to be shown.
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
    std::vector<nested_block> blocks;  ///< those of one type side by side, sorted by type
};

/// A block in a resource or in another block.
struct nested_block {
    std::string type;
    std::string label;  ///< ` "key"`, or nothing
    difference of;
};

/// Compares two objects of a resource type, either of which may be null.
///
/// \param relevant The attributes that count, or null if all do; others are taken as unchanged.
[[nodiscard]] difference compare_resources(language::value const& before, language::value const& after,
    resource_schema const* schema, std::vector<value_path> const& replace_paths = {},
    std::vector<value_path> const* relevant = nullptr);

/// Compares two values by what they are: lists like tuples, maps like objects.
[[nodiscard]] difference compare_values(language::value const& before, language::value const& after);
/// A value that does not change, seen as a type.
[[nodiscard]] difference unchanged_value(language::value const& of, language::type const& seen_as);

/// How differences are written.
struct difference_style {
    bool colour = false;
    bool hide_null_suffix = false;  ///< no `-> null` behind what is destroyed
    bool show_unchanged = false;    ///< do not hide what stays
    bool hide_symbols = false;      ///< no room for `+`, `-`, `~`: values are shown, not changes
    bool show_sensitive = false;
};

/// The text of a difference. Lines after the first are indented by four columns per level.
[[nodiscard]] std::string difference_text(difference const& of, std::size_t indent, difference_style style);

}  // namespace iacctl::ui

#endif  // IACCTL_UI_DIFFERENCE_HPP
