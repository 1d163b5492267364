// SPDX-License-Identifier: BSL-1.0
#include "variables.hpp"

#include "convert.hpp"
#include "json_syntax.hpp"
#include "parser.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
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
            else read_file(option.text, option.text, true);
        }
        if (inputs_.ask) ask_for_missing();
        for (auto const& [name, one] : of_.variables) made_.values.insert_or_assign(name, final_value(one));
        return std::move(made_);
    }

private:
    void ask_for_missing()
    {
        for (auto const& [name, one] : of_.variables) {
            if (one.default_value || given_.contains(name) || inputs_.fixed.contains(name)) continue;
            if (std::ranges::find(broken_, name) != broken_.end()) continue;
            auto const answer = inputs_.ask(one);
            if (!answer) continue;
            auto const before = found_.error_count();
            auto made = parsed(one, *answer);
            if (found_.error_count() > before) {
                broken_.push_back(name);
                continue;
            }
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
            if (found_.error_count() > before) {
                broken_.push_back(known->first);
                continue;
            }
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
        for (auto const& name : names) read_file((inputs_.directory / name).string(), name, false);
    }

    void read_file(std::string const& path, std::string const& shown, bool asked_for)
    {
        std::error_code problem;
        if (!fs::exists(path, problem)) {
            found_.add(error("Failed to read variables file", "Given variables file " + shown + " does not exist."));
            return;
        }
        std::ifstream file(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file || fs::is_directory(path, problem)) {
            found_.add(error("Failed to read variables file",
                "Error while reading " + shown + ": " + std::generic_category().message(errno ? errno : EISDIR) + "."));
            return;
        }
        auto tree = path.ends_with(".json") ? parse_json_file(shown, std::move(text), {}, found_)
                                            : parse_file(shown, std::move(text), found_);
        made_.files.push_back(tree);
        for (auto const& block : tree->root().blocks)
            found_.add(error("Unexpected \"" + std::string(block.type) + "\" block", "Blocks are not allowed here.",
                block.type_range));
        for (auto const& one : tree->root().attributes) {
            auto const known = of_.variables.find(one.name);
            if (known == of_.variables.end()) {
                tell_undeclared(std::string(one.name), shown, asked_for);
                continue;
            }
            auto const before = found_.error_count();
            auto made = evaluate(one.of, constant_scope(), found_);
            if (found_.error_count() > before) {
                broken_.push_back(known->first);
                continue;
            }
            given_.insert_or_assign(known->first,
                given_value{std::move(made),
                    "The given value is not suitable for var." + known->first + " declared at "
                        + known->second.range.text() + ": ",
                    "The given value is not suitable for var." + known->first + " defined at "
                        + known->second.range.text() + ": ",
                    one.range});
        }
    }

    void tell_undeclared(std::string const& name, std::string const& file, bool)
    {
        found_.add(warning("Value for undeclared variable",
            "The root module does not declare a variable named \"" + name + "\" but a value was found in file \"" + file
                + "\". If you meant to use this value, add a \"variable\" block to the configuration.\n\nTo silence "
                  "these "
                  "warnings, use TF_VAR_... environment variables to provide certain \"global\" settings to all "
                  "configurations in your organization. To reduce the verbosity of these warnings, use the "
                  "-compact-warnings option."));
    }

    void read_assignment(std::string const& text)
    {
        auto const equals = text.find('=');
        if (equals == std::string::npos) {
            found_.add(error("Invalid -var option",
                "The given -var option \"" + text
                    + "\" is not correctly specified. Must be a variable name and value separated by an equals sign, "
                      "like "
                      "-var=\"key=value\"."));
            return;
        }
        auto const name = text.substr(0, equals);
        if (name.ends_with(' ')) {
            found_.add(error("Invalid -var option",
                "Variable name \"" + name + "\" is invalid due to trailing space. Did you mean -var=\""
                    + name.substr(0, name.find_last_not_of(' ') + 1) + "=" + text.substr(equals + 1) + "\"?"));
            return;
        }
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
        if (found_.error_count() > before) {
            broken_.push_back(name);
            return;
        }
        auto const how = "Unsuitable value for var." + name + " set using -var=\"" + name + "=...\": ";
        given_.insert_or_assign(name, given_value{std::move(made), how, how, known->second.range});
    }

    /// Text from outside: plain where the type is primitive, else an expression.
    [[nodiscard]] value parsed(variable const& of, std::string const& text)
    {
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
            if (std::ranges::find(broken_, of.name) != broken_.end()) return unknown();
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
    std::vector<std::string> broken_;
    variable_values made_;
};

}  // namespace

variable_values collect_variables(configuration const& of, variable_inputs const& inputs, diagnostics& found)
{
    return collector(of, inputs, found).run();
}

namespace {

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
    made.message = variable ? "The error message included a sensitive value, so it will not be displayed."
                            : "This check failed, but has an invalid error message as described in the other "
                              "accompanying messages.";
}

}  // namespace

rule_result evaluate_rule(check_rule const& of, std::string const& kind, scope const& in, diagnostics& found)
{
    rule_result made;
    auto const before = found.error_count();
    if (!of.condition) return made;
    auto const condition = evaluate(of.condition, in, found);
    if (found.error_count() > before || condition.is_unknown()) return made;
    auto const refuse = [&](std::string detail) {
        auto wrong = error("Invalid " + kind + " result", std::move(detail), of.condition.range());
        wrong.notes = value_notes(of.condition, in);
        found.add(std::move(wrong));
    };
    if (condition.is_null()) {
        refuse("Condition expression must return either true or false, not null.");
        return made;
    }
    auto const decided = convert(condition, type::boolean());
    if (!decided) {
        refuse((kind == "variable validation" ? "Invalid validation condition result value: "
                                              : std::string("Invalid condition result value: "))
            + decided.error().text() + ".");
        return made;
    }
    made.decided = true;
    made.holds = decided->as_bool();
    if (made.holds || !of.error_message) return made;
    auto const message = evaluate(of.error_message, in, found);
    if (found.error_count() > before) return made;
    auto const text = convert(message, type::string());
    made.message_unknown = text && text->is_unknown();
    if (!text || !text->has_data())
        found.add(error("Invalid error message",
            made.message_unknown ? "Unsuitable value for error message: value is not known."
                                 : "Unsuitable value for error message: a string is required.",
            of.error_message.range()));
    else if (message.has_deep(mark::ephemeral)) tell_hidden(of, kind, "ephemeral", made, found);
    else if (message.has_deep(mark::sensitive)) tell_hidden(of, kind, "sensitive", made, found);
    else made.message = text->as_string();
    return made;
}

void check_validations(variable const& of, scope const& in, diagnostics& found)
{
    for (auto const& rule : of.validations) {
        auto const checked = evaluate_rule(rule, "variable validation", in, found);
        if (!checked.decided || checked.holds) continue;
        auto failed = error("Invalid value for variable",
            checked.message + "\n\nThis was checked by the validation rule at " + rule.range.text() + ".", of.range);
        failed.notes = value_notes(rule.condition, in);
        found.add(std::move(failed));
    }
}

}  // namespace iacctl::language
