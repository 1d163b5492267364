// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AZURERM_HPP
#define IACCTL_STATE_BACKENDS_AZURERM_HPP

#include "azure_blobs.hpp"
#include "base/expected.hpp"
#include "language/validation/schema.hpp"
#include "place.hpp"
#include "state/backend.hpp"
#include "state_client.hpp"

#include <memory>

namespace iacctl::backends {

/// The arguments of the backend "azurerm" of Terraform and OpenTofu.
[[nodiscard]] auto azurerm_arguments() -> language::schema const&;

/// Reads the settings. An argument that is null has the value of its ARM_... variable.
[[nodiscard]] auto read_azurerm_settings(language::value const& settings, place const& p) -> expected<azurerm_settings>;

/// State documents as blobs `KEY` and `KEYenv:WORKSPACE`.
/// \source Terraform's backend "azurerm"
[[nodiscard]] auto make_azurerm_state(azurerm_settings settings) -> std::shared_ptr<state_client>;

/// State as blobs in a container of Azure.
[[nodiscard]] auto make_azurerm(language::value const& settings, place const& p)
    -> expected<std::shared_ptr<state::backend>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AZURERM_HPP
