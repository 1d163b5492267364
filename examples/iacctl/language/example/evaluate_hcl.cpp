// SPDX-License-Identifier: BSL-1.0
// Evaluates a file of HCL and prints the result as JSON. Arguments become values that later arguments may refer to by
// name; blocks become objects. Uses only the language library: parses, inspects the tree, analyses references,
// evaluates.
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace iacctl::language;

constexpr iacctl::messages::message<1> unknown_name{
    "unknown_name", "Unknown name", "No argument above has the name \"{0}\"."};

/// A scope in which names are the values of arguments that were read before.
class names final : public scope {
public:
    [[nodiscard]] auto variable(std::string_view name) const -> value const* override
    {
        for (auto const& one : values_)
            if (one.key == name) return &one.of;
        return nullptr;
    }
    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        found.add(error(unknown_name, {r.address()}, r.range));
        return value::unknown();
    }
    void set(std::string_view name, value v) { values_.push_back({std::string(name), std::move(v)}); }

private:
    std::vector<value_entry> values_;
};

auto evaluate_body(body const& b, names& in, diagnostics& found) -> value
{
    std::vector<value_entry> made;
    for (auto const& one : b.attributes) {
        made.push_back({std::string(one.name), evaluate(one.of, in, found)});
        in.set(one.name, made.back().of);
    }
    for (auto const& one : b.blocks) {
        auto key = std::string(one.type);
        for (auto const& label : one.labels) key += "." + label.text;
        names inner = in;
        made.push_back({std::move(key), evaluate_body(one.content, inner, found)});
    }
    return value::object(std::move(made));
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::cerr << "usage: evaluate_hcl FILE\n";
        return EXIT_FAILURE;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    diagnostics found;
    std::string const path(arguments[1]);
    auto const tree = parse_file(path.substr(path.rfind('/') + 1), std::move(text), found);
    names known;
    auto const made = found.has_errors() ? value() : evaluate_body(tree->root(), known, found);
    for (auto const& one : found) std::cout << render(one);
    if (!found.has_errors()) std::cout << to_json(made) << '\n';
}
