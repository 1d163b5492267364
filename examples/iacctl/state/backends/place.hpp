// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_PLACE_HPP
#define IACCTL_STATE_BACKENDS_PLACE_HPP

#include "state/encryption/target.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace iacctl::backends {

/// The directories that the backend of a configuration uses.
struct place {
    std::filesystem::path directory = ".";  ///< of the configuration; the base of relative names in settings
    std::filesystem::path mirrors = ".iacctl/.mirrors";  ///< has the mirrors of states that servers keep
    std::shared_ptr<encryption::target const> encryption = {};  ///< of states; null: none

    /// A file name from the settings, relative to the current directory of the process.
    [[nodiscard]] auto resolve(std::filesystem::path const& name) const -> std::filesystem::path
    {
        return directory == "." ? name : directory / name;
    }
    /// The directory for mirrors of the states at one address. Each address has its own.
    /// \param address  from `state_client::place_of`, without credentials, so that a change of these keeps the
    /// directory
    [[nodiscard]] auto mirror_of(std::string_view type, std::string_view address) const -> std::filesystem::path;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_PLACE_HPP
