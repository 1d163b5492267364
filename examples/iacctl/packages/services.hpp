// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_SERVICES_HPP
#define IACCTL_PACKAGES_SERVICES_HPP

#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "base/json.hpp"
#include "cli_configuration.hpp"
#include "credentials.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::packages {

/// A document from a server.
class service_document {
public:
    json content;
    std::string url;  ///< the base of references in it
};

/// Requests to services of hosts: service discovery, credentials, documents and files.
///
/// \source Terraform, remote service discovery protocol
class service_client {
public:
    explicit service_client(cli_configuration const& from) : from_(&from), credentials_(from) {}

    /// The URL of a service of a host, such as "providers.v1"; empty if the host does not offer it.
    [[nodiscard]] auto service(std::string const& host, std::string const& id) -> expected<std::string>;
    /// The entry of a service in the discovery document; null if the host does not offer it.
    [[nodiscard]] auto service_entry(std::string const& host, std::string const& id) -> expected<service_document>;

    /// Reads a JSON document; nothing if there is none at the URL. \param host  the host whose token is sent; empty:
    /// none
    [[nodiscard]] auto document(std::string const& url, std::string const& host)
        -> expected<std::optional<service_document>>;
    /// Reads a response of any status with its headers. \param host  the host whose token is sent; empty: none
    [[nodiscard]] auto get(std::string const& url, std::string const& host) -> expected<http::response>;
    /// Reads a small file, such as a signature.
    [[nodiscard]] auto text(std::string const& url) -> expected<std::string>;
    /// Downloads a file. \param host  the host whose token is sent if the URL is at that host; empty: none
    [[nodiscard]] auto download(std::string const& url, std::string const& host, std::filesystem::path const& to)
        -> infra::diagnostics;

    /// A request for a document, with the usual time limits and retries, and without credentials.
    [[nodiscard]] static auto usual_request(std::string url) -> http::request;

    [[nodiscard]] auto settings() const noexcept -> cli_configuration const& { return *from_; }
    /// The host to which requests for a host are sent: the default registry is a setting.
    [[nodiscard]] auto requested_host(std::string const& host) const -> std::string;
    [[nodiscard]] auto client() noexcept -> http::blocking_client& { return http_; }
    [[nodiscard]] auto stored_credentials() noexcept -> credentials& { return credentials_; }

private:
    [[nodiscard]] auto request_for(std::string const& url, std::string const& host) -> expected<http::request>;
    [[nodiscard]] auto discovered(std::string const& host) -> expected<service_document const*>;

    cli_configuration const* from_;
    credentials credentials_;
    http::blocking_client http_;
    std::map<std::string, service_document> discovered_;
};

/// Resolves a reference in a document; nothing if the result is not a URL with http or https.
[[nodiscard]] auto resolved(std::string const& base, std::string_view reference) -> std::optional<std::string>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_SERVICES_HPP
