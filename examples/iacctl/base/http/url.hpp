// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_URL_HPP
#define IACCTL_BASE_HTTP_URL_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::http {

/// A URL with the scheme http or https, in parts.
///
/// \source RFC 3986; the target is in the format of Go's net/url: characters that are not allowed become %XX.
class url {
public:
    bool secure = false;    ///< https
    std::string user_info;  ///< "user:password", with %XX as given
    std::string host;       ///< in lower case; an IPv6 address without brackets
    std::string port;       ///< never empty
    std::string target;     ///< path and query; begins with a slash

    /// Nothing if the text is not such a URL. A fragment is removed.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<url>;
    /// Resolves a reference in a document at this URL; user information is inherited if the host is.
    [[nodiscard]] auto resolve(std::string_view reference) const -> std::optional<url>;

    /// "example.org", "[::1]:8080": the port only if it is not the default of the scheme.
    [[nodiscard]] auto authority() const -> std::string;
    /// Scheme, host and port: "https://example.org".
    [[nodiscard]] auto origin() const -> std::string;
    /// The URL without user information.
    [[nodiscard]] auto text() const -> std::string { return origin() + target; }
};

/// Encodes each byte that is not unreserved (RFC 3986) as %XX. \param kept  reserved characters that are not encoded
[[nodiscard]] auto percent_encoded(std::string_view text, std::string_view kept = {}) -> std::string;

/// Decodes each %XX of a text.
[[nodiscard]] auto percent_decoded(std::string_view text) -> std::string;

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_URL_HPP
