// SPDX-License-Identifier: BSL-1.0
#include "azure_cloud.hpp"

#include "base/characters.hpp"
#include "base/json.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "oauth.hpp"
#include "state/state_error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace iacctl::backends {

namespace {

using synonym = std::pair<std::string_view, std::string_view>;
constexpr std::array<synonym, 14> synonyms{{
    {"", "public"},
    {"azurechinacloud", "china"},
    {"azurecloud", "public"},
    {"azurepubliccloud", "public"},
    {"azureusgovernment", "usgovernment"},
    {"azureusgovernmentcloud", "usgovernment"},
    {"canary", "public"},
    {"china", "china"},
    {"dod", "usgovernment"},
    {"global", "public"},
    {"public", "public"},
    {"usgovernment", "usgovernment"},
    {"usgovernmentl4", "usgovernment"},
    {"usgovernmentl5", "usgovernment"},
}};

auto without_slash(std::string text) -> std::string
{
    while (text.ends_with('/')) text.pop_back();
    return text;
}

}  // namespace

auto find_azure_cloud(std::string_view name) -> std::optional<azure_cloud>
{
    std::string const lower = ascii_lower_case(name);
    auto const* const found = std::ranges::find(synonyms, std::string_view(lower), &synonym::first);
    if (found == synonyms.end()) return std::nullopt;
    if (found->second == "china")
        return azure_cloud{"https://login.chinacloudapi.cn", "https://management.chinacloudapi.cn",
            "https://management.chinacloudapi.cn", "core.chinacloudapi.cn", "api://AzureADTokenExchangeChina"};
    if (found->second == "usgovernment")
        return azure_cloud{"https://login.microsoftonline.us", "https://management.usgovcloudapi.net",
            "https://management.usgovcloudapi.net", "core.usgovcloudapi.net", "api://AzureADTokenExchangeUSGov"};
    return azure_cloud();
}

// \source Azure Resource Manager, "metadata/endpoints": an object, or in older versions a list with one object per cloud
auto fetch_azure_cloud(http::blocking_client& client, std::string const& host) -> expected<azure_cloud>
{
    std::string const url = "https://" + host + "/metadata/endpoints?api-version=2022-09-01";
    auto const failure_of = [&](std::string const& why) {
        return state::make_failure(messages::azure_metadata_invalid, {host, why});
    };
    auto const got = client.send(token_get(url));
    if (!got) return failure_of(got.reason());
    auto const whole = parse_json(got.body);
    if (got.status != 200 || !whole) return failure_of("status " + std::to_string(got.status));
    bool const is_list = whole->elements() != nullptr && !whole->elements()->empty();
    json const& about = is_list ? whole->elements()->front() : *whole;
    json const* const authentication = about.find("authentication");
    json const* const suffixes = about.find("suffixes");
    json const* const audiences = authentication == nullptr ? nullptr : authentication->find("audiences");
    azure_cloud made;
    made.resource_manager = without_slash(about.text_of("resourceManager"));
    made.manager_audience = made.resource_manager;
    if (authentication != nullptr) made.login = without_slash(authentication->text_of("loginEndpoint"));
    if (suffixes != nullptr) made.storage_suffix = suffixes->text_of("storage");
    if (audiences != nullptr && audiences->elements() != nullptr && !audiences->elements()->empty())
        if (auto const* const first = audiences->elements()->back().text())
            made.manager_audience = without_slash(*first);
    if (made.resource_manager.empty() || made.login.empty() || suffixes == nullptr || made.storage_suffix.empty())
        return failure_of("a member is missing");
    return made;
}

}  // namespace iacctl::backends
