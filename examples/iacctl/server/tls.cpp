// SPDX-License-Identifier: BSL-1.0
#include "tls.hpp"

#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/state_error.hpp"

#include <boost/system/system_error.hpp>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

namespace iacctl::server {

namespace ssl = boost::asio::ssl;

auto make_tls_context(server_options const& options) -> expected<ssl::context>
{
    std::string file;
    try {
        ssl::context made(ssl::context::tls_server);
        SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_2_VERSION);
        // There is no prompt for a pass phrase, because the server is not interactive.
        made.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
        file = options.tls_certificate.string();
        made.use_certificate_chain_file(file);
        file = options.tls_key.string();
        made.use_private_key_file(file, ssl::context::pem);
        if (!options.client_ca.empty()) {
            file = options.client_ca.string();
            made.load_verify_file(file);
            made.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
            static constexpr unsigned char context_id[] = {'i', 'a', 'c', 'c', 't', 'l'};
            SSL_CTX_set_session_id_context(made.native_handle(), context_id, sizeof context_id);
        }
        return made;
    } catch (boost::system::system_error const& failed) {
        return state::make_failure(messages::tls_unusable, {file, failed.code().message()});
    }
}

auto certificate_name(SSL* connection) -> std::string
{
    struct free_certificate {
        void operator()(X509* x509) const { X509_free(x509); }
    };
    std::unique_ptr<X509, free_certificate> const shown(SSL_get1_peer_certificate(connection));
    if (!shown) return {};
    std::array<char, 256> name{};
    int const size = X509_NAME_get_text_by_NID(
        X509_get_subject_name(shown.get()), NID_commonName, name.data(), static_cast<int>(name.size()));
    return size < 0 ? std::string() : std::string(name.data(), static_cast<std::size_t>(size));
}

}  // namespace iacctl::server
