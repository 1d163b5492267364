// SPDX-License-Identifier: BSL-1.0
#include "certificate.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/verify_mode.hpp>
#include <boost/system/error_code.hpp>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdint>

namespace iacctl::plugin {

namespace {

namespace ssl = boost::asio::ssl;

constexpr long clock_difference = 30;  // seconds
constexpr long lifetime = 24L * 60 * 60 * 365 * 30;

auto extend(X509* x509, int which, char const* value) -> bool
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, x509, x509, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, which, value);
    if (extension == nullptr) return false;
    bool const added = X509_add_ext(x509, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

auto set_serial_number(X509* x509) -> bool
{
    std::uint64_t serial = 0;
    return RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1
        && ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial >> 1U) == 1;
}

auto name(X509* x509, char const* organization, char const* host) -> bool
{
    X509_NAME* const subject = X509_get_subject_name(x509);
    auto const add = [&](char const* field, char const* text) {
        auto const* const bytes = reinterpret_cast<unsigned char const*>(text);
        return X509_NAME_add_entry_by_txt(subject, field, MBSTRING_ASC, bytes, -1, -1, 0) == 1;
    };
    return add("O", organization) && add("CN", host) && X509_set_issuer_name(x509, subject) == 1;
}

auto content(BIO* o) -> std::string
{
    char* text = nullptr;
    long const size = BIO_get_mem_data(o, &text);
    return std::string(text, static_cast<std::size_t>(size));
}

struct release_bio {
    void operator()(BIO* o) const { BIO_free(o); }
};
using bio = std::unique_ptr<BIO, release_bio>;

}  // namespace

auto certificate::make() -> std::optional<certificate>
{
    certificate made;
    made.key_.reset(EVP_EC_gen("P-256"));
    made.certificate_.reset(X509_new());
    X509* const one = made.certificate_.get();
    if (!made.key_ || one == nullptr) return std::nullopt;
    bool const complete = X509_set_version(one, X509_VERSION_3) == 1 && set_serial_number(one)
        && name(one, "HashiCorp", "localhost")
        && X509_gmtime_adj(X509_getm_notBefore(one), -clock_difference) != nullptr
        && X509_gmtime_adj(X509_getm_notAfter(one), lifetime) != nullptr && X509_set_pubkey(one, made.key_.get()) == 1
        && extend(one, NID_basic_constraints, "critical,CA:TRUE")
        && extend(one, NID_key_usage, "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign")
        && extend(one, NID_ext_key_usage, "clientAuth,serverAuth") && extend(one, NID_subject_alt_name, "DNS:localhost")
        && X509_sign(one, made.key_.get(), EVP_sha256()) > 0;
    if (!complete) return std::nullopt;
    return made;
}

auto certificate::from_der(std::string_view der) -> std::optional<certificate>
{
    auto const* bytes = reinterpret_cast<unsigned char const*>(der.data());
    certificate made;
    made.certificate_.reset(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
    if (!made.certificate_) return std::nullopt;
    return made;
}

auto certificate::from_pem(std::string_view pem) -> std::optional<certificate>
{
    bio const text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    certificate made;
    made.certificate_.reset(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (!made.certificate_) return std::nullopt;
    return made;
}

auto certificate::pem() const -> std::string
{
    bio const text(BIO_new(BIO_s_mem()));
    return PEM_write_bio_X509(text.get(), certificate_.get()) == 1 ? content(text.get()) : std::string();
}

auto certificate::der() const -> std::string
{
    bio const bytes(BIO_new(BIO_s_mem()));
    return i2d_X509_bio(bytes.get(), certificate_.get()) == 1 ? content(bytes.get()) : std::string();
}

auto certificate::from_secret_pem(std::string_view pem) -> std::optional<certificate>
{
    bio const text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    certificate made;
    made.key_.reset(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
    made.certificate_.reset(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (!made.key_ || !made.certificate_) return std::nullopt;
    return made;
}

auto certificate::secret_pem() const -> std::string
{
    bio const text(BIO_new(BIO_s_mem()));
    bool const written = PEM_write_bio_PrivateKey(text.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
    return written ? content(text.get()) + pem() : std::string();
}

auto tls_context(ssl::context::method role, certificate const& own, certificate const& peer,
    application_protocol protocol) -> std::optional<ssl::context>
{
    static constexpr unsigned char h2[] = {2, 'h', '2'};
    ssl::context made(role);
    SSL_CTX* const context = made.native_handle();
    bool const complete = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_use_certificate(context, own.certificate_.get()) == 1
        && SSL_CTX_use_PrivateKey(context, own.key_.get()) == 1
        && X509_STORE_add_cert(SSL_CTX_get_cert_store(context), peer.certificate_.get()) == 1;
    if (!complete) return std::nullopt;
    made.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    if (protocol == application_protocol::none) return made;
    if (SSL_CTX_set_alpn_protos(context, h2, sizeof h2) != 0) return std::nullopt;
    auto const choose = [](SSL*, unsigned char const** chosen, unsigned char* size, unsigned char const* offered,
                            unsigned offered_size, void*) -> int {
        auto* out = const_cast<unsigned char*>(*chosen);
        int const found = SSL_select_next_proto(&out, size, h2, sizeof h2, offered, offered_size);
        *chosen = out;
        return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
    };
    SSL_CTX_set_alpn_select_cb(context, choose, nullptr);  // of servers
    return made;
}

}  // namespace iacctl::plugin
