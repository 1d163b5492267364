// SPDX-License-Identifier: BSL-1.0
#include "base/environment.hpp"
#include "base/trimmed.hpp"
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/syntax/parser.hpp"
#include "language/syntax/scanner.hpp"
#include "language/validation/validate.hpp"
#include "line_editor.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "read_answer.hpp"
#include "session.hpp"
#include "views/diagnostic_text.hpp"
#include "views/state_text.hpp"
#include "workspace/known_schemas.hpp"
#include "workspace/program/object_codec.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// The results of `type` have this single attribute, whose name is unique.
constexpr auto name_of_type = "shown by the function \"type\"";

auto type_value() -> language::type const&
{
    static auto const made = language::type::object({{name_of_type, language::type::string(), false}});
    return made;
}

// A type on several lines, as shown by the function `type` of the console.
auto type_text(language::type const& t, std::size_t indent = 0) -> std::string
{
    if (t == type_value()) return "type";
    std::string const margin(indent + 4, ' ');
    auto const closing = std::string(indent, ' ');
    auto const collection = [&](char const* name) {
        auto const& element = t.element();
        if (!element.is_structural()) return name + ("(" + type_text(element, indent)) + ")";
        return name + ("(\n" + margin) + type_text(element, indent + 4) + ",\n" + closing + ")";
    };
    switch (t.kind()) {
    case language::type_kind::list: return collection("list");
    case language::type_kind::set: return collection("set");
    case language::type_kind::map: return collection("map");
    case language::type_kind::tuple: {
        if (t.elements().empty()) return "tuple([])";
        std::string out = "tuple([\n";
        for (auto const& one : t.elements()) out += margin + type_text(one, indent + 4) + ",\n";
        return out + closing + "])";
    }
    case language::type_kind::object: {
        if (t.attributes().empty()) return "object({})";
        std::string out = "object({\n";
        for (auto const& one : t.attributes()) out += margin + one.name + ": " + type_text(one.of, indent + 4) + ",\n";
        return out + closing + "})";
    }
    default: return t.friendly_name();
    }
}

// Adds `type` to the functions of a module. The result has a special type, which only the console can show.
class console_scope final : public language::inner_scope {
public:
    explicit console_scope(language::scope const& outer) : inner_scope(outer) {}

    [[nodiscard]] auto find_function(std::string_view name) const -> language::function const* override
    {
        return name == type_.name ? &type_ : inner_scope::find_function(name);
    }

private:
    language::function type_{"type", {{"value", language::type::dynamic(), true, true, true}}, std::nullopt,
        [](language::arguments) { return language::call_result<language::type>(type_value()); },
        [](language::arguments given, language::call_context const&) {
            return language::call_result<language::value>(
                language::value::object({{name_of_type, language::value(type_text(given[0].get_type()))}}));
        }};
};

// Returns whether a result of `type` is a part of the type.
auto contains_type(language::type const& t) -> bool
{
    if (t == type_value()) return true;
    switch (t.kind()) {
    case language::type_kind::list:
    case language::type_kind::set:
    case language::type_kind::map: return contains_type(t.element());
    case language::type_kind::tuple: return std::ranges::any_of(t.elements(), contains_type);
    case language::type_kind::object:
        return std::ranges::any_of(t.attributes(), contains_type, &language::type_attribute::of);
    default: return false;
    }
}

// The objects in state; objects that do not exist yet are unknown.
class known_objects {
public:
    /// \param planned  its changes replace the objects in state; null: there is no plan
    known_objects(infra::snapshot const& state, providers::catalog const& known, workspace::plan const* planned)
    {
        std::map<infra::address, language::value> all;
        for (auto const& [address, record] : state.resources) {
            if (!record.current) continue;
            if (auto decoded = program::decode_object(known, address, *record.current))
                all.emplace(address, std::move(*decoded));
        }
        if (planned != nullptr)
            for (auto const& c : planned->changes) {
                if (c.of_deposed) continue;
                if (c.previous) all.erase(*c.previous);
                all.erase(c.target);
                if (c.after && c.what != infra::action::destroy) all.emplace(c.target, *c.after);
            }
        for (auto& [address, of] : all)
            instances_[to_string(address.resource())].emplace_back(address.key(), std::move(of));
    }

    auto operator()(std::string_view module, language::resource const& r) const -> language::value
    {
        std::string address(module);
        if (!address.empty()) address += '.';
        auto const found = instances_.find(address + r.address());
        if (found == instances_.end()) return language::value::unknown();
        auto const& all = found->second;
        if (!r.count && !r.for_each) return all.front().second;
        std::vector<language::value> elements;
        std::vector<language::value_entry> entries;
        for (auto const& [key, one] : all) {
            if (auto const* name = key.name()) entries.push_back({*name, one});
            else elements.push_back(one);
        }
        return r.count ? language::value::tuple(std::move(elements)) : language::value::object(std::move(entries));
    }

private:
    std::map<std::string, std::vector<std::pair<infra::instance_key, language::value>>> instances_;
};

// An instance of a module, in which expressions are evaluated: at first the root module.
class evaluated_module {
public:
    evaluated_module(language::configuration const& root, std::map<std::string, language::value, std::less<>> variables,
        known_objects objects, language::call_context context)
        : objects_(std::move(objects)),
          context_(std::move(context))
    {
        enter(root, std::move(variables));
    }

    /// Continues with an instance of a module that this one calls. \return false: there is no such instance
    auto enter(infra::module_step const& step) -> bool
    {
        auto const call = of_->modules.find(step.name);
        if (call == of_->modules.end()) return false;
        language::value key;
        if (auto const* const index = step.key.index()) key = language::value(language::number(*index));
        if (auto const* const name = step.key.name()) key = language::value(*name);
        auto inside = scope_->variables_of(call->second, key);
        if (!inside) return false;
        path_ += (path_.empty() ? "module." : ".module.") + step.name + to_string(step.key);
        enter(*call->second.child, std::move(*inside));
        return true;
    }

    [[nodiscard]] auto of() const noexcept -> language::configuration const& { return *of_; }
    [[nodiscard]] auto scope() const noexcept -> language::module_scope const& { return *scope_; }

private:
    void enter(language::configuration const& module, std::map<std::string, language::value, std::less<>> variables)
    {
        of_ = &module;
        variables_ = std::make_unique<std::map<std::string, language::value, std::less<>>>(std::move(variables));
        scope_ = std::make_unique<language::module_scope>(*of_, variables_.get(), objects_, context_, path_);
    }

    known_objects objects_;
    language::call_context context_;
    std::string path_;
    language::configuration const* of_ = nullptr;
    std::unique_ptr<std::map<std::string, language::value, std::less<>>> variables_;
    std::unique_ptr<language::module_scope> scope_;
};

// The number of unclosed brackets of a line; if it is positive, the expression continues on the next line.
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

constexpr auto console_help =
    "The console evaluates expressions of the configuration language, and shows their values.\n\n  An expression can "
    "refer to everything that the configuration of this directory declares.\n  Attributes of objects have the values "
    "in state; an attribute without such a value is unknown.\n  An expression ends at the end of the line on which its "
    "last bracket is closed.\n\n  type(EXPRESSION)  shows the type of a value\n  help              shows this text\n  "
    "exit              leaves the console, as do Control-D and, in an empty line, Control-C\n\n  Arrows move the "
    "cursor and show earlier lines. The tab key completes names of functions,\n  declarations and attributes.";

class evaluator {
public:
    evaluator(session const& s, language::configuration const& c, language::module_scope const& in)
        : s_(s),
          of_(c),
          in_(in),
          schemas_(s.providers())
    {}

    auto run(std::string const& text) -> bool
    {
        infra::diagnostics found;
        auto const parsed = language::parse_expression("<console-input>", text, found);
        std::string shown;
        if (!found.has_errors()) {
            language::validate_references(of_, parsed.root, {}, schemas_, found);
            if (!found.has_errors()) shown = shown_value(language::evaluate(parsed.root, in_, found), found);
        }
        infra::diagnostics const problems = found;
        s_.show(problems);  // a mistake at the prompt does not end the console
        if (found.has_errors()) return false;
        s_.out() << shown << std::endl;
        return true;
    }

    // The names that begin with a word: those of functions and of declarations of the module or, after a dot,
    // those of attributes of the value before the last dot.
    [[nodiscard]] auto completions(std::string_view word) const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        auto const add = [&](std::string name) {
            if (name.starts_with(word)) all.push_back(std::move(name));
        };
        for (std::string_view const name : language::function_names()) add(std::string(name) + '(');
        for (auto const* const name : {"type(", "path.cwd", "path.module", "path.root", "terraform.workspace"})
            add(name);
        for (auto const& [name, one] : of_.variables) add("var." + name);
        for (auto const& [name, one] : of_.locals) add("local." + name);
        for (auto const& [name, one] : of_.modules) add("module." + name);
        for (auto const& [address, one] : of_.resources) add(address);
        if (auto const dot = word.rfind('.'); all.empty() && dot != std::string_view::npos && dot > 0)
            for (std::string_view const name : attribute_names(std::string(word.substr(0, dot))))
                add(std::string(word.substr(0, dot + 1)) + std::string(name));
        std::ranges::sort(all);
        return all;
    }

private:
    [[nodiscard]] auto attribute_names(std::string const& object) const -> std::vector<std::string>
    {
        infra::diagnostics ignored;
        auto const parsed = language::parse_expression("<console-input>", object, ignored);
        if (!ignored.has_errors()) language::validate_references(of_, parsed.root, {}, schemas_, ignored);
        if (ignored.has_errors()) return {};
        auto const of = language::evaluate(parsed.root, in_, ignored);
        std::vector<std::string> names;
        if (ignored.has_errors() || of.is_sensitive() || !of.has_data()) return names;
        for (auto const& [key, one] : of.entries())
            if (language::is_identifier(key)) names.push_back(key);
        return names;
    }

    static auto shown_value(language::value const& made, infra::diagnostics& found) -> std::string
    {
        auto const of = made.get_type();
        if (of == type_value() && made.has_data()) return made.find(name_of_type)->as_string();
        if (of == type_value() || !contains_type(of)) return views::value_text(made);
        found.add(language::error(messages::misplaced_type_function));
        return {};
    }

    session const& s_;
    language::configuration const& of_;
    console_scope in_;
    workspace::known_schemas schemas_;
};

// The kinds of input, which consists of a line and the earlier lines of the same expression.
enum class line_kind : std::uint8_t { open, expression, help, exit };

auto kind_of(std::string const& text) -> line_kind
{
    if (text == "exit") return line_kind::exit;
    if (text == "help") return line_kind::help;
    bool const blank = trimmed(text).empty();
    return blank || open_brackets(text) > 0 ? line_kind::open : line_kind::expression;
}

// Evaluates the lines of standard input, which is not a terminal: the first mistake ends the console.
auto evaluate_input(session const& s, evaluator& run) -> int
{
    std::string text;
    for (;;) {
        auto const line = read_line_of_input(s.workspace().options().interrupts);
        if (!line) return s.report(make_error(messages::unreadable_input, {line.error().message()}));
        if (!*line) return text.empty() || run.run(text) ? 0 : 1;
        text += (text.empty() ? "" : "\n") + **line;
        switch (kind_of(text)) {
        case line_kind::exit: return 0;
        case line_kind::help:
            s.out() << console_help << std::endl;
            text.clear();
            break;
        case line_kind::open:
            if (trimmed(text).empty()) text.clear();
            break;
        case line_kind::expression:
            if (!run.run(std::exchange(text, {}))) return 1;
        }
    }
}

// The file with the lines of earlier sessions; empty if there is no directory for it.
auto history_file() -> std::string
{
    if (auto const state = environment_variable("XDG_STATE_HOME"); !state.empty())
        return state + "/iacctl/console_history";
    auto const home = environment_variable("HOME");
    return home.empty() ? home : home + "/.local/state/iacctl/console_history";
}

// Reads a line from a terminal that does not support line editing.
auto read_plainly(session const& s, std::string_view prompt) -> line_editor::result
{
    s.out() << prompt << std::flush;
    auto line = read_line_of_input(s.workspace().options().interrupts);
    if (line && *line) return {line_editor::outcome::line, std::move(**line)};
    return {};
}

// Evaluates lines that are typed at a terminal.
auto run_repl(session const& s, evaluator& run) -> int
{
    line_editor editor(s.out(), history_file(), [&](std::string_view word) { return run.completions(word); });
    std::string text;
    for (;;) {
        std::string_view const prompt = text.empty() ? "> " : ": ";
        auto const [how, line] =
            s.text().live ? editor.read(prompt, s.workspace().options().interrupts) : read_plainly(s, prompt);
        bool const nothing = text.empty() && line.empty();
        if (how == line_editor::outcome::end || (how == line_editor::outcome::cancelled && nothing)) return 0;
        if (how == line_editor::outcome::cancelled) {
            text.clear();
            continue;
        }
        text += (text.empty() ? "" : "\n") + line;
        switch (kind_of(text)) {
        case line_kind::exit: return 0;
        case line_kind::help: s.out() << console_help << std::endl; break;
        case line_kind::open:
            if (!trimmed(text).empty()) continue;
            break;
        case line_kind::expression: (void)run.run(text);
        }
        text.clear();
    }
}

// The objects to which expressions refer.
struct console_start {
    infra::snapshot state;
    std::optional<workspace::plan> planned;
};

auto present_start(session const& s) -> expected<console_start>
{
    auto access = s.workspace().open(state::open_mode::read_only);
    if (!access) return access.error();
    auto state = access->read();
    if (!state) return state.error();
    return console_start{std::move(state->now), std::nullopt};
}

// \param reported  diagnostics of the configuration, which the plan finds again
auto planned_start(session const& s, infra::diagnostics const& reported) -> expected<console_start>
{
    workspace::plan_parameters parameters;
    parameters.mode = state::open_mode::read_only;
    auto planned = s.workspace().plan(std::move(parameters), {});
    if (!planned.ok()) return infra::failure(std::move(planned.problems));
    infra::diagnostics others;
    for (infra::diagnostic const& one : planned.made->warnings)
        if (std::ranges::find(reported, one) == reported.end()) others.add(one);
    (void)s.report(others);
    return console_start{std::move(planned.made->plan.prior), std::move(planned.made->plan.what)};
}

struct console_options : options_with<variable_options, reading_lock_options, read_file_options, message_options> {
    bool with_plan = false;
    std::optional<std::string> scope;

    void declare(option_list& to)
    {
        to.on("plan", "Make a plan, and evaluate expressions with its planned values.", with_plan);
        to.with_value("scope", "MODULE",
            "Evaluate expressions in this instance of a module, instead of the root module.", scope,
            completion::module);
        options_with::declare(to);
    }
};

auto console(console_options const& options, session const& s) -> int
{
    infra::diagnostics found;
    auto const configuration = s.workspace().check_configuration(found);
    // If a complete configuration has a mistake, some values are unknown; all others can be evaluated.
    bool const impaired = found.has_errors() && configuration.complete;
    infra::diagnostics found_in_variables;
    auto const given = found.has_errors() && !impaired ? language::variable_values()
                                                       : s.workspace().variables_of(configuration, found_in_variables);
    bool const fatal = found_in_variables.has_errors() || (found.has_errors() && !impaired);
    found.add(found_in_variables);
    language::sort_by_place(found);
    infra::diagnostics problems = found;
    if (impaired && !fatal) problems.add(make_warning(messages::console_values_unknown));
    if (int const reported = s.report(problems); reported != 0 && !(impaired && !fatal)) return reported;
    auto const start = options.with_plan ? planned_start(s, problems) : present_start(s);
    if (!start) return s.report(start.error());
    language::call_context context;
    context.applying = true;
    context.provided = &s.providers();
    evaluated_module in(configuration, given.values,
        known_objects(start->state, s.providers(), start->planned ? &*start->planned : nullptr), context);
    if (auto const& scope = options.scope) {
        auto const module = read_target(*scope);
        if (!module || !module->type().empty()) return s.report(make_error(messages::scope_not_module, {*scope}));
        for (infra::module_step const& step : module->module())
            if (!in.enter(step)) return s.report(make_error(messages::scope_without_instance, {*scope}));
    }
    evaluator run(s, in.of(), in.scope());
    return ::isatty(STDIN_FILENO) == 1 ? run_repl(s, run) : evaluate_input(s, run);
}

}  // namespace

constinit command const console_command{"console",
    {.configuration = configuration_use::values,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::dialogue},
    begin<console>, "Evaluate expressions",
    "Reads expressions from standard input, one per line, and prints their values. Expressions may refer to the state "
    "of the workspace."};

}  // namespace iacctl::commands
