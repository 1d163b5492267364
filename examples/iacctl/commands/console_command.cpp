// SPDX-License-Identifier: BSL-1.0
#include "app/known_schemas.hpp"
#include "commands.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "language/validation/validate.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "program/diagnostics.hpp"
#include "program/object_codec.hpp"
#include "providers/provider_set.hpp"
#include "support/input_file.hpp"
#include "ui/diagnostic_text.hpp"
#include "ui/state_text.hpp"

#include <unistd.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// A type over several lines, as the function `type` of the console shows it.
auto type_text(language::type const& of, std::size_t indent = 0) -> std::string
{
    std::string const margin(indent + 4, ' ');
    auto const closing = std::string(indent, ' ');
    auto const collection = [&](char const* name) {
        auto const& element = of.element();
        if (!element.is_structural()) return name + ("(" + type_text(element, indent)) + ")";
        return name + ("(\n" + margin) + type_text(element, indent + 4) + ",\n" + closing + ")";
    };
    switch (of.kind()) {
    case language::type_kind::list: return collection("list");
    case language::type_kind::set: return collection("set");
    case language::type_kind::map: return collection("map");
    case language::type_kind::tuple: {
        if (of.elements().empty()) return "tuple([])";
        std::string out = "tuple([\n";
        for (auto const& one : of.elements()) out += margin + type_text(one, indent + 4) + ",\n";
        return out + closing + "])";
    }
    case language::type_kind::object: {
        if (of.attributes().empty()) return "object({})";
        std::string out = "object({\n";
        for (auto const& one : of.attributes()) out += margin + one.name + ": " + type_text(one.of, indent + 4) + ",\n";
        return out + closing + "})";
    }
    default: return of.friendly_name();
    }
}

// Objects as state has them; what is not there yet is unknown.
class known_objects {
public:
    explicit known_objects(infra::snapshot const& state)
    {
        for (auto const& [address, record] : state.resources) {
            if (!address.module().empty() || !record.current) continue;
            auto decoded = program::decode_object(address, *record.current);
            if (!decoded) continue;
            auto const name =
                (address.mode() == infra::resource_mode::data ? "data." : "") + address.type() + "." + address.name();
            instances_[name].emplace_back(address.key(), std::move(*decoded));
        }
    }

    auto operator()(language::resource const& of) const -> language::value
    {
        auto const found = instances_.find(of.address());
        if (found == instances_.end()) return language::value::unknown();
        auto const& all = found->second;
        if (!of.count && !of.for_each) return all.front().second;
        std::vector<language::value> elements;
        std::vector<language::value_entry> entries;
        for (auto const& [key, one] : all) {
            if (auto const* name = key.name()) entries.push_back({*name, one});
            else elements.push_back(one);
        }
        return of.count ? language::value::tuple(std::move(elements)) : language::value::object(std::move(entries));
    }

private:
    std::map<std::string, std::vector<std::pair<infra::instance_key, language::value>>> instances_;
};

// Brackets that a line leaves open: the expression goes on in the next line.
auto open_brackets(std::string const& text) -> int
{
    int open = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            else if (c == '"') quoted = false;
        } else if (c == '"') quoted = true;
        else if (c == '(' || c == '[' || c == '{') ++open;
        else if (c == ')' || c == ']' || c == '}') --open;
    }
    return open;
}

constexpr auto help_text =
    "The console evaluates expressions of the configuration language, and shows what they give.\n\n"
    "  An expression can refer to what the configuration of this directory declares; attributes of\n"
    "  objects have the values that the state has, and are unknown where there is none.\n"
    "  An expression ends at the end of the line on which its brackets are closed.\n\n"
    "  type(EXPRESSION)  shows the type of a value\n"
    "  help              shows this text\n"
    "  exit              leaves the console, as do Control-C and Control-D";

class evaluator {
public:
    evaluator(session const& s, language::configuration const& of, language::module_scope const& in)
        : s_(s),
          of_(of),
          in_(in)
    {}

    auto run(std::string const& text) -> bool
    {
        language::diagnostics found;
        auto const parsed = language::parse_expression("<console-input>", text, found);
        std::string shown;
        if (!found.has_errors()) {
            auto const* const asked = type_call(parsed.root.node());
            auto const what = asked == nullptr ? parsed.root : parsed.root.with(asked);
            bool const of_type = asked != nullptr && type_call(*asked) != nullptr;
            if (!of_type) language::validate_references(of_, what, {}, schemas_, found);
            if (!of_type && !found.has_errors()) {
                auto const made = language::evaluate(what, in_, found);
                shown = asked == nullptr ? ui::value_text(made) : type_text(made.get_type());
            }
            if (of_type) shown = "type";
        }
        infra::diagnostics const problems = program::convert(found);
        s_.show(problems);  // a mistake at the prompt ends nothing
        if (found.has_errors()) return false;
        s_.out() << shown << std::endl;
        return true;
    }

private:
    // `type(x)` is no function: only here can it be told, and only of a whole expression, in parentheses or "${…}" too.
    static auto type_call(language::syntax::node const& of) -> language::syntax::node const*
    {
        using language::syntax::node_kind;
        switch (of.kind) {
        case node_kind::parentheses: return type_call(*language::syntax::as<language::syntax::parentheses>(of).inner);
        case node_kind::wrap: return type_call(*language::syntax::as<language::syntax::wrap>(of).inner);
        case node_kind::call: {
            auto const& call = language::syntax::as<language::syntax::call>(of);
            return call.name == "type" && call.arguments.size() == 1 ? call.arguments[0] : nullptr;
        }
        default: return nullptr;
        }
    }

    session const& s_;
    language::configuration const& of_;
    language::module_scope const& in_;
    app::known_schemas schemas_;
};

}  // namespace

auto console(session const& s) -> int
{
    language::diagnostics found;
    auto const configuration = s.workspace().check_configuration(found);
    // A mistake in a complete configuration leaves some values unknown; all others can be evaluated.
    bool const impaired = found.has_errors() && configuration.complete;
    language::diagnostics found_in_variables;
    auto const given = found.has_errors() && !impaired ? language::variable_values()
                                                       : s.workspace().variables_of(configuration, found_in_variables);
    bool const fatal = found_in_variables.has_errors() || (found.has_errors() && !impaired);
    found.add(found_in_variables);
    found.sort();
    infra::diagnostics problems = program::convert(found);
    if (impaired && !fatal) problems.push_back(make_warning(messages::console_values_unknown));
    if (int const told = s.tell(problems); told != 0 && !(impaired && !fatal)) return told;
    auto access = s.workspace().open(state::open_mode::read_only);
    if (!access) return s.tell(access.error());
    auto const state = access->read();
    if (!state) return s.tell(state.error());
    language::call_context context;
    context.applying = true;
    language::module_scope const in(configuration, &given.values, known_objects(state->now), context);
    evaluator run(s, configuration, in);
    bool const terminal = ::isatty(STDIN_FILENO) == 1;
    bool ok = true;
    std::string text;
    auto const prompt = [&] {
        if (terminal) s.out() << (text.empty() ? "> " : ": ") << std::flush;
    };
    for (prompt();; prompt()) {
        auto const line = read_line(std::cin);
        if (!line) return s.tell(make_error(messages::unreadable_input, {line.error().message()}));
        if (!*line) break;
        text += (text.empty() ? "" : "\n") + **line;
        if (text == "exit") return ok ? 0 : 1;
        if (text == "help") {
            s.out() << help_text << std::endl;
            text.clear();
            continue;
        }
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) text.clear();
        if (text.empty() || open_brackets(text) > 0) continue;
        ok = run.run(std::exchange(text, {})) && ok;
        // From a pipe nobody looks: stop at the first mistake.
        if (!ok && !terminal) return 1;
    }
    if (!text.empty()) ok = run.run(text) && ok;
    return ok || terminal ? 0 : 1;
}

}  // namespace iacctl::commands
