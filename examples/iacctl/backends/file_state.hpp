// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_FILE_STATE_HPP
#define IACCTL_BACKENDS_FILE_STATE_HPP

#include "state/foreign_state.hpp"
#include "state_client.hpp"

#include <filesystem>
#include <memory>

namespace iacctl::backends {

/// The state files of Terraform's backend "local". An empty file is no state, as with Terraform.
///
/// The lock is a lock of the state file that a running terraform conflicts with, and `.NAME.lock.info` beside it, which says who
/// has it. A file that does not exist needs no lock to be read.
/// \param places  with paths from the current directory of the process
[[nodiscard]] auto make_file_state(state::terraform_places places) -> std::shared_ptr<state_client>;

/// State files of one command, of the options -state, -state-out and -backup, with paths from the current directory of the process.
struct state_files {
    std::filesystem::path state;  ///< read
    std::filesystem::path out;  ///< written
    std::filesystem::path backup;  ///< a copy of `state` as it was before the first change; empty: none
};

/// These files in place of those of the backend "local", for every workspace. Locks are those of `state`.
[[nodiscard]] auto make_file_state(state_files files) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_FILE_STATE_HPP
