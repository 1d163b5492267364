// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_LANGUAGE_SUPPORT_HPP
#define IACCTL_TESTS_LANGUAGE_SUPPORT_HPP

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "language/validation/schema.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language::testing {

inline constexpr messages::message<1> unknown_name{"unknown_name", "Unknown name", "{0}"};

/// A scope that finds objects by their address.
class table_scope final : public scope {
public:
    table_scope() = default;
    explicit table_scope(std::map<std::string, value> values) : values_(std::move(values)) {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        auto const known = values_.find(r.address());
        if (known != values_.end()) return known->second;
        found.add(error(unknown_name, {r.address()}, r.range));
        return value::unknown();
    }

private:
    std::map<std::string, value> values_;
};

/// The canonical JSON of the value of an expression, or the code of its first error.
[[nodiscard]] inline auto evaluated(std::string const& text, scope const& in = table_scope()) -> std::string
{
    diagnostics found;
    auto const parsed = parse_expression("test", text, found);
    auto const made = found.has_errors() ? value::unknown() : evaluate(parsed.root, in, found);
    if (found.has_errors()) return std::string(found[0].code);
    if (!made.wholly_known()) return "unknown " + type_to_json(made.get_type());
    return to_json(made);
}

/// "summary at line" of each diagnostic, in order.
[[nodiscard]] inline auto summaries(diagnostics const& found) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& one : found)
        all.push_back(one.summary + (one.source ? " at " + std::to_string(one.source.line) : ""));
    return all;
}

/// One resource type and one provisioner.
class toy_schemas final : public schema_source {
public:
    [[nodiscard]] auto resource(std::string_view, std::string_view type) const -> schema const* override
    {
        return type == "toy" ? &toy_ : nullptr;
    }
    [[nodiscard]] auto data_source(std::string_view, std::string_view) const -> schema const* override
    {
        return nullptr;
    }
    [[nodiscard]] auto provisioner(std::string_view type) const -> schema const* override
    {
        return type == "run" ? &run_ : nullptr;
    }
    [[nodiscard]] auto connection() const -> schema const* override { return nullptr; }

private:
    schema toy_{{{"id", type::string(), false, false, true}, {"size", type::number(), false, true},
        {"text", type::string(), false, true}}};
    schema run_{{{"command", type::string(), true}}};
};

}  // namespace iacctl::language::testing

#endif  // IACCTL_TESTS_LANGUAGE_SUPPORT_HPP
