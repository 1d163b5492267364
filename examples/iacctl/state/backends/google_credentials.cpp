// SPDX-License-Identifier: BSL-1.0
#include "google_credentials.hpp"

#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/proxies.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/json_writer.hpp"
#include "base/timestamp.hpp"
#include "base/trimmed.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "state/state_error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

namespace iacctl::backends {

namespace infra = state::infra;
using state::make_failure;

namespace {

constexpr std::string_view gcs_backend = "gcs";
constexpr char const* storage_scope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr char const* any_scope = "https://www.googleapis.com/auth/cloud-platform";

// The members without which credentials of a type cannot be used.
struct credentials_type {
    std::string_view name;
    std::array<std::string_view, 3> members;
};
constexpr std::array all_types{
    credentials_type{"service_account", {"client_email", "private_key"}},
    credentials_type{"authorized_user", {"client_id", "client_secret", "refresh_token"}},
    credentials_type{"external_account", {"audience", "subject_token_type", "token_url"}},
    credentials_type{"impersonated_service_account", {"service_account_impersonation_url"}},
};

auto texts_of(json const* list) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (list == nullptr || list->elements() == nullptr) return all;
    for (json const& one : *list->elements())
        if (auto const* const text = one.text()) all.push_back(*text);
    return all;
}

auto json_texts(std::vector<std::string> const& texts) -> std::string
{
    json_array all;
    for (std::string const& one : texts) all.text(one);
    return all.done();
}

// The reason why credentials of federation cannot be used; empty: they can.
auto federation_problem(json const& from) -> std::string
{
    json const* const source = from.find("credential_source");
    if (source == nullptr) return "They have no member \"credential_source\".";
    if (!source->text_of("file").empty() || !source->text_of("url").empty()) return {};
    return "The subject token must come from a file or a URL; executables and AWS are not supported. Create an access "
           "token "
           "with \"gcloud auth print-access-token\", and set GOOGLE_OAUTH_ACCESS_TOKEN.";
}

}  // namespace

auto read_google_credentials(std::string const& text) -> strider::result<json, credentials_problem>
{
    auto whole = parse_json(text);
    if (!whole || whole->members() == nullptr) return credentials_problem{"They are not a JSON object."};
    std::string const type = whole->text_of("type");
    auto const* const found = std::ranges::find(all_types, type, &credentials_type::name);
    if (found == all_types.end())
        return credentials_problem{"Their type is \"" + type
            + "\"; it must be \"service_account\", \"authorized_user\", \"external_account\" or "
              "\"impersonated_service_account\"."};
    for (std::string_view const member : found->members)
        if (!member.empty() && whole->text_of(member).empty())
            return credentials_problem{"They have no member \"" + std::string(member) + "\"."};
    if (type == "external_account")
        if (auto problem = federation_problem(*whole); !problem.empty()) return credentials_problem{std::move(problem)};
    if (type == "impersonated_service_account") {
        json const* const source = whole->find("source_credentials");
        auto const nested = read_google_credentials(source == nullptr ? std::string() : compact_text(*source));
        if (!nested)
            return credentials_problem{"Their member \"source_credentials\" cannot be used. " + nested.error().why};
    }
    return std::move(*whole);
}

auto google_tokens::token() -> expected<std::string>
{
    if (identity_.is_anonymous) return std::string();
    if (!kept_.is_usable()) {
        auto fetched = fetch();
        if (!fetched) return fetched.error();
        kept_ = std::move(*fetched);
    }
    return kept_.text;
}

auto google_tokens::fetch() -> expected<access_token>
{
    bool const impersonates = !identity_.impersonated.empty();
    std::string const scope = impersonates ? any_scope : storage_scope;
    auto own = !identity_.access_token.empty() ? expected<access_token>(access_token{identity_.access_token})
        : identity_.credentials                ? of_credentials(*identity_.credentials, scope)
                                               : of_metadata_server(scope);
    if (!own || !impersonates) return own;
    return impersonate(*own,
        "https://iamcredentials." + identity_.universe_domain + "/v1/projects/-/serviceAccounts/"
            + identity_.impersonated + ":generateAccessToken",
        identity_.delegates, storage_scope);
}

auto google_tokens::of_credentials(json const& from, std::string const& scope) -> expected<access_token>
{
    std::string const type = from.text_of("type");
    if (type == "service_account") return of_service_account(from, scope);
    if (type == "authorized_user") return of_user(from);
    std::string const url = from.text_of("service_account_impersonation_url");
    std::string const own_scope = url.empty() ? scope : any_scope;
    auto own = type == "external_account" ? of_federation(from, own_scope)
                                          : of_credentials(from.at("source_credentials"), own_scope);
    if (!own || url.empty()) return own;
    return impersonate(*own, url, texts_of(from.find("delegates")), scope);
}

// \source AIP-4111; RFC 7523
auto google_tokens::of_service_account(json const& from, std::string const& scope) -> expected<access_token>
{
    std::string const url = token_url(from);
    auto const now = static_cast<std::uint64_t>(timestamp::now().unix_seconds());
    json_object header;
    header.text("alg", "RS256").text("typ", "JWT").text_if("kid", from.text_of("private_key_id"));
    json_object claims;
    claims.text("iss", from.text_of("client_email")).text("scope", scope).text("aud", url);
    claims.number("iat", now).number("exp", now + 3600);
    auto const assertion = signed_web_token(header.done(), claims.done(), from.text_of("private_key"));
    if (!assertion)
        return make_failure(messages::credentials_unusable,
            {gcs_backend, "The private key of the service account is not an RSA key in PEM."});
    return fetch_token(client_,
        form_request(url, {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", *assertion}}),
        gcs_backend);
}

auto google_tokens::of_user(json const& from) -> expected<access_token>
{
    return fetch_token(client_,
        form_request(token_url(from),
            {{"grant_type", "refresh_token"}, {"client_id", from.text_of("client_id")},
                {"client_secret", from.text_of("client_secret")}, {"refresh_token", from.text_of("refresh_token")}}),
        gcs_backend);
}

// \source AIP-4117; RFC 8693
auto google_tokens::of_federation(json const& from, std::string const& scope) -> expected<access_token>
{
    auto const subject = subject_token(from.at("credential_source"));
    if (!subject) return subject.error();
    form_fields fields{{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
        {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
        {"audience", from.text_of("audience")}, {"scope", scope}, {"subject_token", *subject},
        {"subject_token_type", from.text_of("subject_token_type")}};
    std::string const id = from.text_of("client_id");
    std::string const project = from.text_of("workforce_pool_user_project");
    if (id.empty() && !project.empty())
        fields.emplace_back("options", json_object().text("userProject", project).done());
    auto request = form_request(from.text_of("token_url"), fields);
    if (!id.empty()) request.headers["Authorization"] = "Basic " + base64(id + ":" + from.text_of("client_secret"));
    return fetch_token(client_, std::move(request), gcs_backend);
}

auto google_tokens::subject_token(json const& source) -> expected<std::string>
{
    std::string text;
    std::string const url = source.text_of("url");
    std::string const file = source.text_of("file");
    if (!file.empty()) {
        auto read = read_input(file, input_kind::file_or_pipe);
        if (!read)
            return make_failure(messages::credentials_unusable,
                {gcs_backend,
                    "The file " + file + " with the subject token cannot be read: " + read.error().message() + "."});
        text = std::move(*read);
    } else {
        auto request = token_get(url);
        if (json const* const headers = source.find("headers"); headers != nullptr && headers->members() != nullptr)
            for (auto const& [name, value] : *headers->members())
                if (auto const* const given = value.text()) request.headers[name] = *given;
        auto const got = client_.send(std::move(request));
        if (got.status != 200)
            return token_failure(gcs_backend, url, got ? "status " + std::to_string(got.status) : got.reason());
        text = got.body;
    }
    json const* const format = source.find("format");
    if (format != nullptr && format->text_of("type") == "json") {
        auto const whole = parse_json(text);
        text = whole ? whole->text_of(format->text_of("subject_token_field_name")) : std::string();
    }
    text = trimmed(text);
    if (text.empty()) return token_failure(gcs_backend, file.empty() ? url : file, "there is no subject token");
    return text;
}

auto google_tokens::of_metadata_server(std::string const& scope) -> expected<access_token>
{
    using std::chrono::milliseconds;
    std::string const named = environment_variable("GCE_METADATA_HOST");
    std::string const host = named.empty() ? "metadata.google.internal" : named;
    auto request = token_get("http://" + host
        + "/computeMetadata/v1/instance/service-accounts/default/token?scopes=" + http::percent_encoded(scope));
    request.headers["Metadata-Flavor"] = "Google";
    request.via = std::make_shared<http::proxies const>("", "", "", false);  // it is on this machine
    request.connect_timeout = milliseconds(3000);
    request.retries = {2, milliseconds(200), milliseconds(1000), true};
    auto fetched = fetch_token(client_, std::move(request), gcs_backend);
    if (fetched) return fetched;
    infra::diagnostics all{messages::make_error(messages::google_credentials_missing)};
    all.add(fetched.error().why());
    return infra::failure(std::move(all));
}

auto google_tokens::impersonate(access_token const& by, std::string url, std::vector<std::string> const& delegates,
    std::string const& scope) -> expected<access_token>
{
    std::vector<std::string> resources;
    for (std::string const& one : delegates)
        resources.push_back(one.starts_with("projects/") ? one : "projects/-/serviceAccounts/" + one);
    json_object body;
    body.raw("delegates", json_texts(resources)).raw("scope", json_texts({scope})).text("lifetime", "3600s");
    auto request = json_request(url, body.done());
    request.headers["Authorization"] = "Bearer " + by.text;
    auto const reply = fetch_json(client_, std::move(request), gcs_backend);
    if (!reply) return reply.error();
    std::string text = reply->text_of("accessToken");
    auto const end = timestamp::parse(reply->text_of("expireTime"));
    if (text.empty() || !end) return token_failure(gcs_backend, url, "the response contains no access token");
    return access_token::for_seconds(std::move(text), end->unix_seconds() - timestamp::now().unix_seconds());
}

auto google_tokens::token_url(json const& from) const -> std::string
{
    std::string named = from.text_of("token_uri");
    return named.empty() ? "https://oauth2." + identity_.universe_domain + "/token" : named;
}

}  // namespace iacctl::backends
