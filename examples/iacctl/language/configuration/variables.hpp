// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_VARIABLES_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_VARIABLES_HPP

#include "configuration.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/values/value.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

/// An option of the command line for variables, in the order given: `-var name=value` or `-var-file path`.
struct variable_option {
    enum class option_kind { assignment, file };
    option_kind kind = option_kind::assignment;
    std::string text;
};

struct variable_inputs {
    std::vector<variable_option> options;
    /// The environment. Only names `TF_VAR_…` are read.
    std::map<std::string, std::string> environment;
    /// The directory of `terraform.tfvars` and `*.auto.tfvars`.
    std::filesystem::path directory = ".";
    file_source const* files = &disk();
    /// Values from a plan file. They take precedence over all of the above.
    std::map<std::string, value> fixed;
    /// Values of expressions, with their places. They take precedence over all of the above.
    std::map<std::string, std::pair<value, source_range>, std::less<>> evaluated;
    /// True: values for undeclared variables are not reported.
    bool declared_only = false;
    /// True if a plan exists already and holds values for all variables that have none here.
    bool planned = false;
    /// Prompts for the value of a variable that has none; called in the order of names. The answer is parsed like the
    /// text of an option. Empty: there is no prompt. Returns nothing if there is no answer.
    std::function<std::optional<std::string>(variable const&)> ask;
};

/// A value from an option or the environment that a value from a plan file replaces.
struct replaced_value {
    value of;
    bool by_option;
    source_range place;  // empty: not in a file
};

/// The value of each variable of a configuration, converted and marked. A later source takes precedence over an earlier
/// one:
/// default, environment, `terraform.tfvars`, `*.auto.tfvars` in order of name, options in their order.
/// A variable whose value is wrong or missing is unknown after a diagnostic.
struct variable_values {
    std::map<std::string, value, std::less<>> values;
    /// The names of variables that are set by an input, and not to null.
    std::set<std::string, std::less<>> given;
    std::map<std::string, replaced_value, std::less<>> replaced;
    /// Files that diagnostics may point into.
    std::vector<std::shared_ptr<syntax_tree>> files;
};

[[nodiscard]] auto collect_variables(configuration const& c, variable_inputs const& inputs, diagnostics& found)
    -> variable_values;

/// The value of an output, of the type that it declares; unknown after a diagnostic.
[[nodiscard]] auto evaluate_output(output_value const& ov, scope const& in, diagnostics& found) -> value;

/// The result of one rule. If the condition is unknown or fails to evaluate, it is not `decided`. A message that cannot
/// be evaluated is a diagnostic of its own.
struct rule_result {
    bool decided = false;
    bool holds = false;
    bool refused = false;  // the evaluation of the condition failed
    bool message_unknown = false;
    std::string message;
};
[[nodiscard]] auto evaluate_rule(check_rule const& rule, std::string const& kind, scope const& in, diagnostics& found)
    -> rule_result;

/// Evaluates the `validation` blocks of a variable and returns the result of each.
/// \param in     has a value for the variable itself
/// \param given  the place of the value, if it is known
std::vector<rule_result> check_validations(
    variable const& v, scope const& in, diagnostics& found, source_range given = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_VARIABLES_HPP
