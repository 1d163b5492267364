// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_TYPE_CONSTRAINT_HPP
#define IACCTL_LANGUAGE_EVALUATION_TYPE_CONSTRAINT_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <map>
#include <memory>
#include <string>

namespace iacctl::language {

/// Defaults of optional attributes, `optional(number, 80)`, by their place inside a type.
struct type_defaults {
    std::map<std::string, value> values;                             // by attribute
    std::map<std::string, std::shared_ptr<type_defaults const>>
        inner;  // by attribute, by index, or "" for all elements

    [[nodiscard]] auto empty() const noexcept -> bool { return values.empty() && inner.empty(); }
};

struct type_constraint {
    type of;
    std::shared_ptr<type_defaults const> defaults;
};

/// Reads a type such as `list(object({ a = optional(string, "x") }))`.
[[nodiscard]] auto parse_type(expression const& e, diagnostics& found) -> type_constraint;

/// Adds the defaults of optional attributes that are missing or null. The result is not converted yet.
[[nodiscard]] auto with_defaults(value const& v, type_defaults const& defaults) -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_TYPE_CONSTRAINT_HPP
