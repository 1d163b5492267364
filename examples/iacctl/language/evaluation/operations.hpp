// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_OPERATIONS_HPP
#define IACCTL_LANGUAGE_EVALUATION_OPERATIONS_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language {

/// Returns whether two values are equal in the sense of `==`. Values of different types are not equal. Nothing if the
/// result depends on unknown values.
[[nodiscard]] auto equal(value const& a, value const& b) -> std::optional<bool>;
/// The value of `a == b`: a bool, which may be unknown, with the marks of both.
[[nodiscard]] auto equal_value(value const& a, value const& b) -> value;

/// `v[key]`, or unknown after a diagnostic at `place`.
[[nodiscard]] auto index(value const& v, value const& key, source_range place, diagnostics& found) -> value;
/// `v.name`, or unknown after a diagnostic at `place`.
[[nodiscard]] auto get_attribute(value const& v, std::string_view name, source_range place, diagnostics& found)
    -> value;

[[nodiscard]] constexpr auto is_logical(syntax::operation op) noexcept -> bool
{
    return op == syntax::operation::logical_and || op == syntax::operation::logical_or;
}

/// The result of an operator on two numbers; nothing if it is undefined, as for `0 / 0`.
[[nodiscard]] auto compute(syntax::operation op, number const& a, number const& b) -> std::optional<value>;

/// The marks of a result that is not known yet, if `part` may become the result or a part of it. An unknown value has
/// one mark for everything inside. Marks inside of `part` are therefore included only if nobody can refer to a part of
/// the result that does not have them: if it has no attributes, keys or elements of different types.
[[nodiscard]] auto marks_of_unknown(type const& result, value const& part) noexcept -> mark;

/// The result of an operator while its operands are unknown.
[[nodiscard]] auto unknown_result(syntax::operation op) -> value;

/// A short description of a value for the notes of a diagnostic: `object with 1 attribute "a"`, `"text"`, `3`.
[[nodiscard]] auto describe(value const& v) -> std::string;

/// The common type of the two sides of a conditional, if there is one.
/// \param unite  receives false if the chosen side needs no conversion
[[nodiscard]] auto common_type(value const& when_true, value const& when_false, bool& unite) -> std::optional<type>;
/// The reason why the two sides of a conditional have no common type, as a part of a sentence.
[[nodiscard]] auto describe_type_mismatch(type const& when_true, type const& when_false) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_OPERATIONS_HPP
