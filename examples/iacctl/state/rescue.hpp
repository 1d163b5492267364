// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RESCUE_HPP
#define IACCTL_STATE_RESCUE_HPP

#include "encryption/target.hpp"
#include "state_error.hpp"
#include "support/terraform_version.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::state {

/// Where a rescue copy may go, in this order: the `spool` of the workspace, another directory, a descriptor.
struct rescue_places {
    std::filesystem::path workspace_directory;
    std::optional<std::filesystem::path> emergency_directory;
    int output = 1;
    std::string_view version = terraform_version;
    std::string_view lineage;  ///< for a snapshot that has none yet
    encryption::target const* encryption = nullptr;  ///< null: the copy is not encrypted
};

/// Where it went.
struct rescue_copy {
    enum class place_type : std::uint8_t { file, output, nowhere };

    place_type place = place_type::nowhere;
    std::filesystem::path file;
    /// Failed to save state: why, and where the copy lies. Its exit code is 5.
    infra::diagnostic reported;
};

/// Writes all of a state that its store could not save to a fresh file in the interchange format, which `state push` takes:
/// its serial is above that of the state, and it tells which operations are pending, if any.
[[nodiscard]] auto write_rescue(infra::snapshot const& s, rescue_places const& places, std::string const& why)
    -> rescue_copy;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RESCUE_HPP
