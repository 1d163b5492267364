// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP
#define IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP

#include "language/configuration/configuration.hpp"
#include "language/syntax/diagnostic.hpp"
#include "schema.hpp"

namespace iacctl::language {

/// Tells what the settings of modules say that cannot be: versions of the language, names of providers.
void check_settings(configuration const& root, diagnostics& found);

/// Tells which providers are asked for that there are none of.
void report_missing_providers(configuration const& root, schema_source const& schemas, diagnostics& found);

/// Tells what is wrong with a configuration and the modules it calls before anything is known: settings, references to what is
/// not declared, arguments that a resource type or a module does not have, calls of unknown functions, objects that
/// refer to themselves, and expressions that fail whatever the values they depend on will be.
void validate(configuration const& of, schema_source const& schemas, diagnostics& found);

/// Says that an output that is not ephemeral was given a value that is.
void report_ephemeral_output(output_value const& of, diagnostics& found);
/// Says that an output of the root module that is not sensitive was given a value that is.
void report_sensitive_output(output_value const& of, diagnostics& found);

/// Tells of a reference to something that a module does not declare; false: it does.
bool report_undeclared(configuration const& in, reference const& of, diagnostics& found);

/// Where an expression stands, which decides what it may refer to.
struct reference_context {
    resource const* owner = nullptr;  // the resource that the expression belongs to
    module_call const* call = nullptr;  // or the call of a module
    bool self = false;  // in provisioners, connections and postconditions
    bool may_refer_to_owner = true;  // not in what makes the resource itself
    bool has_each = false;  // for something else that is repeated
    check_block const* check = nullptr;  // the check that the expression belongs to

    [[nodiscard]] bool counted() const noexcept { return (owner && owner->count) || (call && call->count); }
    [[nodiscard]] bool repeated() const noexcept
    {
        return has_each || (owner && owner->for_each) || (call && call->for_each);
    }
};

/// The same for one expression.
void validate_references(configuration const& of, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_VALIDATE_HPP
