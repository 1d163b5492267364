// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_GCS_OBJECTS_HPP
#define IACCTL_STATE_BACKENDS_GCS_OBJECTS_HPP

#include "base/http/client.hpp"
#include "google_credentials.hpp"
#include "object_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace iacctl::backends {

/// The settings of the backend "gcs".
struct gcs_settings {
    std::string bucket;
    std::string prefix;  ///< of all names; empty, or with a slash at its end
    std::string endpoint = "https://storage.googleapis.com/storage/v1/";  ///< a URL whose path ends with a slash
    bool is_usual_endpoint = true;  ///< messages do not name it
    google_identity identity;
    std::string encryption_key;  ///< 32 bytes of the customer; empty: none
    std::string kms_key_name;
    http::retry_policy retries{5, std::chrono::milliseconds(200), std::chrono::seconds(20), true};
};

/// The objects of a bucket of Google Cloud Storage. The version of an object is its generation.
/// \source Google, "Cloud Storage JSON API", v1; "Request preconditions"
[[nodiscard]] auto make_gcs_objects(gcs_settings settings) -> std::shared_ptr<object_store>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_GCS_OBJECTS_HPP
