// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_FILE_STATE_HPP
#define IACCTL_STATE_BACKENDS_FILE_STATE_HPP

#include "state/document/foreign_state.hpp"
#include "state_client.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace iacctl::backends {

/// The state files of Terraform's backend "local". An empty file is no state, as with Terraform.
///
/// These files are only read. The lock is a read lock of the file, which excludes the write lock that a running
/// terraform takes, and `.NAME.lock.info` beside it, which describes the holder. A file that does not exist is read
/// without a lock.
/// \param places  with paths relative to the current directory of the process
[[nodiscard]] auto make_file_state(state::terraform_state_paths places) -> std::shared_ptr<state_client>;

/// The state files of the options -state, -state-out and -backup, with paths relative to the current directory of the
/// process.
struct state_files {
    std::filesystem::path state;  ///< read
    std::filesystem::path out;  ///< written
    std::filesystem::path backup;  ///< a copy of `state` as it was before the first change; empty: none
};

/// The options that name the written file, for an advice: " -state=FILE".
[[nodiscard]] auto options_of(state_files const& files) -> std::string;

/// Uses these files, instead of those of the backend "local", for every workspace.
///
/// To write, the lock is the write lock of `out` that a running terraform also takes, and a read lock of `state` if
/// that is another file. As with Terraform, the lock creates an empty `out` if there is none, and deletes it at its end
/// if nothing was written. To read, it is a read lock of `state`. `out` is always replaced as a whole by a file that is
/// already locked, so that the lock continues.
[[nodiscard]] auto make_file_state(state_files files) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_FILE_STATE_HPP
