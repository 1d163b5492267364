// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_FILE_STATE_HPP
#define IACCTL_BACKENDS_FILE_STATE_HPP

#include "state/foreign_state.hpp"
#include "state_client.hpp"

#include <memory>

namespace iacctl::backends {

/// The state files of Terraform's backend "local". An empty file is no state, as with Terraform.
///
/// The lock is a lock of the state file that a running terraform conflicts with, and `.NAME.lock.info` beside it, which says who
/// has it. A file that does not exist needs no lock to be read.
/// \param places  with paths from the current directory of the process
[[nodiscard]] auto make_file_state(state::terraform_places places) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_FILE_STATE_HPP
