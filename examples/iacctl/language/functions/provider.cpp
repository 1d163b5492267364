// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/syntax/format.hpp"
#include "language/syntax/parser.hpp"
#include "language/syntax/scanner.hpp"
#include "messages/functions.hpp"

namespace iacctl::language::detail {

namespace {

constexpr auto source_name = "<decode_tfvars argument>";

[[nodiscard]] auto encode_expr(arguments given) -> call_result<value>
{
    if (!given[0].wholly_known()) return value::unknown(type::string()).refined_not_null();
    return value(formatted_expression_text(given[0]));
}

[[nodiscard]] auto encode_tfvars(arguments given) -> call_result<value>
{
    if (!given[0].wholly_known()) return value::unknown(type::string()).refined_not_null();
    if (!given[0].is(type_kind::object) && !given[0].is(type_kind::map))
        return call_failure(0,
            "an object or a map is required, with the values of variables by their names; got a "
                + given[0].get_type().friendly_name());
    std::string text;
    for (auto const& [name, of] : given[0].entries()) {
        if (!is_identifier(name))
            return call_failure(0,
                to_json(value(name))
                    + " cannot be the name of a variable: a name begins with a letter, followed by letters, digits, "
                      "dashes and underscores");
        text += name + " = " + expression_text(of) + "\n";
    }
    diagnostics none;
    return value(format("variables", std::move(text), format_rules::spaces, none).text);
}

[[nodiscard]] auto first_problem(diagnostics const& found) -> call_failure
{
    for (auto const& one : found)
        if (one.level == severity::error) return call_failure(0, place_text(one.source) + ": " + one.summary);
    return {};
}

[[nodiscard]] auto decode_tfvars(arguments given) -> call_result<value>
{
    diagnostics found;
    auto const tree = parse_file(source_name, given[0].as_string(), found);
    for (auto const& block : tree->root().blocks)
        found.add(error(messages::block_in_tfvars, {block.type}, block.type_range));
    std::vector<value_entry> made;
    for (auto const& one : tree->root().attributes)
        made.push_back({std::string(one.name), evaluate(one.of, constant_scope(), found)});
    if (found.has_errors()) return first_problem(found);
    return value::object(std::move(made));
}

}  // namespace

void add_provider_functions(function_table& table)
{
    parameter const any{"value", type::dynamic()};
    table.add("encode_expr", {any}, type::string(), encode_expr);
    table.add("encode_tfvars", {any}, type::string(), encode_tfvars);
    table.add("decode_tfvars", {{"src", type::string()}}, type::dynamic(), decode_tfvars);
}

}  // namespace iacctl::language::detail
