// SPDX-License-Identifier: BSL-1.0
#include "variables.hpp"

#include "base/shell_words.hpp"
#include "base/suggestion.hpp"
#include "base/trimmed.hpp"
#include "base/unicode.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace iacctl::language {

namespace {

enum class source_kind { environment, automatic_file, option };

/// A value and its source.
struct given_value {
    value of;
    std::string origin;  // for messages; empty: a file
    source_range place;  // in the file, otherwise of the declaration of the variable
    source_kind source = source_kind::option;
};

/// An example of a value in the syntax of the language: `["a","b"]`.
[[nodiscard]] auto example_of(type const& t) -> std::string
{
    auto const listed = [](auto const& parts) {
        std::string text;
        for (std::string const& part : parts) text += (text.empty() ? "" : ",") + part;
        return text;
    };
    std::vector<std::string> parts;
    switch (t.kind()) {
    case type_kind::dynamic:
    case type_kind::string: return "\"a\"";
    case type_kind::number: return "1";
    case type_kind::boolean: return "true";
    case type_kind::list:
    case type_kind::set:
        if (t.element().is(type_kind::string)) return R"(["a","b"])";
        return "[" + example_of(t.element()) + "]";
    case type_kind::map: return "{key=" + example_of(t.element()) + "}";
    case type_kind::tuple:
        for (type const& element : t.elements()) parts.push_back(example_of(element));
        return "[" + listed(parts) + "]";
    case type_kind::object:
        for (auto const& attribute : t.attributes())
            if (!attribute.optional) parts.push_back(attribute.name + "=" + example_of(attribute.of));
        return "{" + listed(parts) + "}";
    }
    return {};
}

/// The value that a text such as `a,b` is meant to be, in the syntax of the language; otherwise an example.
[[nodiscard]] auto corrected(type const& t, std::string_view text) -> std::string
{
    bool const is_list = t.is(type_kind::list) || t.is(type_kind::set);
    bool const is_simple = !text.empty() && text.find_first_of("[]{}()\"\\\n") == std::string_view::npos;
    if (!is_list || !is_simple || !t.element().is(type_kind::string)) return example_of(t);
    std::string made;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find(',', at), text.size());
        made +=
            (made.empty() ? "" : ",") + to_json(value(std::string(trimmed(text.substr(at, end - at), white_space))));
        at = end + 1;
    }
    return "[" + made + "]";
}

class collector {
public:
    collector(configuration const& c, variable_inputs const& inputs, diagnostics& found)
        : of_(c),
          inputs_(inputs),
          found_(found)
    {}

    [[nodiscard]] auto run() -> variable_values
    {
        read_environment();
        read_automatic_files();
        file_kind_ = source_kind::option;
        for (auto const& option : inputs_.options) {
            if (option.kind == variable_option::option_kind::assignment) read_assignment(option.text);
            else read_file(option.text, option.text);
        }
        if (!inputs_.declared_only) report_undeclared();
        for (auto const& [name, given] : inputs_.evaluated)
            given_.insert_or_assign(name, given_value{given.first, {}, given.second});
        if (inputs_.ask && !unreadable_) ask_for_missing();
        for (auto const& [name, one] : of_.variables) {
            auto const fixed = inputs_.fixed.find(name);
            if (fixed == inputs_.fixed.end()) {
                made_.values.insert_or_assign(name, final_value(one));
                continue;
            }
            made_.values.insert_or_assign(name, fixed->second.with_marks(one.marks()));
            auto const given = given_.find(name);
            if (given == given_.end() || given->second.source == source_kind::automatic_file) continue;
            auto const& [_, origin, place, source] = given->second;
            made_.replaced.insert_or_assign(name,
                replaced_value{
                    final_value(one), source == source_kind::option, origin.empty() ? place : source_range()});
        }
        for (auto const& [name, given] : given_)
            if (!given.of.is_null()) made_.given.insert(name);
        return std::move(made_);
    }

private:
    [[nodiscard]] auto is_broken(std::string const& name, std::size_t errors_before) -> bool
    {
        if (found_.error_count() == errors_before) return false;
        broken_.insert(name);
        return true;
    }

    void ask_for_missing()
    {
        for (auto const& [name, one] : of_.variables) {
            if (one.default_value || given_.contains(name) || inputs_.fixed.contains(name)) continue;
            if (broken_.contains(name)) continue;
            auto const answer = inputs_.ask(one);
            if (!answer) continue;
            auto const before = found_.error_count();
            auto made = parsed(one, *answer, {answer_origin, "", ""});
            if (is_broken(name, before)) continue;
            given_.insert_or_assign(name, given_value{std::move(made), answer_origin, one.range});
        }
    }

    void read_environment()
    {
        static constexpr std::string_view prefix = "TF_VAR_";
        for (auto const& [key, text] : inputs_.environment) {
            if (!key.starts_with(prefix)) continue;
            auto const known = of_.variables.find(key.substr(prefix.size()));
            if (known == of_.variables.end()) continue;
            auto const before = found_.error_count();
            auto made = parsed(known->second, text, {key, key + "=", ""});
            if (is_broken(known->first, before)) continue;
            given_.insert_or_assign(
                known->first, given_value{std::move(made), key, known->second.range, source_kind::environment});
        }
    }

    void read_automatic_files()
    {
        for (std::string const name : {"terraform.tfvars", "terraform.tfvars.json"})
            read_file((inputs_.directory / name).string(), name, file_need::optional);
        auto names = inputs_.files->list(inputs_.directory);
        if (!names) return;
        std::ranges::sort(*names);
        for (auto const& name : *names)
            if (name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json"))
                read_file((inputs_.directory / name).string(), name);
    }

    /// Reports a source that cannot be read. Then missing values are not reported.
    void refuse(diagnostic wrong)
    {
        found_.add(std::move(wrong));
        unreadable_ = true;
    }

    enum class file_need { required, optional };

    void read_file(std::string const& path, std::string const& shown, file_need need = file_need::required)
    {
        // A shell passes the output of a program as a pipe: -var-file=<(program).
        auto text = inputs_.files->read(path, input_kind::file_or_pipe);
        if (!text && is_missing(text.error()) && need == file_need::optional) return;
        if (!text && is_missing(text.error())) return refuse(error(messages::missing_variables_file, {shown}));
        if (!text) return refuse(error(messages::unreadable_variables_file, {shown, text.error().message()}));
        auto const unread = found_.error_count();
        auto tree = path.ends_with(".json") ? parse_json_file(shown, std::move(*text), {}, found_)
                                            : parse_file(shown, std::move(*text), found_);
        made_.files.push_back(tree);
        if (found_.error_count() > unread) {
            // The tree of the rest of the file may be wrong, so nothing else is reported about it.
            unreadable_ = true;
            return;
        }
        if (tree->root().json && tree->file().text(tree->root().range.bytes).starts_with('['))
            refuse(error(messages::variables_file_not_an_object,
                {&tree->file(), {tree->root().range.bytes.begin, tree->root().range.bytes.begin + 1}}));
        for (auto const& block : tree->root().blocks) refuse_block(block, shown);
        for (auto const& one : tree->root().attributes) {
            auto const known = of_.variables.find(one.name);
            if (known == of_.variables.end()) {
                undeclared_.insert_or_assign(std::string(one.name), shown);
                continue;
            }
            auto const before = found_.error_count();
            auto made = evaluate(one.of, constant_scope(), found_);
            if (is_broken(known->first, before)) continue;
            given_.insert_or_assign(known->first, given_value{std::move(made), {}, one.of.range(), file_kind_});
        }
    }

    void refuse_block(block const& b, std::string const& file)
    {
        if (b.type != "variable" || b.labels.size() != 1)
            return refuse(error(messages::unexpected_block, {b.type}, b.type_range));
        auto const& name = b.labels[0].text;
        refuse(error(messages::variable_declared_in_variables_file, {name, file}, b.type_range));
    }

    [[nodiscard]] auto declared() const -> std::vector<std::string_view>
    {
        std::vector<std::string_view> names;
        for (auto const& [name, one] : of_.variables) names.push_back(name);
        return names;
    }

    /// The first two are reported separately.
    void report_undeclared()
    {
        std::size_t reported = 0;
        for (auto const& [name, file] : undeclared_) {
            if (++reported > 2) break;
            found_.add(warning(messages::undeclared_variable_in_file, {name, file, did_you_mean(name, declared())}));
        }
        if (undeclared_.size() > 2)
            found_.add(warning(messages::more_undeclared_variables, {std::to_string(undeclared_.size() - 2)}));
    }

    void read_assignment(std::string const& text)
    {
        auto const equals = text.find('=');
        if (equals == std::string::npos) return refuse(error(messages::var_option_without_value, {text}));
        auto const name = text.substr(0, equals);
        if (name.ends_with(' '))
            return refuse(error(messages::var_option_with_space,
                {name, name.substr(0, name.find_last_not_of(' ') + 1), text.substr(equals + 1)}));
        auto const known = of_.variables.find(name);
        if (known == of_.variables.end()) {
            if (inputs_.declared_only) return;
            found_.add(error(messages::undeclared_variable_in_option, {name, did_you_mean(name, declared())}));
            // That the variable which is probably meant has no value has the same cause.
            if (auto meant = name_suggestion(name, declared()); !meant.empty()) broken_.insert(std::move(meant));
            return;
        }
        auto const before = found_.error_count();
        auto const origin = "-var=\"" + name + "=...\"";
        auto made = parsed(known->second, text.substr(equals + 1), {origin, "-var=", name + "="});
        if (is_broken(name, before)) return;
        given_.insert_or_assign(name, given_value{std::move(made), origin, known->second.range});
    }

    static constexpr auto answer_origin = "the answer to the prompt";

    /// The place of a text from outside.
    struct text_origin {
        std::string name;  // for messages
        std::string option;  // what a user writes before it on a command line
        std::string assigned;  // what precedes the text in the same word of the shell
    };

    /// Parses a text from outside: as plain text if the type is primitive, otherwise as an expression.
    [[nodiscard]] auto parsed(variable const& v, std::string const& text, text_origin const& from) -> value
    {
        if (!is_utf8(text)) {
            found_.add(error(messages::variable_value_not_text, {v.name, utf8_mistake(text)}, v.range));
            return value::unknown();
        }
        if (v.is_literal()) return value(text);
        diagnostics wrong;
        auto const whole = parse_expression("<value for var." + v.name + ">", text, wrong);
        made_.files.push_back(whole.tree);
        if (!wrong.has_errors()) {
            auto made = evaluate(whole.root, constant_scope(), wrong);
            if (!wrong.has_errors()) return made;
        }
        bool const is_hidden = v.marks() != mark::none;
        type const desired = v.constraint.of;
        found_.add(error(messages::variable_value_malformed,
            {from.name, is_hidden ? std::string("a sensitive text") : "the text " + to_json(value(text)), v.name,
                desired.constraint_name(),
                from.option + shell_word(from.assigned + (is_hidden ? example_of(desired) : corrected(desired, text)))},
            v.range));
        return value::unknown();
    }

    [[nodiscard]] auto final_value(variable const& input) -> value
    {
        type const desired = input.constraint.of.without_optional();
        auto const unknown = [&] { return value::unknown(desired); };
        auto const marked = [&](value const& v) { return v.with_marks(input.marks()); };
        auto const given = given_.find(input.name);
        if (given == given_.end()) {
            if (input.default_value) return marked(*input.default_value);
            if (unreadable_ || broken_.contains(input.name)) return unknown();
            if (inputs_.planned) found_.add(error(messages::missing_ephemeral_variable_value, {input.name}));
            else found_.add(error(messages::missing_variable_value, {input.name}, input.range));
            return unknown();
        }
        auto const& [given_result, origin, place, source] = given->second;
        auto const name = "var." + input.name;
        auto result = given_result;
        if (input.constraint.defaults) result = with_defaults(result, *input.constraint.defaults);
        auto const converted = convert(result, input.constraint.of);
        if (!converted) {
            auto const why = converted.error().message();
            found_.add(origin.empty()
                    ? error(messages::unsuitable_variable_value, {name, input.range.text(), why}, place)
                    : error(messages::unsuitable_variable_value_from_outside, {input.name, origin, why}, place));
            return unknown();
        }
        if (!converted->is_null() || input.nullable) return marked(*converted);
        if (input.default_value) return marked(*input.default_value);
        found_.add(origin.empty() ? error(messages::null_variable_value, {name, input.range.text()}, place)
                                  : error(messages::null_variable_value_from_outside, {input.name, origin}, place));
        return unknown();
    }

    configuration const& of_;
    variable_inputs const& inputs_;
    diagnostics& found_;
    std::map<std::string, given_value> given_;
    std::set<std::string> broken_;  // variables with a value that cannot be read
    std::map<std::string, std::string> undeclared_;  // the file of each
    bool unreadable_ = false;
    source_kind file_kind_ = source_kind::automatic_file;
    variable_values made_;
};

}  // namespace

auto collect_variables(configuration const& c, variable_inputs const& inputs, diagnostics& found) -> variable_values
{
    return collector(c, inputs, found).run();
}

namespace {

constexpr auto no_message =
    "The condition does not hold. Its message cannot be shown; another diagnostic states the reason.";

/// Reports an error message that would reveal a sensitive or ephemeral value.
void report_hidden(
    check_rule const& rule, bool variable, messages::message<0> const& why, rule_result& made, diagnostics& found)
{
    auto const place = rule.error_message.range();
    found.add(variable ? error(why, place) : warning(why, place));
    made.message = variable ? "The rule does not hold. Its message contains values that are not shown." : no_message;
}

}  // namespace

namespace {

/// A text without white space at its ends, as a heredoc has it.
[[nodiscard]] auto trimmed_text(value const& v) -> value
{
    return v.has_data() ? value(std::string(trimmed(v.as_string(), white_space))) : v;
}

auto ask_rule(check_rule const& rule, std::string const& kind, scope const& in, diagnostics& found) -> rule_result
{
    rule_result made;
    bool const variable = kind == "variable validation";
    auto const before = found.error_count();
    if (!rule.condition) return made;
    auto const condition = evaluate(rule.condition, in, found);
    std::optional<value> message;
    // The message of a variable is evaluated on demand, other messages always.
    auto const ask = [&] {
        if (!rule.error_message) return;
        auto const given = evaluate(rule.error_message, in, found);
        if (found.error_count() > before) return;
        auto const text = convert(given, type::string());
        auto const place = rule.error_message.range();
        if (!text) return found.add(error(messages::invalid_error_message, {text.error().text()}, place));
        if (text->is_null() && !variable) return found.add(error(messages::null_error_message, place));
        message = trimmed_text(*text).with_marks((given.has_deep(mark::sensitive) ? mark::sensitive : mark::none)
            | (given.has_deep(mark::ephemeral) ? mark::ephemeral : mark::none));
    };
    if (!variable) ask();
    if (found.error_count() > before || condition.is_unknown()) return made;
    auto const refuse = [&](diagnostic wrong) {
        wrong.source.notes = value_notes(rule.condition, in);
        found.add(std::move(wrong));
    };
    if (condition.is_null()) {
        refuse(error(messages::null_rule_result, {kind}, rule.condition.range()));
        return made;
    }
    auto const decided = convert(condition, type::boolean());
    if (!decided) {
        refuse(error(messages::rule_result_not_boolean, {kind, decided.error().text()}, rule.condition.range()));
        return made;
    }
    made.decided = true;
    made.holds = decided->as_bool();
    if (made.holds) return made;
    if (variable) ask();
    made.message_unknown = message && message->is_unknown();
    bool const empty = variable && message && message->has_data() && message->as_string().empty();
    if (!message || !message->has_data() || empty)
        made.message = variable ? "The rule does not hold. Its message is empty or could not be computed." : no_message;
    else if (message->has_deep(mark::ephemeral))
        report_hidden(rule, variable, messages::ephemeral_error_message, made, found);
    else if (message->has_deep(mark::sensitive))
        report_hidden(rule, variable, messages::sensitive_error_message, made, found);
    else made.message = message->as_string();
    return made;
}

}  // namespace

auto evaluate_output(output_value const& ov, scope const& in, diagnostics& found) -> value
{
    auto const before = found.error_count();
    auto made = evaluate(ov.of, in, found);
    if (!ov.constraint || found.error_count() > before) return made;
    if (ov.constraint->defaults) made = with_defaults(made, *ov.constraint->defaults);
    auto converted = convert(made, ov.constraint->of);
    if (converted) return *std::move(converted);
    found.add(error(messages::output_of_wrong_type, {ov.name, converted.error().text()}, ov.of.range()));
    return value::unknown(ov.constraint->of.without_optional());
}

auto evaluate_rule(check_rule const& rule, std::string const& kind, scope const& in, diagnostics& found) -> rule_result
{
    auto const before = found.error_count();
    auto made = ask_rule(rule, kind, in, found);
    made.refused = !made.decided && found.error_count() > before;
    return made;
}

auto check_validations(variable const& v, scope const& in, diagnostics& found, source_range given)
    -> std::vector<rule_result>
{
    std::vector<rule_result> all;
    for (auto const& rule : v.validations) {
        auto const& checked = all.emplace_back(evaluate_rule(rule, "variable validation", in, found));
        if (!checked.decided || checked.holds) continue;
        auto failed = error(messages::failed_validation, {checked.message, rule.range.text()}, given ? given : v.range);
        failed.source.notes = value_notes(rule.condition, in);
        found.add(std::move(failed));
    }
    return all;
}

}  // namespace iacctl::language
