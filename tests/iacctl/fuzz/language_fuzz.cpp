// SPDX-License-Identifier: BSL-1.0
// One fuzzer for four readers of text; the first byte of the input chooses: native syntax, JSON syntax, expressions, fmt.
#include <language/configuration.hpp>
#include <language/evaluate.hpp>
#include <language/format.hpp>
#include <language/functions.hpp>
#include <language/json_syntax.hpp>
#include <language/parser.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace iacctl::language;

class fixed_scope final : public scope {
public:
    [[nodiscard]] value const* variable(std::string_view name) const override { return values_.find(name); }
    [[nodiscard]] value resolve(reference const&, diagnostics&) const override { return value::unknown(); }

private:
    value values_ = value::object({{"n", value(number(7))}, {"s", value("text")},
        {"t", value::tuple({value(number(1)), value("two"), value(false)})}, {"u", value::unknown()},
        {"m", value::map(type::number(), {{"one", value(number(1))}})}});
};

/// What reads files or takes long on purpose stays out.
[[nodiscard]] bool is_harmless(std::string const& text)
{
    for (auto const* const word :
        {"file", "bcrypt", "range", "setproduct", "pow", "indent", "format", "template", "abspath"})
        if (text.find(word) != std::string::npos) return false;
    return true;
}

void demand(bool holds, char const* what)
{
    if (holds) return;
    std::cerr << what << '\n';
    std::abort();
}

void run(std::uint8_t choice, std::string const& text)
{
    diagnostics found;
    switch (choice % 4) {
    case 0: {
        auto const made = load_configuration({{"main.tf", text}}, found);
        for (auto const& one : found) demand(!render(one).empty(), "a diagnostic says nothing");
        break;
    }
    case 1: static_cast<void>(load_configuration({{"main.tf.json", text}}, found)); break;
    case 2: {
        if (!is_harmless(text)) return;
        auto const parsed = parse_expression("x", text, found);
        if (found.has_errors()) return;
        auto const made = evaluate(parsed.root, fixed_scope(), found);
        if (!found.has_errors() && made.wholly_known()) static_cast<void>(to_json(made));
        break;
    }
    default: {
        auto const once = format("x", text, format_rules::conventions, found);
        if (found.has_errors()) return;
        auto const twice = format("x", once, format_rules::conventions, found);
        demand(!found.has_errors(), "what is formatted does not parse");
        demand(once == twice, "formatting twice changes something");
    }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    if (size > 0 && size < 20'000) run(data[0], std::string(reinterpret_cast<char const*>(data + 1), size - 1));
    return 0;
}
