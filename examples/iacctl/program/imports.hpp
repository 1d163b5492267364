// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_IMPORTS_HPP
#define IACCTL_PROGRAM_IMPORTS_HPP

#include "language/configuration/configuration.hpp"
#include "language/evaluation/evaluate.hpp"
#include "providers/provider.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>

#include <vector>

namespace iacctl::program {

/// The resource that an import block is about, without keys, which may be computed. \pre the decoder has accepted it
[[nodiscard]] auto import_subject(language::import_block const& block) -> strider::infra::address;

/// The instances that a block names, with the ids or identities of the objects that they are to get.
/// \param identity  the schema of identities of the type; null: it has none
/// \param in  what the expressions of the module of the block see; addresses are relative to that module
void evaluate_import(language::import_block const& block, language::scope const& in,
    providers::type_schema const* identity, std::vector<strider::infra::import_target>& all,
    language::diagnostics& found);

/// Reports what is wrong with the import blocks of a module whatever the values: nothing is declared there, keys do not fit, one is told twice.
void check_imports(language::configuration const& of, language::diagnostics& found);

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_IMPORTS_HPP
