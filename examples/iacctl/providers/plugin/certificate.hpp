// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_CERTIFICATE_HPP
#define IACCTL_PROVIDERS_PLUGIN_CERTIFICATE_HPP

#include <boost/asio/ssl/context.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::plugin {

/// The protocol that both ends select in the handshake.
enum class application_protocol : std::uint8_t { none, h2 };

/// A certificate for "localhost", signed with its own key. Each end of a connection presents one and trusts only that of
/// the other end: a provider and its client have two, workers and their executor share one.
/// The key is on P-256, because a handshake with P-521 takes longer, above all in providers.
/// \source hashicorp/go-plugin, AutoMTLS
class certificate {
public:
    /// Makes a new key and its certificate; nothing if OpenSSL fails.
    [[nodiscard]] static auto make() -> std::optional<certificate>;
    /// The certificate of a peer, without its key. \param der  from the handshake, decoded
    [[nodiscard]] static auto from_der(std::string_view der) -> std::optional<certificate>;
    [[nodiscard]] static auto from_pem(std::string_view pem) -> std::optional<certificate>;
    /// A certificate with its key, as `secret_pem` has written it.
    [[nodiscard]] static auto from_secret_pem(std::string_view pem) -> std::optional<certificate>;

    [[nodiscard]] auto pem() const -> std::string;
    [[nodiscard]] auto der() const -> std::string;
    /// The key and the certificate. \pre it has its key
    [[nodiscard]] auto secret_pem() const -> std::string;

private:
    friend auto tls_context(boost::asio::ssl::context::method role, certificate const& own, certificate const& peer,
        application_protocol protocol) -> std::optional<boost::asio::ssl::context>;

    struct release {
        void operator()(X509* x509) const { X509_free(x509); }
        void operator()(EVP_PKEY* given) const { EVP_PKEY_free(given); }
    };

    std::unique_ptr<X509, release> certificate_;
    std::unique_ptr<EVP_PKEY, release> key_;
};

/// TLS 1.2 and later, between two ends that have each other's certificates. \pre `own` has its key
[[nodiscard]] auto tls_context(boost::asio::ssl::context::method role, certificate const& own, certificate const& peer,
    application_protocol protocol = application_protocol::h2) -> std::optional<boost::asio::ssl::context>;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_CERTIFICATE_HPP
