// SPDX-License-Identifier: BSL-1.0
#include "path_text.hpp"

#include "language/syntax/expression_text.hpp"
#include "language/syntax/parser.hpp"

#include <utility>

namespace iacctl::language {

auto path_text(std::span<path_step const> path) -> std::string
{
    auto const* const name = path.empty() ? nullptr : std::get_if<std::string>(&path.front());
    if (!name) return {};
    auto text = *name;
    for (path_step const& step : path.subspan(1)) {
        auto const* const key = std::get_if<std::string>(&step);
        text += "[" + (key ? quoted_text(*key) : std::to_string(std::get<std::int64_t>(step))) + "]";
    }
    return text;
}

auto parse_path(std::string const& text) -> std::vector<path_step>
{
    diagnostics found;
    auto const parsed = parse_expression("path", text, found);
    auto const* const path = found.has_errors() ? nullptr : as_traversal(parsed.root);
    if (!path) return {};
    std::vector<path_step> steps{std::string(path->root)};
    for (syntax::step const& one : path->steps) {
        if (!one.key) steps.emplace_back(std::string(one.name));
        else if (one.key->is(type_kind::string)) steps.emplace_back(one.key->as_string());
        else if (auto const index = one.key->as_number().as_int64()) steps.emplace_back(*index);
        else return {};
    }
    return steps;
}

}  // namespace iacctl::language
