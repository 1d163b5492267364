// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_IMPORTS_HPP
#define IACCTL_WORKSPACE_PROGRAM_IMPORTS_HPP

#include "language/configuration/configuration.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/repetition.hpp"
#include "providers/provider.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>

#include <cstdint>
#include <vector>

namespace iacctl::program {

enum class config_generation : std::uint8_t { not_allowed, allowed };

/// The resource of an import block, without keys, which may be computed. \pre the decoder has accepted the block
[[nodiscard]] auto import_subject(language::import_block const& block) -> strider::infra::address;

/// Evaluates an import block: the instances, with the ids or identities of the objects to import.
/// \param identity  the schema of identities of the type; null: it has none
/// \param unknown  allowed: an object that is not known before an apply is such a target, and not an error
/// \param in  the scope of the module of the block; addresses are relative to that module
void evaluate_import(language::import_block const& block, language::scope const& in,
    providers::type_schema const* identity, language::unknown_values unknown,
    std::vector<strider::infra::import_target>& all, strider::infra::diagnostics& found);

/// Reports errors in the import blocks of a module that do not depend on values: undeclared targets, wrong keys,
/// duplicates.
/// \param generation  allowed: a resource may be missing if `-generate-config-out` can write it
void check_imports(language::configuration const& c, config_generation generation, strider::infra::diagnostics& found);

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_IMPORTS_HPP
