// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATE_HPP
#define IACCTL_LANGUAGE_VALIDATE_HPP

#include "configuration.hpp"
#include "diagnostic.hpp"
#include "schema.hpp"

namespace iacctl::language {

/// Tells what is wrong with a configuration before anything is evaluated: references to what is not declared,
/// arguments that a resource type does not have, calls of unknown functions, objects that refer to themselves.
void validate(configuration const& of, schema_source const& schemas, diagnostics& found);

/// Where an expression stands, which decides what it may refer to.
struct reference_context {
    resource const* owner = nullptr;  // the resource that the expression belongs to
    bool self = false;                // in provisioners, connections and postconditions
    bool may_refer_to_owner = true;   // not in what makes the resource itself
};

/// The same for one expression.
void validate_references(configuration const& of, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATE_HPP
