// SPDX-License-Identifier: BSL-1.0
#include "http.hpp"

#include "base/http/url.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace iacctl::backends {

auto http_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s{{
        {.name = "address", .of = type::string(), .optional = true},
        {.name = "client_ca_certificate_pem", .of = type::string(), .optional = true},
        {.name = "client_certificate_pem", .of = type::string(), .optional = true},
        {.name = "client_private_key_pem", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "lock_address", .of = type::string(), .optional = true},
        {.name = "lock_method", .of = type::string(), .optional = true},
        {.name = "password", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "retry_max", .of = type::number(), .optional = true},
        {.name = "retry_wait_max", .of = type::number(), .optional = true},
        {.name = "retry_wait_min", .of = type::number(), .optional = true},
        {.name = "skip_cert_verification", .of = type::boolean(), .optional = true},
        {.name = "unlock_address", .of = type::string(), .optional = true},
        {.name = "unlock_method", .of = type::string(), .optional = true},
        {.name = "update_method", .of = type::string(), .optional = true},
        {.name = "username", .of = type::string(), .optional = true},
    }};
    return s;
}

auto read_http_settings(language::value const& settings) -> expected<http_settings>
{
    settings_reader const read("http", settings);
    http_settings with;
    auto const take = [&](std::string& to, std::string_view argument, char const* variable) {
        auto given = read.text(argument, variable);
        if (!given.empty()) to = std::move(given);
    };
    take(with.address, "address", "TF_HTTP_ADDRESS");
    take(with.update_method, "update_method", "TF_HTTP_UPDATE_METHOD");
    take(with.lock_address, "lock_address", "TF_HTTP_LOCK_ADDRESS");
    take(with.lock_method, "lock_method", "TF_HTTP_LOCK_METHOD");
    take(with.unlock_address, "unlock_address", "TF_HTTP_UNLOCK_ADDRESS");
    take(with.unlock_method, "unlock_method", "TF_HTTP_UNLOCK_METHOD");
    take(with.username, "username", "TF_HTTP_USERNAME");
    take(with.password, "password", "TF_HTTP_PASSWORD");
    take(with.client_ca_certificate_pem, "client_ca_certificate_pem", "TF_HTTP_CLIENT_CA_CERTIFICATE_PEM");
    take(with.client_certificate_pem, "client_certificate_pem", "TF_HTTP_CLIENT_CERTIFICATE_PEM");
    take(with.client_private_key_pem, "client_private_key_pem", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM");

    if (with.address.empty()) return read.missing("address", "TF_HTTP_ADDRESS");
    for (auto const& [argument, address] : {std::pair<std::string_view, std::string const&>("address", with.address),
             {"lock_address", with.lock_address}, {"unlock_address", with.unlock_address}})
        if (!address.empty() && !http::url::parse(address))
            return read.invalid(argument, "It must be a URL that begins with http:// or https://.");
    if (with.client_certificate_pem.empty() != with.client_private_key_pem.empty())
        return read.invalid(with.client_certificate_pem.empty() ? "client_private_key_pem" : "client_certificate_pem",
            "A client certificate and its private key must both be set.");

    auto const insecure = read.flag("skip_cert_verification", "TF_HTTP_SKIP_CERT_VERIFICATION", false);
    if (!insecure) return insecure.error();
    with.skip_cert_verification = *insecure;
    auto const most = read.number("retry_max", "TF_HTTP_RETRY_MAX", 2);
    auto const least_wait = read.number("retry_wait_min", "TF_HTTP_RETRY_WAIT_MIN", 1);
    auto const longest_wait = read.number("retry_wait_max", "TF_HTTP_RETRY_WAIT_MAX", 30);
    for (auto const* const one : {&most, &least_wait, &longest_wait})
        if (!*one) return one->error();
    auto const bounded = [](std::int64_t n) { return std::clamp<std::int64_t>(n, 0, 86'400); };
    with.retries.most = bounded(*most);
    with.retries.least_wait = std::chrono::seconds(bounded(*least_wait));
    with.retries.longest_wait = std::chrono::seconds(bounded(*longest_wait));
    return with;
}

auto make_http(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    auto with = read_http_settings(settings);
    if (!with) return with.error();
    auto server = make_http_state(std::move(*with));
    auto mirrors = p.mirror_of(server->type(), server->place_of("default"));
    return std::shared_ptr<state::backend>(
        std::make_shared<remote_backend>(std::move(server), std::move(mirrors), p.encryption));
}

}  // namespace iacctl::backends
