// SPDX-License-Identifier: BSL-1.0
#include "oci_repository.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "oci_credentials.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_manifest = std::size_t{4} << 20U;
constexpr std::size_t longest_blob = std::size_t{2} << 30U;
constexpr unsigned most_pages = 1000;
constexpr std::string_view manifest_types =
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json";

// Returns whether the text is a path of names in lower case, such as "team/network".
auto is_repository_name(std::string_view text) -> bool
{
    char before = '/';
    for (char const c : text) {
        bool const plain = is_digit(c) || (c >= 'a' && c <= 'z');
        bool const between = c == '.' || c == '_' || c == '-' || c == '/';
        if (!plain && !between) return false;
        if (c == '/' && !(is_digit(before) || (before >= 'a' && before <= 'z'))) return false;
        if (!plain && c != '/' && before == '/') return false;
        before = c;
    }
    return is_digit(before) || (before >= 'a' && before <= 'z');
}

// The value of a parameter of a challenge: realm="https://example.com/token".
auto parameter_of(std::string_view challenge, std::string_view name) -> std::string
{
    for (auto at = challenge.find(name); at != std::string_view::npos; at = challenge.find(name, at + 1)) {
        bool const begins = at == 0 || challenge[at - 1] == ' ' || challenge[at - 1] == ',';
        auto rest = challenge.substr(at + name.size());
        if (!begins || !rest.starts_with('=')) continue;
        rest.remove_prefix(1);
        if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of(", ")));
        rest.remove_prefix(1);
        return std::string(rest.substr(0, rest.find('"')));
    }
    return {};
}

auto form_encoded(std::string_view text) -> std::string
{
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string made;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        if (is_alphanumeric(c) || c == '-' || c == '.' || c == '_') made += c;
        else (((made += '%') += digits[byte >> 4U]) += digits[byte & 15U]);
    }
    return made;
}

auto basic(oci_credentials const& credentials) -> std::string
{
    return "Basic " + base64(credentials.username + ":" + credentials.password);
}

// Returns whether the digest is the "sha256:…" of these bytes. False for an unknown algorithm, too.
auto has_digest(std::string_view bytes, std::string_view expected) -> bool
{
    constexpr std::string_view sha256 = "sha256:";
    constexpr std::string_view sha512 = "sha512:";
    if (expected.starts_with(sha256)) return hex(digest(bytes, digest_kind::sha256)) == expected.substr(sha256.size());
    return expected.starts_with(sha512) && hex(digest(bytes, digest_kind::sha512)) == expected.substr(sha512.size());
}

}  // namespace

oci_repository::oci_repository(service_client& client, std::string registry, std::string name)
    : client_(&client),
      registry_(std::move(registry)),
      name_(std::move(name))
{}

auto oci_repository::parse(service_client& client, std::string_view address, std::string& why)
    -> std::optional<oci_repository>
{
    auto const slash = std::min(address.find('/'), address.size());
    auto const host = canonical_host(address.substr(0, slash));
    auto const name = address.substr(std::min(slash + 1, address.size()));
    if (!host) why = "\"" + std::string(address.substr(0, slash)) + "\" is not the host of a registry";
    else if (!is_repository_name(name))
        why = "\"" + std::string(name)
            + "\" is not the name of a repository: it consists of parts that are separated by \"/\", and a part "
              "consists of a-z and 0-9 with single \".\", \"_\" or \"-\" between them";
    else return oci_repository(client, *host, std::string(name));
    return std::nullopt;
}

auto oci_repository::failed(std::string const& why) const -> infra::failure
{
    return infra::failure(messages::make_error(messages::request_failed, {text(), why}));
}

auto oci_repository::get(std::string const& url, std::string_view accepted, std::size_t longest)
    -> expected<http::response>
{
    for (bool again = false;; again = true) {
        http::request request = service_client::usual_request(url);
        request.headers["Accept"] = accepted;
        request.longest_body = longest;
        if (longest == longest_blob) request.timeout = std::chrono::minutes(30);
        if (!authorization_.empty()) request.headers["Authorization"] = authorization_;
        auto response = client_->client().send(std::move(request));
        if (!response) return failed(response.error);
        if (response.status != 401 && response.status != 403) return response;
        auto const challenge = response.headers.find("Www-Authenticate");
        if (again || response.status == 403 || challenge == response.headers.end())
            return infra::failure(
                messages::make_error(messages::oci_unauthorized, {text(), std::to_string(response.status), registry_}));
        authorization_.clear();
        if (auto problems = authorize(challenge->second); !problems.empty()) return infra::failure(std::move(problems));
    }
}

auto oci_repository::authorize(std::string const& challenge) -> infra::diagnostics
{
    auto const with = oci_credentials_for(client_->settings().oci, registry_, name_);
    if (!with) return with.error().why();
    auto const scheme = ascii_lower_case(challenge);
    if (auto const at = scheme.find("bearer "); at != std::string::npos) {
        auto token = with->access_token.empty() ? request_token(std::string_view(challenge).substr(at), *with)
                                                : expected<std::string>(with->access_token);
        if (!token) return token.error().why();
        authorization_ = "Bearer " + *token;
    } else if (scheme.find("basic") == std::string::npos)
        return failed("the registry requires an unsupported kind of authentication: " + challenge).why();
    else if (!with->username.empty()) authorization_ = basic(*with);
    return {};
}

auto oci_repository::request_token(std::string_view challenge, oci_credentials const& credentials)
    -> expected<std::string>
{
    auto const realm = parameter_of(challenge, "realm");
    auto const service = parameter_of(challenge, "service");
    auto scope = parameter_of(challenge, "scope");
    if (scope.empty()) scope = "repository:" + name_ + ":pull";
    // Credentials are sent with TLS only.
    auto const place = http::url::parse(realm);
    if (!place || !place->secure)
        return failed("the address of the token service is not an https URL: \"" + realm + "\"");
    std::string query = "scope=" + form_encoded(scope);
    if (!service.empty()) query += "&service=" + form_encoded(service);
    http::request request;
    if (credentials.refresh_token.empty()) {
        request = service_client::usual_request(realm + (realm.find('?') == std::string::npos ? "?" : "&") + query);
        if (!credentials.username.empty()) request.headers["Authorization"] = basic(credentials);
    } else {
        request = service_client::usual_request(realm);
        request.method = "POST";
        request.follows = http::redirections::same_origin;
        request.headers["Content-Type"] = "application/x-www-form-urlencoded";
        request.body = "grant_type=refresh_token&client_id=iacctl&refresh_token="
            + form_encoded(credentials.refresh_token) + "&" + query;
    }
    request.longest_body = longest_manifest;
    auto const response = client_->client().send(std::move(request));
    if (!response) return failed(response.error);
    if (response.status != 200)
        return infra::failure(messages::make_error(
            messages::oci_unauthorized, {place->text(), std::to_string(response.status), registry_}));
    auto const document = parse_json(response.body);
    std::string token = document ? document->text_of("token") : std::string();
    if (token.empty() && document) token = document->text_of("access_token");
    if (token.empty()) return failed("the response of " + place->text() + " has no token");
    return token;
}

auto oci_repository::tags() -> expected<std::optional<std::vector<std::string>>>
{
    std::vector<std::string> all;
    std::string url = url_of("tags/list");
    for (unsigned page = 0; page < most_pages; ++page) {
        auto const response = get(url, "application/json", longest_manifest);
        if (!response) return response.error();
        if (response->status == 404) return std::optional<std::vector<std::string>>();
        if (response->status != 200) return failed("the status is " + std::to_string(response->status));
        auto const document = parse_json(response->body);
        auto const* const listed = document ? document->find("tags") : nullptr;
        if (listed == nullptr || (listed->elements() == nullptr && !listed->is_null()))
            return failed("the list of tags is not a JSON object with \"tags\"");
        if (!listed->is_null())
            for (json const& one : *listed->elements())
                if (one.text() != nullptr) all.push_back(*one.text());
        // Link: </v2/team/network/tags/list?last=1.2.0>; rel="next"
        auto const link = response->headers.find("Link");
        if (link == response->headers.end() || link->second.find("rel=\"next\"") == std::string::npos)
            return std::optional(std::move(all));
        auto const begin = link->second.find('<');
        auto const end = link->second.find('>', std::min(begin, link->second.size()));
        auto const next =
            end == std::string::npos ? std::nullopt : resolved(url, link->second.substr(begin + 1, end - begin - 1));
        auto const here = http::url::parse(url);
        auto const there = next ? http::url::parse(*next) : std::nullopt;
        if (!there || there->origin() != here->origin())
            return failed("the next page of its tags is on another server");
        url = *next;
    }
    return failed("it has more than " + std::to_string(most_pages) + " pages of tags");
}

auto oci_repository::manifest(std::string const& reference) -> expected<std::optional<json>>
{
    bool const by_digest = reference.find(':') != std::string::npos;
    auto const response = get(url_of("manifests/" + reference), manifest_types, longest_manifest);
    if (!response) return response.error();
    if (response->status == 404) return std::optional<json>();
    if (response->status != 200) return failed("the status is " + std::to_string(response->status));
    if (by_digest && !has_digest(response->body, reference))
        return failed("the manifest does not have the digest " + reference);
    auto document = parse_json(response->body);
    if (!document || document->members() == nullptr)
        return failed("the manifest of " + reference + " is not a JSON object");
    return std::optional(std::move(*document));
}

auto oci_repository::download_archive(json const& manifest, fs::path const& to) -> infra::diagnostics
{
    auto const* const layers = manifest.find("layers");
    std::string of_archive;
    std::size_t archives = 0;
    if (layers != nullptr && layers->elements() != nullptr)
        for (json const& one : *layers->elements()) {
            if (one.text_of("mediaType") != "archive/zip") continue;
            ++archives;
            of_archive = one.text_of("digest");
        }
    if (archives != 1)
        return failed("the manifest has " + std::to_string(archives) + " layers of the type archive/zip, not one")
            .why();
    bool const plain = std::ranges::all_of(of_archive, [](char c) { return is_alphanumeric(c) || c == ':'; });
    if (!plain || of_archive.empty()) return failed("the layer has no digest").why();
    auto const response = get(url_of("blobs/" + of_archive), "*/*", longest_blob);
    if (!response) return response.error().why();
    if (response->status != 200)
        return failed("the status of " + of_archive + " is " + std::to_string(response->status)).why();
    if (!has_digest(response->body, of_archive))
        return failed("the archive does not have the digest " + of_archive).why();
    if (auto const error = write_new_file(to, response->body))
        return {messages::make_error(messages::package_file_unwritable, {to.string(), error.message()})};
    return {};
}

}  // namespace iacctl::packages
