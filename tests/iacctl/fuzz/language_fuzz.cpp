// SPDX-License-Identifier: BSL-1.0
// One fuzzer for five readers. FUZZ_KIND in the environment chooses: native, json, expression, format, message_pack. The input of
// the last is a type in JSON, a line end, and a value.
#include "../language/tree_text.hpp"

#include "language/configuration/configuration.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/syntax/format.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "providers/plugin/wire_value.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace iacctl::language;

class fixed_scope final : public scope {
public:
    [[nodiscard]] auto variable(std::string_view name) const -> value const* override { return values_.find(name); }
    [[nodiscard]] auto resolve(reference const&, diagnostics&) const -> value override { return value::unknown(); }

private:
    value values_ = value::object({{"n", value(number(7))}, {"s", value("text")},
        {"t", value::tuple({value(number(1)), value("two"), value(false)})}, {"u", value::unknown()},
        {"m", value::map(type::number(), {{"one", value(number(1))}})}});
};

/// True if a text calls no function that reads files or is slow by design.
[[nodiscard]] auto is_harmless(std::string const& text) -> bool
{
    for (auto const* const word :
        {"file", "bcrypt", "range", "setproduct", "pow", "indent", "format", "template", "abspath"})
        if (text.find(word) != std::string::npos) return false;
    return true;
}

void demand(bool holds, char const* c)
{
    if (holds) return;
    std::cerr << c << '\n';
    std::abort();
}

enum class kind : std::uint8_t { native, json, expression, format, message_pack };

auto chosen() -> kind
{
    char const* const given = std::getenv("FUZZ_KIND");
    std::string const name = given == nullptr ? "native" : given;
    if (name == "json") return kind::json;
    if (name == "expression") return kind::expression;
    if (name == "format") return kind::format;
    if (name == "message_pack") return kind::message_pack;
    demand(name == "native", "FUZZ_KIND is native, json, expression, format or message_pack");
    return kind::native;
}

[[nodiscard]] auto tree_of(std::string const& text, diagnostics& found) -> std::string
{
    using iacctl::language::testing::tree_writer;
    auto const tree = parse_file("x", text, found);
    return tree_writer(tree_writer::form::brackets).written(tree->root());
}

void load(std::string const& name, std::string const& text)
{
    diagnostics found;
    std::map<std::string, std::string> const files{{name, text}};
    auto const made = load_configuration(files, found);
    for (auto const& one : found) demand(!render(one).empty(), "a diagnostic has no text");
}

void run(kind k, std::string const& text)
{
    diagnostics found;
    switch (k) {
    case kind::native: return load("main.tf", text);
    case kind::json: return load("main.tf.json", text);
    case kind::expression: {
        if (!is_harmless(text)) return;
        auto const parsed = parse_expression("x", text, found);
        if (found.has_errors()) return;
        auto const made = evaluate(parsed.root, fixed_scope(), found);
        if (!found.has_errors() && made.wholly_known()) static_cast<void>(to_json(made));
        return;
    }
    case kind::format: {
        auto const spaced = format("x", text, format_rules::spaces, found).text;
        if (found.has_errors()) return;
        demand(tree_of(text, found) == tree_of(spaced, found), "the formatted text has another tree");
        demand(!found.has_errors(), "the formatted text does not parse");
        auto const once = format("x", text, format_rules::conventions, found).text;
        if (found.has_errors()) return;
        auto const twice = format("x", once, format_rules::conventions, found).text;
        demand(!found.has_errors(), "the formatted text does not parse");
        demand(once == twice, "formatting twice changes something");
        return;
    }
    case kind::message_pack: {
        auto const line = std::min(text.find('\n'), text.size());
        auto const declared = type_from_json(std::string_view(text).substr(0, line));
        if (!declared || line == text.size()) return;
        type const of = declared->without_optional();
        auto const read = iacctl::plugin::from_message_pack(std::string_view(text).substr(line + 1), of);
        if (!read) return demand(!read.error().text().empty(), "an error has no text");
        auto const again = iacctl::plugin::from_message_pack(iacctl::plugin::to_message_pack(*read, of), of);
        demand(again && *again == *read, "a written value is read as another value");
        return;
    }
    }
}

}  // namespace

extern "C" auto LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) -> int
{
    static kind const what = chosen();
    if (size < 20'000) run(what, std::string(reinterpret_cast<char const*>(data), size));
    return 0;
}
