// SPDX-License-Identifier: BSL-1.0
#include "variables.hpp"

#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "language/values/convert.hpp"
#include "support/input_file.hpp"
#include "support/unicode.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <system_error>

namespace iacctl::language {

namespace {

namespace fs = std::filesystem;

/// A value somebody gave, and how to say that it does not fit.
struct given_value {
    value of;
    std::string wrong_prefix;   // up to the reason, of an unsuitable value
    std::string null_prefix;
    source_range place;
};

class collector {
public:
    collector(configuration const& of, variable_inputs const& inputs, diagnostics& found)
        : of_(of),
          inputs_(inputs),
          found_(found)
    {}

    [[nodiscard]] variable_values run()
    {
        read_environment();
        read_automatic_files();
        for (auto const& option : inputs_.options) {
            if (option.kind == variable_option::option_kind::assignment) read_assignment(option.text);
            else read_file(option.text, option.text);
        }
        tell_undeclared();
        if (inputs_.ask && !unreadable_) ask_for_missing();
        for (auto const& [name, one] : of_.variables) made_.values.insert_or_assign(name, final_value(one));
        return std::move(made_);
    }

private:
    [[nodiscard]] bool is_broken(std::string const& name, std::size_t errors_before)
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
            auto made = parsed(one, *answer);
            if (found_.error_count() > before) continue;
            auto const how = "Unsuitable value for var." + name + " set using an interactive prompt: ";
            given_.insert_or_assign(name, given_value{std::move(made), how, how, one.range});
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
            auto made = parsed(known->second, text);
            if (is_broken(known->first, before)) continue;
            auto const how =
                "Unsuitable value for var." + known->first + " set using the " + key + " environment variable: ";
            given_.insert_or_assign(known->first, given_value{std::move(made), how, how, known->second.range});
        }
    }

    void read_automatic_files()
    {
        std::vector<std::string> names;
        std::error_code problem;
        for (fs::directory_iterator one(inputs_.directory, problem), end; !problem && one != end;
            one.increment(problem)) {
            auto name = one->path().filename().string();
            bool const automatic = name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json");
            if (automatic && !one->is_directory(problem)) names.push_back(std::move(name));
        }
        std::ranges::sort(names);
        for (auto const* const first : {"terraform.tfvars.json", "terraform.tfvars"})
            if (fs::exists(inputs_.directory / first, problem)) names.insert(names.begin(), first);
        for (auto const& name : names) read_file((inputs_.directory / name).string(), name);
    }

    /// Tells of what cannot be read at all; then nobody can say which values are missing.
    void refuse(std::string summary, std::string detail, source_range place = {})
    {
        found_.add(error(std::move(summary), std::move(detail), place));
        unreadable_ = true;
    }

    void read_file(std::string const& path, std::string const& shown)
    {
        // A shell gives the output of a program as a pipe: -var-file=<(program).
        auto text = read_input(path, input_kind::file_or_pipe);
        if (!text && is_missing(text.error()))
            return refuse("Failed to read variables file", "Given variables file " + shown + " does not exist.");
        if (!text)
            return refuse(
                "Failed to read variables file", "Error while reading " + shown + ": " + text.error().message() + ".");
        auto const unread = found_.error_count();
        auto tree = path.ends_with(".json") ? parse_json_file(shown, std::move(*text), {}, found_)
                                            : parse_file(shown, std::move(*text), found_);
        made_.files.push_back(tree);
        if (found_.error_count() > unread) unreadable_ = true;
        if (tree->root().json && tree->file().text(tree->root().range.bytes).starts_with('['))
            refuse("Incorrect JSON value type", "A JSON object is required here, setting the arguments for this block.",
                {&tree->file(), {tree->root().range.bytes.begin, tree->root().range.bytes.begin + 1}});
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
            given_.insert_or_assign(known->first,
                given_value{std::move(made),
                    "The given value is not suitable for var." + known->first + " declared at "
                        + known->second.range.text() + ": ",
                    "The given value is not suitable for var." + known->first + " defined at "
                        + known->second.range.text() + ": ",
                    one.range});
        }
    }

    void refuse_block(block const& of, std::string const& file)
    {
        if (of.type != "variable" || of.labels.size() != 1)
            return refuse(
                "Unexpected \"" + std::string(of.type) + "\" block", "Blocks are not allowed here.", of.type_range);
        auto const& name = of.labels[0].text;
        refuse("Variable declaration in .tfvars file",
            "A .tfvars file is used to assign values to variables that have already been declared in .tf files, not to "
            "declare new variables. To declare variable \""
                + name
                + "\", place this block in one of your .tf files, such as variables.tf.\n\nTo set a value for "
                  "this variable in "
                + file + ", use the definition syntax instead:\n    " + name + " = <value>",
            of.type_range);
    }

    /// The first two are told one by one.
    void tell_undeclared()
    {
        std::size_t told = 0;
        for (auto const& [name, file] : undeclared_) {
            if (++told > 2) break;
            found_.add(warning("Value for undeclared variable",
                "The root module does not declare a variable named \"" + name + "\" but a value was found in file \""
                    + file
                    + "\". If you meant to use this value, add a \"variable\" block to the configuration.\n\nTo "
                      "silence "
                      "these warnings, use TF_VAR_... environment variables to provide certain \"global\" settings to "
                      "all configurations in your organization. To reduce the verbosity of these warnings, use the "
                      "-compact-warnings option."));
        }
        if (undeclared_.size() > 2)
            found_.add(warning("Values for undeclared variables",
                "In addition to the other similar warnings shown, " + std::to_string(undeclared_.size() - 2)
                    + " other variable(s) defined without being declared."));
    }

    void read_assignment(std::string const& text)
    {
        auto const equals = text.find('=');
        if (equals == std::string::npos)
            return refuse("Invalid -var option",
                "The given -var option \"" + text
                    + "\" is not correctly specified. Must be a variable name and value separated by an equals sign, "
                      "like -var=\"key=value\".");
        auto const name = text.substr(0, equals);
        if (name.ends_with(' '))
            return refuse("Invalid -var option",
                "Variable name \"" + name + "\" is invalid due to trailing space. Did you mean -var=\""
                    + name.substr(0, name.find_last_not_of(' ') + 1) + "=" + text.substr(equals + 1) + "\"?");
        auto const known = of_.variables.find(name);
        if (known == of_.variables.end()) {
            found_.add(error("Value for undeclared variable",
                "A variable named \"" + name
                    + "\" was assigned on the command line, but the root module does not declare a variable of that "
                      "name. "
                      "To use this value, add a \"variable\" block to the configuration."));
            return;
        }
        auto const before = found_.error_count();
        auto made = parsed(known->second, text.substr(equals + 1));
        if (is_broken(name, before)) return;
        auto const how = "Unsuitable value for var." + name + " set using -var=\"" + name + "=...\": ";
        given_.insert_or_assign(name, given_value{std::move(made), how, how, known->second.range});
    }

    /// Text from outside: plain where the type is primitive, else an expression.
    [[nodiscard]] value parsed(variable const& of, std::string const& text)
    {
        if (!is_utf8(text)) {
            found_.add(error("Value of a variable is not text",
                "The value that is given for var." + of.name + " is not UTF-8 text: " + utf8_mistake(text)
                    + ". Values are stored as text; give bytes as base64, for example, and decode them where they are "
                      "needed.",
                of.range));
            return value::unknown();
        }
        if (of.is_literal()) return value(text);
        auto const whole = parse_expression("<value for var." + of.name + ">", text, found_);
        made_.files.push_back(whole.tree);
        return found_.has_errors() ? value::unknown() : evaluate(whole.root, constant_scope(), found_);
    }

    [[nodiscard]] value final_value(variable const& of)
    {
        type const wanted = of.constraint.of.without_optional();
        auto const unknown = [&] { return value::unknown(wanted); };
        auto const marked = [&](value const& v) { return v.with_marks(of.marks()); };
        if (auto const fixed = inputs_.fixed.find(of.name); fixed != inputs_.fixed.end()) return marked(fixed->second);
        auto const given = given_.find(of.name);
        if (given == given_.end()) {
            if (of.default_value) return marked(*of.default_value);
            if (unreadable_) return unknown();
            if (inputs_.planned)
                found_.add(error("No value for required variable",
                    "The ephemeral input variable \"" + of.name
                        + "\" was set during the plan phase, and so must also be set during the apply phase."));
            else
                found_.add(error("No value for required variable",
                    "The root module input variable \"" + of.name
                        + "\" is not set, and has no default value. Use a -var or -var-file command line argument to "
                          "provide "
                          "a value for this variable.",
                    of.range));
            return unknown();
        }
        auto result = given->second.of;
        if (of.constraint.defaults) result = with_defaults(result, *of.constraint.defaults);
        auto const converted = convert(result, of.constraint.of);
        if (!converted) {
            found_.add(error("Invalid value for input variable",
                given->second.wrong_prefix + converted.error().message() + ".", given->second.place));
            return unknown();
        }
        if (!converted->is_null() || of.nullable) return marked(*converted);
        if (of.default_value) return marked(*of.default_value);
        found_.add(error("Required variable not set",
            given->second.null_prefix + "required variable may not be set to null.", given->second.place));
        return unknown();
    }

    configuration const& of_;
    variable_inputs const& inputs_;
    diagnostics& found_;
    std::map<std::string, given_value> given_;
    std::set<std::string> broken_;                   // they were given a value that cannot be read
    std::map<std::string, std::string> undeclared_;  // the file that gives each
    bool unreadable_ = false;
    variable_values made_;
};

}  // namespace

variable_values collect_variables(configuration const& of, variable_inputs const& inputs, diagnostics& found)
{
    return collector(of, inputs, found).run();
}

namespace {

constexpr auto no_message =
    "This check failed, but has an invalid error message as described in the other accompanying messages.";

/// A message that would show what must not be shown.
void tell_hidden(
    check_rule const& of, std::string const& kind, std::string const& what, rule_result& made, diagnostics& found)
{
    bool const variable = kind == "variable validation";
    std::string const by = what == "sensitive"
        ? "carefully using the nonsensitive() function if the expression will not "
          "reveal the sensitive data."
        : variable ? "carefully using the ephemeralasnull() function if the expression will not reveal the ephemeral "
                     "data."
                   : "using the ephemeralasnull() function on the references to not reveal ephemeral data.";
    auto const summary = "Error message refers to " + what + " values";
    auto const detail = "The error expression used to explain this condition refers to " + what + " values"
        + (variable ? ". Terraform will" : ", so Terraform will")
        + " not display the resulting message.\n\nYou can correct this by removing references to " + what
        + " values, or by " + by;
    if (variable) found.add(error(summary, detail, of.error_message.range()));
    else found.add(warning(summary, detail, of.error_message.range()));
    made.message = variable ? "The error message included a sensitive value, so it will not be displayed." : no_message;
}

}  // namespace

namespace {

rule_result ask_rule(check_rule const& of, std::string const& kind, scope const& in, diagnostics& found)
{
    rule_result made;
    bool const variable = kind == "variable validation";
    auto const before = found.error_count();
    if (!of.condition) return made;
    auto const condition = evaluate(of.condition, in, found);
    std::optional<value> message;
    // The message of a variable is asked for where it is needed, others always.
    auto const ask = [&] {
        if (!of.error_message) return;
        auto const given = evaluate(of.error_message, in, found);
        if (found.error_count() > before) return;
        auto const text = convert(given, type::string());
        auto const unsuitable = [&](std::string const& why) {
            found.add(error(
                "Invalid error message", "Unsuitable value for error message: " + why + ".", of.error_message.range()));
        };
        if (!text) return unsuitable(text.error().text());
        if (text->is_null() && !variable) return unsuitable("must not be null");
        message = text->with_marks((given.has_deep(mark::sensitive) ? mark::sensitive : mark::none)
            | (given.has_deep(mark::ephemeral) ? mark::ephemeral : mark::none));
    };
    if (!variable) ask();
    if (found.error_count() > before || condition.is_unknown()) return made;
    auto const refuse = [&](std::string detail) {
        auto wrong = error("Invalid " + kind + " result", std::move(detail), of.condition.range());
        wrong.notes = value_notes(of.condition, in);
        found.add(std::move(wrong));
    };
    if (condition.is_null()) {
        refuse((variable ? "Validation condition" : "Condition")
            + std::string(" expression must return either true or false, not null."));
        return made;
    }
    auto const decided = convert(condition, type::boolean());
    if (!decided) {
        refuse(
            (variable ? "Invalid validation condition result value: " : std::string("Invalid condition result value: "))
            + decided.error().text() + ".");
        return made;
    }
    made.decided = true;
    made.holds = decided->as_bool();
    if (made.holds) return made;
    if (variable) ask();
    made.message_unknown = message && message->is_unknown();
    bool const empty = variable && message && message->has_data() && message->as_string().empty();
    if (!message || !message->has_data() || empty)
        made.message = variable ? "Failed to evaluate condition error message." : no_message;
    else if (message->has_deep(mark::ephemeral)) tell_hidden(of, kind, "ephemeral", made, found);
    else if (message->has_deep(mark::sensitive)) tell_hidden(of, kind, "sensitive", made, found);
    else made.message = message->as_string();
    return made;
}

}  // namespace

rule_result evaluate_rule(check_rule const& of, std::string const& kind, scope const& in, diagnostics& found)
{
    auto const before = found.error_count();
    auto made = ask_rule(of, kind, in, found);
    made.refused = !made.decided && found.error_count() > before;
    return made;
}

std::vector<rule_result> check_validations(variable const& of, scope const& in, diagnostics& found, source_range given)
{
    std::vector<rule_result> all;
    for (auto const& rule : of.validations) {
        auto const& checked = all.emplace_back(evaluate_rule(rule, "variable validation", in, found));
        if (!checked.decided || checked.holds) continue;
        auto failed = error("Invalid value for variable",
            checked.message + "\n\nThis was checked by the validation rule at " + rule.range.text() + ".",
            given ? given : of.range);
        failed.notes = value_notes(rule.condition, in);
        found.add(std::move(failed));
    }
    return all;
}

}  // namespace iacctl::language
