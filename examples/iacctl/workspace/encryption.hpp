// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_ENCRYPTION_HPP
#define IACCTL_WORKSPACE_ENCRYPTION_HPP

#include "base/expected.hpp"
#include "root_module.hpp"
#include "state/encryption/target.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <memory>

namespace iacctl::workspace {

/// Decodes the block `encryption` of a root module, overridden by the environment variable TF_ENCRYPTION. Commands call
/// `root_module::encryption`, which calls this function once.
[[nodiscard]] auto read_encryption(root_module const& module) -> expected<std::shared_ptr<encryption::targets const>>;

/// Warns about blocks `remote_state_data_source` of a configuration whose name is that of no data source.
void check_remote_state_names(language::configuration const& root, infra::diagnostics& found);

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_ENCRYPTION_HPP
