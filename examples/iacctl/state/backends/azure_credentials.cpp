// SPDX-License-Identifier: BSL-1.0
#include "azure_credentials.hpp"

#include "base/blocking_child.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/proxies.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "base/trimmed.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "openssl_pointer.hpp"
#include "state/state_error.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace iacctl::backends {

namespace infra = state::infra;
using state::make_failure;

namespace {

void free_bio(BIO* b)
{
    BIO_free_all(b);
}

// A certificate and its private key.
struct key_pair {
    std::string key_pem;
    std::string certificate_der;
};

auto parse_pkcs12(PKCS12* bundle, std::string const& password) -> std::optional<key_pair>
{
    EVP_PKEY* key = nullptr;
    X509* certificate = nullptr;
    bool const is_parsed = PKCS12_parse(bundle, password.c_str(), &key, &certificate, nullptr) == 1;
    openssl_pointer<EVP_PKEY, EVP_PKEY_free> const own_key(key);
    openssl_pointer<X509, X509_free> const own_certificate(certificate);
    if (!is_parsed || !own_key || !own_certificate) return std::nullopt;
    key_pair made;
    openssl_pointer<BIO, free_bio> const text(BIO_new(BIO_s_mem()));
    if (!text || PEM_write_bio_PKCS8PrivateKey(text.get(), own_key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
        return std::nullopt;
    char* data = nullptr;
    auto const size = BIO_get_mem_data(text.get(), &data);
    made.key_pem.assign(data, static_cast<std::size_t>(size));
    int const length = i2d_X509(own_certificate.get(), nullptr);
    if (length <= 0) return std::nullopt;
    made.certificate_der.resize(static_cast<std::size_t>(length));
    auto* at = reinterpret_cast<unsigned char*>(made.certificate_der.data());
    i2d_X509(own_certificate.get(), &at);
    return made;
}

// Older programs encrypt bundles with algorithms that OpenSSL 3 has in its provider "legacy".
auto read_key_pair(std::string const& pkcs12, std::string const& password) -> std::optional<key_pair>
{
    auto const* at = reinterpret_cast<unsigned char const*>(pkcs12.data());
    openssl_pointer<PKCS12, PKCS12_free> const bundle(d2i_PKCS12(nullptr, &at, static_cast<long>(pkcs12.size())));
    if (!bundle) return std::nullopt;
    auto made = parse_pkcs12(bundle.get(), password);
    if (!made && OSSL_PROVIDER_try_load(nullptr, "legacy", 1) != nullptr) made = parse_pkcs12(bundle.get(), password);
    ERR_clear_error();
    return made;
}

// Returns the JSON object that the command line of Azure prints.
auto ask_command_line(std::vector<std::string> words) -> expected<json>
{
    child_command command;
    words.insert(words.begin(), "az");
    command.words = std::move(words);
    command.keeps_errors_apart = true;
    auto const done = run_child(std::move(command), std::chrono::seconds(60), std::size_t{1} << 20U);
    auto whole = parse_json(done.output);
    if (done.succeeded() && whole && whole->members() != nullptr) return std::move(*whole);
    auto const errors = trimmed(done.errors);
    std::string const why = done.succeeded() ? "the output is not a JSON object"
        : errors.empty()                     ? done.why
                                             : std::string(errors.substr(0, errors.find('\n')));
    return token_failure(azurerm_backend, "the program az", why);
}

}  // namespace

auto method_of(azure_identity const& by) -> azure_method
{
    bool const has_names = !by.tenant_id.empty() && !by.client_id.empty();
    bool const has_request = by.use_oidc && has_names && !by.oidc_request_url.empty() && !by.oidc_request_token.empty();
    if (has_names && !by.client_certificate.empty()) return azure_method::certificate;
    if (has_names && !by.client_secret.empty()) return azure_method::secret;
    if (by.use_oidc && has_names && (!by.oidc_token.empty() || !by.oidc_token_file.empty())) return azure_method::token;
    if (has_request) return by.ado_connection_id.empty() ? azure_method::request : azure_method::devops;
    if (by.use_msi) return azure_method::managed_identity;
    return by.use_cli ? azure_method::command_line : azure_method::none;
}

auto certificate_problem(azure_identity const& by) -> std::string
{
    if (by.client_certificate.empty()) return {};
    if (read_key_pair(by.client_certificate, by.client_certificate_password)) return {};
    return "It must be a certificate with its private key in PKCS #12 (PFX), and client_certificate_password its "
           "password.";
}

auto azure_tokens::token(std::string const& resource) -> expected<std::string>
{
    access_token& kept = kept_[resource];
    if (!kept.is_usable()) {
        auto fetched = fetch(resource);
        if (!fetched) return fetched.error();
        kept = std::move(*fetched);
    }
    return kept.text;
}

auto azure_tokens::fetch(std::string const& resource) -> expected<access_token>
{
    switch (method_of(identity_)) {
    case azure_method::certificate: return by_assertion(resource, certificate_assertion());
    case azure_method::secret: return exchange(resource, {{"client_secret", identity_.client_secret}});
    case azure_method::token: return by_assertion(resource, federated_token());
    case azure_method::devops: return by_assertion(resource, devops_token());
    case azure_method::request: return by_assertion(resource, requested_token());
    case azure_method::managed_identity: return of_managed_identity(resource);
    case azure_method::command_line: return of_command_line(resource);
    case azure_method::none: break;
    }
    return make_failure(messages::azure_credentials_missing);
}

auto azure_tokens::token_url() const -> std::string
{
    return cloud_.login + "/" + http::percent_encoded(identity_.tenant_id) + "/oauth2/v2.0/token";
}

auto azure_tokens::exchange(std::string const& resource, form_fields proof) -> expected<access_token>
{
    form_fields fields{
        {"grant_type", "client_credentials"}, {"client_id", identity_.client_id}, {"scope", resource + "/.default"}};
    for (auto& one : proof) fields.push_back(std::move(one));
    return fetch_token(client_, form_request(token_url(), fields), azurerm_backend);
}

auto azure_tokens::by_assertion(std::string const& resource, expected<std::string> assertion) -> expected<access_token>
{
    if (!assertion) return assertion.error();
    return exchange(resource,
        {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
            {"client_assertion", std::move(*assertion)}});
}

// \source Microsoft Entra, "Microsoft identity platform application authentication certificate credentials"
auto azure_tokens::certificate_assertion() const -> expected<std::string>
{
    auto const pair = read_key_pair(identity_.client_certificate, identity_.client_certificate_password);
    if (!pair)
        return make_failure(
            messages::credentials_unusable, {azurerm_backend, "The client certificate cannot be read."});
    auto const now = static_cast<std::uint64_t>(timestamp::now().unix_seconds());
    json_object header;
    header.text("alg", "RS256").text("typ", "JWT");
    header.text("x5t", base64_url(digest(pair->certificate_der, digest_kind::sha1)));
    json_object claims;
    claims.text("aud", token_url()).text("iss", identity_.client_id).text("sub", identity_.client_id);
    claims.text("jti", random_uuid()).number("nbf", now).number("iat", now).number("exp", now + 600);
    auto made = signed_web_token(header.done(), claims.done(), pair->key_pem);
    if (!made)
        return make_failure(
            messages::credentials_unusable, {azurerm_backend, "The key of the client certificate is not an RSA key."});
    return std::move(*made);
}

auto azure_tokens::federated_token() const -> expected<std::string>
{
    if (identity_.oidc_token_file.empty()) return identity_.oidc_token;
    auto const text = read_input(identity_.oidc_token_file, input_kind::file_or_pipe);
    if (!text)
        return make_failure(messages::credentials_unusable,
            {azurerm_backend,
                "The file " + identity_.oidc_token_file.generic_string()
                    + " with the token cannot be read: " + text.error().message() + "."});
    return std::string(trimmed(*text));
}

// \source Azure DevOps, "Oidctoken - Create"
auto azure_tokens::devops_token() -> expected<std::string>
{
    std::string const& url = identity_.oidc_request_url;
    std::string const mark = url.find('?') == std::string::npos ? "?" : "&";
    auto request = json_request(
        url + mark + "api-version=7.1&serviceConnectionId=" + http::percent_encoded(identity_.ado_connection_id), {});
    request.headers["Authorization"] = "Bearer " + identity_.oidc_request_token;
    auto const reply = fetch_json(client_, std::move(request), azurerm_backend);
    if (!reply) return reply.error();
    auto text = reply->text_of("oidcToken");
    if (text.empty()) return token_failure(azurerm_backend, url, "the response contains no token");
    return text;
}

// \source GitHub, "OpenID Connect reference"
auto azure_tokens::requested_token() -> expected<std::string>
{
    std::string url = identity_.oidc_request_url;
    bool const has_audience = url.find("audience=") != std::string::npos;
    if (!has_audience) {
        url += url.find('?') == std::string::npos ? "?" : "&";
        url += "audience=" + http::percent_encoded(cloud_.exchange_audience);
    }
    auto request = token_get(url);
    request.headers["Authorization"] = "Bearer " + identity_.oidc_request_token;
    auto const reply = fetch_json(client_, std::move(request), azurerm_backend);
    if (!reply) return reply.error();
    auto text = reply->text_of("value");
    if (text.empty()) return token_failure(azurerm_backend, url, "the response contains no token");
    return text;
}

auto azure_tokens::of_managed_identity(std::string const& resource) -> expected<access_token>
{
    using std::chrono::milliseconds;
    std::string const of_service = environment_variable("IDENTITY_ENDPOINT");
    std::string const secret = environment_variable("IDENTITY_HEADER");
    bool const is_service = identity_.msi_endpoint.empty() && !of_service.empty() && !secret.empty();
    std::string url = !identity_.msi_endpoint.empty() ? identity_.msi_endpoint
        : is_service                                  ? of_service
                                                      : "http://169.254.169.254/metadata/identity/oauth2/token";
    url += url.find('?') == std::string::npos ? "?" : "&";
    url += std::string("api-version=") + (is_service ? "2019-08-01" : "2018-02-01");
    url += "&resource=" + http::percent_encoded(resource);
    if (!identity_.client_id.empty()) url += "&client_id=" + http::percent_encoded(identity_.client_id);
    auto request = token_get(url);
    if (is_service) request.headers["X-IDENTITY-HEADER"] = secret;
    else request.headers["Metadata"] = "true";
    request.connect_timeout = milliseconds(3000);
    request.via = std::make_shared<http::proxies const>("", "", "", false);  // it is on this machine
    return fetch_token(client_, std::move(request), azurerm_backend);
}

auto azure_tokens::of_command_line(std::string const& resource) const -> expected<access_token>
{
    std::vector<std::string> words{"account", "get-access-token", "--output", "json", "--resource", resource};
    if (!identity_.tenant_id.empty()) words.insert(words.end(), {"--tenant", identity_.tenant_id});
    else if (!identity_.subscription_id.empty())
        words.insert(words.end(), {"--subscription", identity_.subscription_id});
    auto const reply = ask_command_line(std::move(words));
    if (!reply) {
        infra::diagnostics all{messages::make_error(messages::azure_credentials_missing)};
        all.add(reply.error().why());
        return infra::failure(std::move(all));
    }
    auto text = reply->text_of("accessToken");
    if (text.empty()) return token_failure(azurerm_backend, "the program az", "its output contains no token");
    json const* const end = reply->find("expires_on");  // older releases print only a local time
    auto const seconds = end == nullptr ? std::nullopt : end->integer();
    return access_token::for_seconds(std::move(text), seconds ? *seconds - timestamp::now().unix_seconds() : 600);
}

auto subscription_of_command_line() -> expected<std::string>
{
    auto const reply = ask_command_line({"account", "show", "--output", "json"});
    if (!reply) return reply.error();
    return reply->text_of("id");
}

}  // namespace iacctl::backends
