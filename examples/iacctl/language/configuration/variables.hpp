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
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

/// What the command line says about variables, in its order: `-var name=value` and `-var-file path`.
struct variable_option {
    enum class option_kind { assignment, file };
    option_kind kind = option_kind::assignment;
    std::string text;
};

struct variable_inputs {
    std::vector<variable_option> options;
    /// The environment, of which only `TF_VAR_…` counts.
    std::map<std::string, std::string> environment;
    /// Where `terraform.tfvars` and `*.auto.tfvars` are looked for.
    std::filesystem::path directory = ".";
    file_source const* files = &disk();
    /// Values that do not come from the user (a plan file's); they win.
    std::map<std::string, value> fixed;
    /// Values of expressions, with their places; they win over those above.
    std::map<std::string, std::pair<value, source_range>, std::less<>> evaluated;
    /// True: values of variables that are not declared are left alone.
    bool declared_only = false;
    /// Whether a plan was made already, with values for all that has none now.
    bool planned = false;
    /// Asks for the value of a variable that has none, in their order of names; what is answered is read as text of an option
    /// would be. Nobody is asked if this is empty, and nothing answers where nobody is there.
    std::function<std::optional<std::string>(variable const&)> ask;
};

/// The value of each variable of a configuration, converted and marked; a later source wins over an earlier one:
/// default, environment, `terraform.tfvars`, `*.auto.tfvars` in order of name, options in their order.
/// A variable whose value is wrong or missing is unknown after a diagnostic.
struct variable_values {
    std::map<std::string, value, std::less<>> values;
    /// Files that diagnostics may point into.
    std::vector<std::shared_ptr<syntax_tree>> files;
};

[[nodiscard]] variable_values collect_variables(
    configuration const& of, variable_inputs const& inputs, diagnostics& found);

/// The value of an output, of the type that it declares; unknown after a diagnostic.
[[nodiscard]] value evaluate_output(output_value const& of, scope const& in, diagnostics& found);

/// Evaluates one rule: true if it holds, nothing if that is not known yet or it cannot be told.
/// A message that cannot be evaluated is a diagnostic of its own.
struct rule_result {
    bool decided = false;
    bool holds = false;
    bool refused = false;  // it could not be asked
    bool message_unknown = false;
    std::string message;
};
[[nodiscard]] rule_result evaluate_rule(
    check_rule const& of, std::string const& kind, scope const& in, diagnostics& found);

/// Evaluates the `validation` blocks of a variable, and gives what came of each; `in` must know the variable itself.
/// \param given  where its value is written, if that is known
std::vector<rule_result> check_validations(
    variable const& of, scope const& in, diagnostics& found, source_range given = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_VARIABLES_HPP
