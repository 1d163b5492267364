// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_BACKEND_CHOICE_HPP
#define IACCTL_WORKSPACE_BACKEND_CHOICE_HPP

#include "base/expected.hpp"
#include "language/configuration/configuration.hpp"
#include "language/evaluation/evaluate.hpp"
#include "state/backend.hpp"
#include "state/backends/place.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// A type of backend with its settings.
struct backend_choice {
    std::string type;
    language::value settings;  ///< an object with all arguments of the type; null if an argument is not set
    std::string hash;  ///< of the block of the configuration, which contains only a part of the settings
    std::string decided_note{};  ///< digest of the record of `terraform init` that was handled

    /// The local backend without settings, for configurations without a block.
    [[nodiscard]] static auto usual() -> backend_choice;
    [[nodiscard]] auto is_usual() const -> bool;
    /// Returns whether the settings equal those of the other one, independent of their source.
    [[nodiscard]] auto same_as(backend_choice const& other) const -> bool
    {
        return type == other.type && settings == other.settings;
    }
};

/// The choice of a configuration. Nothing after errors: a type that does not exist, a `cloud` block, arguments that the type does
/// not have or that are secret. \param values  the values that arguments may refer to
[[nodiscard]] auto declared_backend(language::configuration const& root, infra::diagnostics& found,
    language::scope const& values = language::constant_scope()) -> std::optional<backend_choice>;

/// Reports an unknown type of backend, and a `cloud` block, with its name and a remedy.
void check_backend_type(language::configuration const& root, infra::diagnostics& found);

/// Reports what a validation finds in a `backend` block: a type that exists neither here nor in Terraform or OpenTofu,
/// and arguments that the backend does not have. Required arguments may be missing, because `init` accepts options for
/// them.
void check_backend_block(language::configuration const& root, infra::diagnostics& found);

/// Adds the arguments of -backend-config: `name=value`, or a file of such arguments. Later options replace earlier
/// ones.
/// \return the files, which diagnostics quote
[[nodiscard]] auto add_backend_options(backend_choice& to, std::span<std::string const> options,
    infra::diagnostics& found) -> std::vector<std::shared_ptr<language::syntax_tree>>;

/// The arguments of a type in a JSON object that `terraform init` or this program has written. Members that are null or
/// absent are null.
/// \return a failure if a member is not an argument of the type, or has another type
[[nodiscard]] auto settings_from_json(std::string_view type, std::string_view object) -> expected<language::value>;

/// The error that a configuration has another backend than the one that `init` has selected, or other arguments for it.
[[nodiscard]] auto changed_backend(backend_choice const& selected, backend_choice const& configured)
    -> infra::diagnostic;

/// The names of arguments that are set and secret.
[[nodiscard]] auto secrets_in(backend_choice const& choice) -> std::vector<std::string>;

/// The backend of a choice. \return a failure about its settings; nothing is connected
[[nodiscard]] auto make_backend(backend_choice const& choice, backends::place const& where)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_BACKEND_CHOICE_HPP
