// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_GENERATED_CONFIG_HPP
#define IACCTL_WORKSPACE_GENERATED_CONFIG_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"
#include "workspace.hpp"

#include <strider/infra/model/address.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace iacctl::workspace {

/// Configuration for existing objects.
struct generated_config {
    std::string text;  ///< the file; empty if all imported objects are declared
    std::map<infra::address, std::string> blocks;  ///< the block of each object, without a comment
};

/// A block `resource` for an existing object, with all arguments and nested blocks that can be set, in the usual form.
/// Sensitive values are null.
/// \param provider  its local name, with its alias; empty: the one that the type implies
[[nodiscard]] auto block_text(infra::address const& a, language::schema const& schema, language::value const& object,
    std::string const& provider = {}) -> std::string;

/// The same with a comment about its origin.
/// \source Terraform 1.11, internal/genconfig
[[nodiscard]] auto resource_text(infra::address const& a, language::schema const& schema, language::value const& object,
    std::string const& id) -> std::string;

/// Reads from providers the objects that import blocks name and no block declares. After errors, or if the target file
/// already exists, reports problems and returns nothing.
/// \source Terraform 1.11, plan -generate-config-out
[[nodiscard]] auto generate_config(workspace const& in, std::filesystem::path const& file, state::store& store,
    read_state const& prior, infra::diagnostics& problems) -> std::optional<generated_config>;

/// Writes a new file.
[[nodiscard]] auto save(generated_config const& made, std::filesystem::path const& file) -> infra::diagnostics;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_GENERATED_CONFIG_HPP
