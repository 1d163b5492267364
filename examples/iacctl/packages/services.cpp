// SPDX-License-Identifier: BSL-1.0
#include "services.hpp"

#include "base/characters.hpp"
#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/http/url.hpp"
#include "base/terraform_version.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <charconv>
#include <chrono>
#include <utility>

namespace iacctl::packages {

namespace {

constexpr std::size_t longest_document = std::size_t{32} << 20U;
constexpr std::size_t longest_file = std::size_t{2} << 30U;

// The value of an environment variable that is a number and not negative.
auto number_of(char const* name, std::int64_t usual) -> std::int64_t
{
    auto const text = environment_variable(name);
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0 ? usual : number;
}

auto failed(std::string const& url, http::response const& response) -> infra::failure
{
    std::string const why = response ? "the status is " + std::to_string(response.status) : response.reason();
    return infra::failure(messages::make_error(messages::request_failed, {url, why}));
}

auto shown(std::string const& url) -> std::string
{
    // Without the query, which may contain a signature.
    auto const parsed = http::url::parse(url);
    auto const text = parsed ? parsed->text() : url;
    return text.substr(0, text.find('?'));
}

auto needs_credentials(unsigned status) -> bool
{
    return status == 401 || status == 403;
}

}  // namespace

auto resolved(std::string const& base, std::string_view reference) -> std::optional<std::string>
{
    auto const from = http::url::parse(base);
    auto const to = from ? from->resolve(reference) : http::url::parse(reference);
    if (!to) return std::nullopt;
    return to->text();
}

auto service_client::requested_host(std::string const& host) const -> std::string
{
    return host + "/" == usual_provider_host && !from_->default_registry.empty() ? from_->default_registry : host;
}

auto service_client::usual_request(std::string url) -> http::request
{
    http::request made;
    made.url = std::move(url);
    made.headers.emplace("Accept", "application/json");
    made.retries.most = number_of("TF_REGISTRY_DISCOVERY_RETRY", 1);
    made.timeout = std::chrono::seconds(number_of("TF_REGISTRY_CLIENT_TIMEOUT", 10));
    made.longest_body = longest_document;
    return made;
}

auto service_client::request_for(std::string const& url, std::string const& host) -> expected<http::request>
{
    http::request made = usual_request(url);
    made.headers.emplace("X-Terraform-Version", std::string(terraform_version));
    if (host.empty()) return made;
    auto const token = credentials_.token(host);
    if (!token) return token.error();
    if (!token->empty()) made.headers.emplace("Authorization", "Bearer " + *token);
    return made;
}

auto service_client::get(std::string const& url, std::string const& host) -> expected<http::response>
{
    auto request = request_for(url, host);
    if (!request) return request.error();
    auto response = http_.send(std::move(*request));
    if (!response) return failed(shown(url), response);
    if (needs_credentials(response.status))
        return infra::failure(messages::make_error(messages::request_unauthorized,
            {shown(url), std::to_string(response.status), host.empty() ? "HOST" : host}));
    return response;
}

auto service_client::document(std::string const& url, std::string const& host)
    -> expected<std::optional<service_document>>
{
    auto const response = get(url, host);
    if (!response) return response.error();
    if (response->status == 404) return std::optional<service_document>();
    if (response->status != 200) return failed(shown(url), *response);
    auto content = parse_json(response->body);
    auto const refused = [&](std::string const& why) {
        return infra::failure(messages::make_error(messages::request_failed, {shown(url), why}));
    };
    if (!content) return refused(std::string("the response is not JSON: ") + content.error().what());
    if (content->members() == nullptr) return refused("the response is not a JSON object");
    return std::optional(service_document{std::move(*content), url});
}

auto service_client::text(std::string const& url) -> expected<std::string>
{
    auto response = get(url, {});
    if (!response) return response.error();
    if (response->status != 200) return failed(shown(url), *response);
    return std::move(response->body);
}

auto service_client::download(std::string const& url, std::string const& host, std::filesystem::path const& to)
    -> infra::diagnostics
{
    auto const at = http::url::parse(url);
    if (!at) return {messages::make_error(messages::request_failed, {shown(url), "it is not an http or https URL"})};
    auto request = request_for(url, at->authority() == host && at->secure ? host : std::string());
    if (!request) return request.error().why();
    request->headers["Accept"] = "*/*";
    request->timeout = std::chrono::minutes(30);
    request->longest_body = longest_file;
    auto const response = http_.send(std::move(*request));
    if (needs_credentials(response.status))
        return {messages::make_error(messages::request_unauthorized,
            {shown(url), std::to_string(response.status), host.empty() ? at->authority() : host})};
    if (response.status != 200) return failed(shown(url), response).why();
    if (auto const error = write_new_file(to, response.body))
        return {messages::make_error(messages::package_file_unwritable, {to.string(), error.message()})};
    return {};
}

auto service_client::discovered(std::string const& host) -> expected<service_document const*>
{
    if (auto const known = discovered_.find(host); known != discovered_.end()) return &known->second;
    std::string const url = "https://" + host + "/.well-known/terraform.json";
    service_document made{json(json::object()), url};
    if (auto const configured = from_->services.find(host); configured != from_->services.end()) {
        json::object services;
        for (auto const& [id, place] : configured->second) services.push_back({id, json(place)});
        made.content = json(std::move(services));
    } else {
        auto found = document(url, host);
        if (!found) return found.error();
        // A host without the document offers no services.
        if (*found) made = std::move(**found);
    }
    return &discovered_.insert_or_assign(host, std::move(made)).first->second;
}

auto service_client::service_entry(std::string const& host, std::string const& id) -> expected<service_document>
{
    auto const all = discovered(requested_host(host));
    if (!all) return all.error();
    auto const* const entry = (*all)->content.find(id);
    return service_document{entry == nullptr ? json() : *entry, (*all)->url};
}

auto service_client::service(std::string const& host, std::string const& id) -> expected<std::string>
{
    auto const entry = service_entry(host, id);
    if (!entry) return entry.error();
    auto const* const text = entry->content.text();
    if (text == nullptr) return std::string();
    auto place = resolved(entry->url, *text);
    if (!place)
        return infra::failure(messages::make_error(
            messages::request_failed, {entry->url, "\"" + *text + "\" is not a URL for the service " + id}));
    if (!place->ends_with('/')) *place += '/';
    return *place;
}

}  // namespace iacctl::packages
