// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP
#define IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "schema.hpp"

namespace iacctl::language::detail {

/// The body with JSON arguments turned into the nested blocks that a schema has, `dynamic` ones included. Other bodies
/// need nothing: `holder` keeps what had to be made.
[[nodiscard]] body const& with_blocks(body const& of, schema const& desired, body& holder, diagnostics& found);

/// Tells what is wrong with nested blocks whatever their values are: labels, how many there are, what they hold.
void check_nested_blocks(body const& of, schema const& desired, diagnostics& found);

/// The value that all nested blocks of one type have together.
[[nodiscard]] value evaluate_blocks(body const& of, schema_block const& desired, scope const& in, diagnostics& found);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_VALIDATION_NESTED_BLOCKS_HPP
