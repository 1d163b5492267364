// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_BACKEND_HPP
#define IACCTL_APP_BACKEND_HPP

#include "backend_choice.hpp"
#include "root_module.hpp"
#include "settings.hpp"
#include "state/backend.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace iacctl::app {

/// The directories that backends of a configuration work with.
[[nodiscard]] auto place_of(settings const& of) -> backends::place;
/// The same with the methods that encrypt states. \return the errors of `root_module::encryption`
[[nodiscard]] auto sealed_place_of(root_module const& of) -> infra::expected<backends::place>;

/// The file with the choice that `init` has made: `.iacctl/backend.json`, or below TF_DATA_DIR where that is set, so that each
/// such directory has a choice of its own.
[[nodiscard]] auto backend_file(settings const& of) -> std::filesystem::path;
/// The choice that `init` has made. Nothing if it has made none.
[[nodiscard]] auto remembered_backend(settings const& of) -> infra::expected<std::optional<backend_choice>>;
/// Makes it the choice of later commands. Settings that come from the environment are no part of a choice, and are not written.
[[nodiscard]] auto remember(settings const& of, backend_choice const& chosen) -> std::optional<infra::failure>;

/// The choice of a configuration, whose arguments may refer to variables and local values. Nothing after errors.
[[nodiscard]] auto declared_backend(root_module const& of, language::diagnostics& found)
    -> std::optional<backend_choice>;

/// The choice that commands have to use: that of `init`, as long as the configuration still says the same, or the usual one where
/// neither says anything.
/// \return a failure with the way out if `init` has to be run first
[[nodiscard]] auto chosen_backend(root_module const& of) -> infra::expected<backend_choice>;

/// The place of the states of a configuration.
[[nodiscard]] auto backend_of(root_module const& of) -> infra::expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_BACKEND_HPP
