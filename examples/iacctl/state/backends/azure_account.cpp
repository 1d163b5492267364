// SPDX-License-Identifier: BSL-1.0
#include "azure_account.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"
#include "base/json.hpp"
#include "base/timestamp.hpp"
#include "oauth.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace iacctl::backends {

namespace {

constexpr std::string_view backend = "azurerm";
constexpr char const* storage_resource = "https://storage.azure.com";
constexpr char const* storage_version = "2023-11-03";
constexpr char const* manager_version = "?api-version=2023-01-01";

// The headers that a signature covers by their position.
constexpr std::array<std::string_view, 11> positional{"content-encoding", "content-language", "content-length",
    "content-md5", "content-type", "date", "if-modified-since", "if-match", "if-none-match", "if-unmodified-since",
    "range"};

// The decoded parameters of a query, one on each line, sorted by name.
auto canonical_query(std::string_view query) -> std::string
{
    std::vector<std::string> all;
    while (!query.empty()) {
        auto const one = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), one.size() + 1));
        auto const equals = std::min(one.find('='), one.size());
        all.push_back(ascii_lower_case(http::percent_decoded(one.substr(0, equals))) + ":"
            + http::percent_decoded(one.substr(std::min(equals + 1, one.size()))));
    }
    std::ranges::sort(all);
    std::string lines;
    for (std::string const& one : all) lines += "\n" + one;
    return lines;
}

}  // namespace

void sign_shared_key(http::request& r, std::string_view account, std::string_view key)
{
    auto const where = http::url::parse(r.url);
    if (!where) return;  // `send` refuses the request
    std::map<std::string, std::string> headers;
    for (auto const& [name, text] : r.headers) headers[ascii_lower_case(name)] = text;
    if (r.body && !r.body->empty()) headers["content-length"] = std::to_string(r.body->size());

    std::string text = r.method + "\n";
    for (std::string_view const name : positional) {
        auto const found = headers.find(std::string(name));
        text += (found == headers.end() ? std::string() : found->second) + "\n";
    }
    for (auto const& [name, value] : headers)
        if (name.starts_with("x-ms-")) text += name + ":" + value + "\n";
    std::string_view const target = where->target;
    auto const mark = std::min(target.find('?'), target.size());
    text.append("/").append(account).append(target.substr(0, mark));
    text += canonical_query(target.substr(std::min(mark + 1, target.size())));
    r.headers["Authorization"] = "SharedKey " + std::string(account) + ":" + base64(hmac_sha256(key, text));
}

auto azure_account::endpoint() -> expected<std::string>
{
    if (endpoint_.empty())
        if (auto done = connect(); !done) return done.error();
    return endpoint_;
}

auto azure_account::authorize(http::request& r) -> expected<void>
{
    if (endpoint_.empty())
        if (auto done = connect(); !done) return done;
    r.headers["x-ms-version"] = storage_version;
    r.headers["x-ms-date"] = timestamp::now().http_text();
    if (!with_.access_key.empty()) {
        sign_shared_key(r, with_.account, with_.access_key);
    } else if (!with_.sas_token.empty()) {
        r.url += (r.url.find('?') == std::string::npos ? "?" : "&") + with_.sas_token;
    } else {
        auto const token = tokens_->token(storage_resource);
        if (!token) return token.error();
        r.headers["Authorization"] = "Bearer " + *token;
    }
    return {};
}

auto azure_account::needs_manager() const noexcept -> bool
{
    return with_.lookup_blob_endpoint
        || (with_.access_key.empty() && with_.sas_token.empty() && !with_.use_azuread_auth);
}

auto azure_account::connect() -> expected<void>
{
    if (!with_.metadata_host.empty()) {
        auto found = fetch_azure_cloud(client_, with_.metadata_host);
        if (!found) return found.error();
        with_.cloud = std::move(*found);
    }
    tokens_ = std::make_unique<azure_tokens>(with_.identity, with_.cloud);
    if (needs_manager()) return look_up();
    endpoint_ = "https://" + with_.account + ".blob." + with_.cloud.storage_suffix;
    return {};
}

// \source Azure Resource Manager, "Storage Accounts - Get Properties", "List Keys"
auto azure_account::look_up() -> expected<void>
{
    std::string subscription = with_.identity.subscription_id;
    if (subscription.empty()) {
        auto found = subscription_of_command_line();
        if (!found) return found.error();
        subscription = std::move(*found);
    }
    std::string const path = "/subscriptions/" + http::percent_encoded(subscription) + "/resourceGroups/"
        + http::percent_encoded(with_.resource_group) + "/providers/Microsoft.Storage/storageAccounts/"
        + http::percent_encoded(with_.account);
    auto const about = ask_manager("GET", path);
    if (!about) return about.error();
    json const* const properties = about->find("properties");
    json const* const endpoints = properties == nullptr ? nullptr : properties->find("primaryEndpoints");
    std::string endpoint = endpoints == nullptr ? std::string() : endpoints->text_of("blob");
    while (endpoint.ends_with('/')) endpoint.pop_back();
    if (endpoint.empty())
        return token_failure(backend, with_.cloud.resource_manager + path, "the account has no address for blobs");

    if (with_.access_key.empty() && with_.sas_token.empty() && !with_.use_azuread_auth) {
        auto const keys = ask_manager("POST", path + "/listKeys");
        if (!keys) return keys.error();
        json const* const list = keys->find("keys");
        if (list != nullptr && list->elements() != nullptr)
            for (json const& one : *list->elements())
                if (with_.access_key.empty() && ascii_lower_case(one.text_of("permissions")) == "full")
                    with_.access_key = from_base64(one.text_of("value")).value_or(std::string());
        if (with_.access_key.empty())
            return token_failure(
                backend, with_.cloud.resource_manager + path + "/listKeys", "there is no key that permits writes");
    }
    endpoint_ = std::move(endpoint);
    return {};
}

auto azure_account::ask_manager(std::string const& method, std::string const& path) -> expected<json>
{
    auto const token = tokens_->token(with_.cloud.manager_audience);
    if (!token) return token.error();
    std::string const url = with_.cloud.resource_manager + path + manager_version;
    auto request = method == "GET" ? token_get(url) : json_request(url, {});
    request.headers["Authorization"] = "Bearer " + *token;
    return fetch_json(client_, std::move(request), backend);
}

}  // namespace iacctl::backends
