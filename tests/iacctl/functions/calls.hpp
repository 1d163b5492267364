// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_FUNCTIONS_CALLS_HPP
#define IACCTL_FUNCTIONS_CALLS_HPP

#include "examples.hpp"

#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/syntax/parser.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::functions::test {

using namespace language;

/// A scope without names, in which functions have a fixed time.
class bare_scope final : public scope {
public:
    bare_scope()
    {
        context_.applying = true;
        context_.plan_time = "2024-02-29T12:00:00Z";
    }
    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        found.add(error(messages::reference_in_constant, r.range));
        return value::unknown();
    }
    [[nodiscard]] auto context() const noexcept -> call_context const& override { return context_; }

private:
    call_context context_;
};

struct call_example {
    std::string text;
    function const* called;
    std::vector<value> given;
};

/// The examples that are a successful call of a function with values.
inline auto calls() -> std::vector<call_example>
{
    std::vector<call_example> all;
    for (auto const& one : function_examples) {
        if (std::string_view(one.shown).starts_with("Error: ")) continue;
        diagnostics found;
        auto const parsed = parse_expression("<test>", one.text, found);
        if (parsed.root.node().kind != syntax::node_kind::call) continue;
        auto const& call = syntax::as<syntax::call>(parsed.root.node());
        auto const* const called = find_function(call.name);
        if (!called || call.name == "templatestring" || called->name == "convert" || call.name == "templatefile")
            continue;
        call_example made{one.text, called, {}};
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            auto const argument = evaluate(parsed.root.with(call.arguments[i]), bare_scope(), found);
            made.given.push_back(*convert(argument, called->parameter_at(i)->of));
        }
        all.push_back(std::move(made));
    }
    return all;
}

inline call_context const now{true, "2024-02-29T12:00:00Z", false};

}  // namespace iacctl::functions::test

#endif  // IACCTL_FUNCTIONS_CALLS_HPP
