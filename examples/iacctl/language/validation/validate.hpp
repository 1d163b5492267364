// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP
#define IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP

#include "language/configuration/configuration.hpp"
#include "language/syntax/diagnostic.hpp"
#include "schema.hpp"

#include <cstdint>

namespace iacctl::language {

/// Reports errors in the settings of modules: unsupported versions of the language, invalid names of providers.
void check_settings(configuration const& root, diagnostics& found);

/// Reports required providers that do not exist.
void report_missing_providers(configuration const& root, schema_source const& schemas, diagnostics& found);

/// Reports constraints in `required_providers` that do not accept the release of a built-in provider.
void report_rejected_releases(configuration const& root, schema_source const& schemas, diagnostics& found);

/// The modules whose deprecated variables and outputs are reported: all, those whose source is a local directory, or
/// none.
enum class deprecations : std::uint8_t { all, local, none };

struct validation_options {
    deprecations reported = deprecations::all;
    bool ephemeral_root_outputs = false;  ///< the root module may have ephemeral outputs, as a tested module
};

/// Reports the errors of a configuration and of the modules that it calls that are found before a plan: in settings,
/// references to undeclared names, arguments that a resource type or module does not have, calls of unknown functions,
/// objects that refer to themselves, and expressions that fail for all values of their inputs.
void validate(
    configuration const& c, schema_source const& schemas, diagnostics& found, validation_options const& options = {});

/// Reports that the value of an output that is not ephemeral is ephemeral.
void report_ephemeral_output(output_value const& value, diagnostics& found);
/// Reports that the value of an output of the root module that is not sensitive is sensitive.
void report_sensitive_output(output_value const& value, diagnostics& found);

/// Reports a reference to a name that a module does not declare; false if it declares the name.
auto report_undeclared(configuration const& in, reference const& r, diagnostics& found) -> bool;

/// The place of an expression, which decides what it may refer to.
struct reference_context {
    resource const* owner = nullptr;  // the resource that the expression belongs to
    module_call const* call = nullptr;  // or the call of a module
    bool self = false;  // in provisioners, connections and postconditions
    bool may_refer_to_owner = true;  // false in the arguments of the resource itself
    bool has_each = false;  // true for another construct with `for_each`
    check_block const* check = nullptr;  // the check that the expression belongs to
    bool caller = false;  // in the configuration of an action, and in the condition of a trigger

    [[nodiscard]] auto counted() const noexcept -> bool { return (owner && owner->count) || (call && call->count); }
    [[nodiscard]] auto repeated() const noexcept -> bool
    {
        return has_each || (owner && owner->for_each) || (call && call->for_each);
    }
};

/// Validates the references of one expression.
void validate_references(configuration const& c, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP
