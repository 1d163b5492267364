// SPDX-License-Identifier: BSL-1.0
#include "static_scope.hpp"

#include "base/suggestion.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"
#include "module_scope.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace iacctl::language {

namespace {

template <class Map>
[[nodiscard]] auto undeclared(reference const& r, Map const& declared, configuration const& in) -> diagnostic
{
    std::vector<std::string_view> names;
    for (auto const& [name, one] : declared) names.push_back(name);
    return error(
        messages::static_name_undeclared, {r.address(), in.display_name(), did_you_mean(r.name, names)}, r.range);
}

}  // namespace

auto static_scope::resolve(reference const& r, diagnostics& found) const -> value
{
    switch (r.kind) {
    case reference_kind::variable: return variable_value(r, found);
    case reference_kind::local: return local(r, found);
    case reference_kind::path: {
        std::error_code problem;
        if (r.name == "cwd") return value(std::filesystem::current_path(problem).generic_string());
        return value(r.name == "module" ? of_.directory.generic_string() : ".");
    }
    case reference_kind::terraform:
        if (r.name == "workspace") return value(workspace_);
        break;
    default: break;
    }
    found.add(error(messages::static_reference, {r.address(), subject_}, r.subject));
    return value::unknown();
}

auto static_scope::variable_value(reference const& r, diagnostics& found) const -> value
{
    auto const declared = of_.variables.find(r.name);
    if (declared == of_.variables.end()) {
        found.add(undeclared(r, of_.variables, of_));
        return value::unknown();
    }
    auto const& variable = declared->second;
    bool const needs_const =
        of_.dialect.by != dialect_choice::reason::none && of_.dialect.follows == origin_program::terraform;
    if (variable.constant == false || (needs_const && !variable.constant)) {
        found.add(error(messages::static_variable_not_const, {r.address(), subject_}, r.range));
        return value::unknown();
    }
    if (call_ != nullptr) return argument_value(*call_, variable, *caller_, found);
    auto const& all = variables_();
    auto const known = all.find(r.name);
    if (known != all.end() && known->second.is_known()) return known->second;
    if (known == all.end() && variable.default_value) return *variable.default_value;
    found.add(error(messages::static_value_unknown, {r.address(), subject_}, r.range));
    return value::unknown();
}

auto static_scope::local(reference const& r, diagnostics& found) const -> value
{
    auto const declared = of_.locals.find(r.name);
    if (declared == of_.locals.end()) {
        found.add(undeclared(r, of_.locals, of_));
        return value::unknown();
    }
    if (!under_way_.insert(declared->first).second) {
        found.add(error(messages::static_cycle, {declared->first}, r.range));
        return value::unknown();
    }
    auto made = evaluate(declared->second.of, *this, found);
    under_way_.erase(declared->first);
    return made;
}

auto static_string(expression const& e, std::string_view argument, static_scope const& in, diagnostics& found)
    -> std::optional<std::string>
{
    auto const before = found.error_count();
    auto const given = evaluate(e, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const text = convert(given.unmarked_deep(), type::string());
    if (given.deep_marks() != mark::none) found.add(error(messages::static_value_secret, {argument}, e.range()));
    else if (!text || text->is_unknown()) found.add(error(messages::static_value_not_text, {argument}, e.range()));
    else if (!text->is_null()) return text->as_string();
    return std::nullopt;
}

}  // namespace iacctl::language
