// SPDX-License-Identifier: BSL-1.0
#include "early_scope.hpp"

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/references.hpp"
#include "root_module.hpp"

namespace iacctl::workspace {

namespace {

// Returns whether a block refers to variables or local values, for which the configuration has to be read.
auto refers_to_values(language::body const& b) -> bool
{
    bool found = false;
    language::for_each_expression(b, [&](language::expression const& e, language::bound_names const&) {
        language::for_each_traversal(
            e, [&](language::syntax::traversal const& t) { found = found || t.root == "var" || t.root == "local"; });
    });
    return found;
}

}  // namespace

early_scope::early_scope(
    root_module const& root, std::span<language::body const* const> blocks, std::string_view subject)
{
    bool wants_values = false;
    for (language::body const* const one : blocks) wants_values = wants_values || refers_to_values(*one);
    infra::diagnostics reported_elsewhere;
    // Commands that need the rest of the configuration report other mistakes in it.
    auto const& whole = wants_values ? root.configuration() : root.state_place(reported_elsewhere);
    auto const known = [&root]() -> auto const& { return root.variables(); };
    scope_.emplace(whole, known, root.options().workspace, subject);
}

}  // namespace iacctl::workspace
