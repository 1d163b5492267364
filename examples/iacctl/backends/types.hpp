// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_TYPES_HPP
#define IACCTL_BACKENDS_TYPES_HPP

#include "language/validation/schema.hpp"
#include "place.hpp"
#include "state/backend.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// One type of backend.
struct backend_type {
    std::string_view name;  ///< as the label of a `backend` block
    /// Arguments of the block. No argument is required that an environment variable can give.
    auto (*arguments)() -> language::schema const&;
    /// The backend with these settings. Environment variables stand for arguments that are null.
    /// Connects to nothing: errors are about the settings. A diagnostic names the argument in its `attribute`.
    /// \param settings  an object with all arguments
    auto (*make)(language::value const& settings, place const& of) -> state::expected<std::shared_ptr<state::backend>>;
};

/// All types, sorted by name.
[[nodiscard]] auto types() noexcept -> std::span<backend_type const>;

/// The type of that name, or null.
[[nodiscard]] auto find_type(std::string_view name) noexcept -> backend_type const*;

/// "\"http\", \"local\" and \"pg\"": all types, for a message.
[[nodiscard]] auto names_of_types() -> std::string;

/// The settings of a type of which none is set.
[[nodiscard]] auto no_settings(backend_type const& of) -> language::value;

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_TYPES_HPP
