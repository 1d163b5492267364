// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_PLACE_HPP
#define IACCTL_BACKENDS_PLACE_HPP

#include "encryption/target.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace iacctl::backends {

/// The directories of a configuration that its backend works with.
struct place {
    std::filesystem::path directory = ".";  ///< of the configuration; relative names in settings begin there
    std::filesystem::path mirrors = ".iacctl/.mirrors";  ///< has the mirrors of states that servers keep
    std::shared_ptr<encryption::target const> encryption = {};  ///< of states; null: none

    /// A name of a file in the settings, from the current directory of the process.
    [[nodiscard]] auto resolve(std::filesystem::path const& name) const -> std::filesystem::path
    {
        return directory == "." ? name : directory / name;
    }
    /// The directory for mirrors of the states at one address: another address has another one.
    /// \param address  as `state_client::place_of` returns it, without credentials, so that it outlives them
    [[nodiscard]] auto mirror_of(std::string_view type, std::string_view address) const -> std::filesystem::path;
};

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_PLACE_HPP
