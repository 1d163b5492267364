// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_BACKEND_HPP
#define IACCTL_APP_BACKEND_HPP

#include "language/configuration/configuration.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::app {

/// Judges the settings of a `backend "local"` block. State is kept in one place: settings that say another are refused rather
/// than ignored, with the way to take over what Terraform keeps there.
void check_backend(language::configuration const& of, std::string_view workspace, language::diagnostics& found);

/// The same for what -backend-config gives: `name=value`, or a file of such arguments.
/// \param directory  of the configuration
/// \return the files, which diagnostics quote
[[nodiscard]] auto check_backend_options(std::span<std::string const> options, std::filesystem::path const& directory,
    std::string_view workspace, language::diagnostics& found) -> std::vector<std::shared_ptr<language::syntax_tree>>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_BACKEND_HPP
