// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AZURE_BLOBS_HPP
#define IACCTL_STATE_BACKENDS_AZURE_BLOBS_HPP

#include "azure_account.hpp"
#include "base/http/client.hpp"
#include "object_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace iacctl::backends {

/// The settings of the backend "azurerm".
struct azurerm_settings {
    azure_access access;
    std::string container;
    std::string key;
    std::string cloud_name;  ///< for messages; empty: the public cloud
    bool snapshot = false;  ///< a document is copied before it is replaced
    std::string customer_key;  ///< 32 bytes that encrypt the blobs; empty: none
    std::string encryption_scope;
    std::chrono::milliseconds timeout{120'000};  ///< for one attempt of a request
    http::retry_policy retries{5, std::chrono::milliseconds(200), std::chrono::seconds(20), true};
};

/// The blobs of a container of Azure. The version of a blob is its ETag.
///
/// A lock is a lease without an end, with the id of the lock, on the blob of the document itself. Its description is in the
/// metadata of the blob, as with Terraform; to be locked, a document that does not exist is created empty.
/// \source Azure Storage, "Blob service REST API", version 2023-11-03; Terraform's backend "azurerm"
[[nodiscard]] auto make_azure_blobs(azurerm_settings settings) -> std::shared_ptr<object_store>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AZURE_BLOBS_HPP
