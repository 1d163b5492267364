// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_BACKEND_HPP
#define IACCTL_WORKSPACE_BACKEND_HPP

#include "backend_choice.hpp"
#include "base/expected.hpp"
#include "root_module.hpp"
#include "settings.hpp"
#include "state/backend.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace iacctl::workspace {

/// The directories that backends of a configuration use.
[[nodiscard]] auto place_of(settings const& s) -> backends::place;
/// The same with the methods that encrypt states. \return the errors of `root_module::encryption`
[[nodiscard]] auto sealed_place_of(root_module const& root) -> expected<backends::place>;

/// The file in which `init` stores the selected backend: `.iacctl/backend.json`, or a file below TF_DATA_DIR if that is
/// set, so that each such directory has a backend of its own.
[[nodiscard]] auto backend_file(settings const& s) -> std::filesystem::path;
/// The backend that `init` has stored; nothing if it has stored none.
[[nodiscard]] auto remembered_backend(settings const& s) -> expected<std::optional<backend_choice>>;
/// Stores the choice for later commands. Settings from the environment are not a part of a choice, and are not written.
[[nodiscard]] auto remember(settings const& s, backend_choice const& chosen) -> expected<void>;

/// The choice of a configuration, whose arguments may refer to variables and local values. Nothing after errors.
[[nodiscard]] auto declared_backend(root_module const& module, infra::diagnostics& found)
    -> std::optional<backend_choice>;

/// The choice that commands use: that of `init`, if the configuration has not changed since, or the default one if
/// neither exists.
/// \return a failure with the way out if `init` has to be run first
[[nodiscard]] auto chosen_backend(root_module const& root) -> expected<backend_choice>;

/// The backends in which commands of this directory may have left a lock: that of `backend_of`, or, if `init` has to be run
/// for a changed configuration, the former one and the new one, as an interrupted migration locks both.
[[nodiscard]] auto lockable_backends(root_module const& root) -> expected<std::vector<std::shared_ptr<state::backend>>>;

/// The place of the states of a configuration.
[[nodiscard]] auto backend_of(root_module const& root) -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_BACKEND_HPP
