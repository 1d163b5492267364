// SPDX-License-Identifier: BSL-1.0
// Reads one request per line and writes one answer per line. A request is P (parse), J (parse JSON), F (format) or E
// (evaluate), followed by the text in base64.
#include "base/encoding.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/format.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"

#include <iostream>
#include <string>
#include <string_view>

namespace {

using namespace iacctl::language;

constexpr iacctl::messages::message<0> unknown_variable{"unknown_variable", "Unknown variable", ""};

class fixed_scope final : public scope {
public:
    fixed_scope()
        : values_(value::object({{"n", value(number(7))}, {"s", value("text")}, {"b", value(true)},
              {"t", value::tuple({value(number(1)), value("two"), value(false)})},
              {"l", value::list(type::string(), {value("x"), value("y")})},
              {"o", value::object({{"a", value(number(1))}, {"k", value("v")}})},
              {"m", value::map(type::number(), {{"one", value(number(1))}, {"two", value(number(2))}})}}))
    {}
    [[nodiscard]] auto variable(std::string_view name) const -> value const* override { return values_.find(name); }
    [[nodiscard]] auto resolve(reference const&, diagnostics& found) const -> value override
    {
        found.add(error(unknown_variable));
        return value::unknown();
    }

private:
    value values_;
};

auto answer(char kind, std::string const& text) -> std::string
{
    diagnostics found;
    switch (kind) {
    case 'P': static_cast<void>(parse_file("x", text, found)); return found.has_errors() ? "reject" : "accept";
    case 'J': static_cast<void>(parse_json_file("x", text, {}, found)); return found.has_errors() ? "reject" : "accept";
    case 'F': return iacctl::base64(format("x", text, format_rules::spaces, found).text);
    case 'E': {
        auto const parsed = parse_expression("x", text, found);
        if (found.has_errors()) return "reject";
        auto const made = evaluate(parsed.root, fixed_scope(), found);
        if (found.has_errors() || !made.wholly_known()) return "error";
        return type_to_json(made.get_type()) + " " + to_json(made);
    }
    default: return "?";
    }
}

}  // namespace

int main()
{
    for (std::string line; std::getline(std::cin, line);)
        std::cout << answer(line.empty() ? '?' : line[0], iacctl::from_base64(line.substr(1)).value_or("")) << '\n';
}
