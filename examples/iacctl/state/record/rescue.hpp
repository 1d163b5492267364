// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RESCUE_HPP
#define IACCTL_STATE_RECORD_RESCUE_HPP

#include "base/terraform_version.hpp"
#include "state/encryption/target.hpp"
#include "state/state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// The places for a rescue copy, in this order: the `spool` of the workspace, another directory, a file descriptor.
struct rescue_places {
    std::filesystem::path workspace_directory;
    std::optional<std::filesystem::path> emergency_directory;
    int output = 1;
    std::string_view version = terraform_version;
    std::string_view lineage;  ///< for a snapshot that has none yet
    encryption::target const* encryption = nullptr;  ///< null: the copy is not encrypted
    std::vector<std::string> replaces{};  ///< the stored contents that the state may replace, if they are known
    std::string options{};  ///< with which `state push` restores the state: " -state=FILE"; empty: of the workspace
};

/// The place of a rescue copy.
struct rescue_copy {
    enum class place_type : std::uint8_t { file, output, nowhere };

    place_type place = place_type::nowhere;
    std::filesystem::path file;
    /// The error that reports the failure to save state, its reason and the place of the copy. Its exit code is 5.
    infra::diagnostic reported;
};

/// Writes a state that its store could not save to a new file in the interchange format, for `state push`. Its serial
/// is above that of the state, and it lists pending operations, if there are any.
[[nodiscard]] auto write_rescue(infra::snapshot const& s, rescue_places const& places, std::string const& why)
    -> rescue_copy;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RESCUE_HPP
