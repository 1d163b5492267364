// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AZURE_CLOUD_HPP
#define IACCTL_STATE_BACKENDS_AZURE_CLOUD_HPP

#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// The addresses of one cloud of Azure. URLs have no slash at their ends.
struct azure_cloud {
    std::string login = "https://login.microsoftonline.com";
    std::string resource_manager = "https://management.azure.com";
    std::string manager_audience = "https://management.azure.com";  ///< the resource of tokens for the resource manager
    std::string storage_suffix = "core.windows.net";
    std::string exchange_audience =
        "api://AzureADTokenExchange";  ///< of tokens that a pipeline asks its own server for
};

/// The cloud with a name that Terraform or OpenTofu knows: "public", "usgovernment", "china" and their synonyms.
[[nodiscard]] auto find_azure_cloud(std::string_view name) -> std::optional<azure_cloud>;

/// Asks the metadata service of a cloud for its addresses. \param host  with its port, if it is not 443
[[nodiscard]] auto fetch_azure_cloud(http::blocking_client& client, std::string const& host) -> expected<azure_cloud>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AZURE_CLOUD_HPP
