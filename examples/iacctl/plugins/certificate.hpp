// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_CERTIFICATE_HPP
#define IACCTL_PLUGINS_CERTIFICATE_HPP

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::plugins {

/// A certificate of "localhost", signed with its own key. Both ends of a connection with a provider show one, and each trusts
/// the other's alone.
/// \source hashicorp/go-plugin, AutoMTLS: ECDSA on P-521
class certificate {
public:
    /// A new key and its certificate; nothing if OpenSSL cannot make them.
    [[nodiscard]] static auto make() -> std::optional<certificate>;
    /// The certificate of a peer, without its key. \param der  as the handshake has it, decoded
    [[nodiscard]] static auto from_der(std::string_view der) -> std::optional<certificate>;
    [[nodiscard]] static auto from_pem(std::string_view pem) -> std::optional<certificate>;

    [[nodiscard]] auto pem() const -> std::string;
    [[nodiscard]] auto der() const -> std::string;

private:
    friend auto tls_context(boost::asio::ssl::context::method role, certificate const& own, certificate const& peer)
        -> std::optional<boost::asio::ssl::context>;

    struct release {
        void operator()(X509* one) const { X509_free(one); }
        void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
    };

    std::unique_ptr<X509, release> certificate_;
    std::unique_ptr<EVP_PKEY, release> key_;
};

/// TLS 1.2 and later, with the protocol "h2", between two that know each other's certificates. \pre `own` has its key
[[nodiscard]] auto tls_context(boost::asio::ssl::context::method role, certificate const& own, certificate const& peer)
    -> std::optional<boost::asio::ssl::context>;

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_CERTIFICATE_HPP
