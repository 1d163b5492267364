// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_TYPES_HPP
#define IACCTL_STATE_BACKENDS_TYPES_HPP

#include "base/expected.hpp"
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
    std::string_view name;  ///< the label of a `backend` block
    /// The arguments of the block. All of them are optional, because -backend-config or a variable can set them; `make`
    /// reports missing ones.
    auto (*arguments)() -> language::schema const&;
    /// Makes the backend. Arguments that are null have the values of their environment variables. Does not connect:
    /// errors are about the settings. A diagnostic names the argument in its `attribute`.
    /// \param settings  an object with all arguments
    auto (*make)(language::value const& settings, place const& of) -> expected<std::shared_ptr<state::backend>>;
};

/// All types, sorted by name.
[[nodiscard]] auto types() noexcept -> std::span<backend_type const>;

/// The type of that name, or null.
[[nodiscard]] auto find_type(std::string_view name) noexcept -> backend_type const*;

/// The names of all types for a message: "\"http\", \"local\" and \"pg\"".
[[nodiscard]] auto names_of_types() -> std::string;

/// Settings of a type in which every argument is null.
[[nodiscard]] auto no_settings(backend_type const& bt) -> language::value;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_TYPES_HPP
