// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP
#define IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "schema.hpp"

namespace iacctl::language::detail {

/// A body in which JSON arguments are converted into the nested blocks of a schema, `dynamic` ones included. A body
/// that needs no conversion is returned as it is. `holder` stores the converted body.
[[nodiscard]] auto with_blocks(body const& b, schema const& desired, body& holder, diagnostics& found) -> body const&;

/// Reports errors of nested blocks that do not depend on values: labels, number of blocks, content.
void check_nested_blocks(body const& b, schema const& desired, diagnostics& found);

/// The value of all nested blocks of one type.
[[nodiscard]] auto evaluate_blocks(body const& b, schema_block const& desired, scope const& in, diagnostics& found)
    -> value;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP
