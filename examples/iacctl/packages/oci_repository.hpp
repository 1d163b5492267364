// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_OCI_REPOSITORY_HPP
#define IACCTL_PACKAGES_OCI_REPOSITORY_HPP

#include "base/expected.hpp"
#include "base/json.hpp"
#include "services.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::packages {

/// A repository of an OCI registry, over HTTPS.
///
/// \source OCI Distribution Specification 1.1; Docker Registry, token authentication
class oci_repository {
public:
    /// \param registry  "registry.example.com:5000"   \param name  "team/network"
    oci_repository(service_client& client, std::string registry, std::string name);

    /// Parses "registry.example.com:5000/team/network". Nothing, and the reason in `why`, if it is invalid.
    [[nodiscard]] static auto parse(service_client& client, std::string_view address, std::string& why)
        -> std::optional<oci_repository>;

    /// The tags; nothing if the repository does not exist.
    [[nodiscard]] auto tags() -> expected<std::optional<std::vector<std::string>>>;
    /// The manifest of a tag or a digest; a digest is verified. Nothing if it does not exist.
    [[nodiscard]] auto manifest(std::string const& reference) -> expected<std::optional<json>>;
    /// Downloads the only layer of a manifest, which must be a zip archive, and verifies its digest.
    [[nodiscard]] auto download_archive(json const& manifest, std::filesystem::path const& to) -> infra::diagnostics;

    /// "oci://registry.example.com:5000/team/network"
    [[nodiscard]] auto text() const -> std::string { return "oci://" + registry_ + "/" + name_; }
    /// A failure of a request to this repository. \param why  the reason, without the full stop
    [[nodiscard]] auto failed(std::string const& why) const -> infra::failure;

private:
    [[nodiscard]] auto get(std::string const& url, std::string_view accepted, std::size_t longest)
        -> expected<http::response>;
    [[nodiscard]] auto authorize(std::string const& challenge) -> infra::diagnostics;
    [[nodiscard]] auto request_token(std::string_view challenge, oci_credentials const& credentials)
        -> expected<std::string>;
    [[nodiscard]] auto url_of(std::string const& path) const -> std::string
    {
        return "https://" + registry_ + "/v2/" + name_ + "/" + path;
    }

    service_client* client_;
    std::string registry_;
    std::string name_;
    std::string authorization_;  // the header; empty until the registry requires it
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_OCI_REPOSITORY_HPP
