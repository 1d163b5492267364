// SPDX-License-Identifier: BSL-1.0
#include "base/encoding.hpp"
#include "base/http/client.hpp"
#include "base/http/url.hpp"
#include "base/unicode.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/data_source.hpp"
#include "providers/resource_type.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

auto http_schema() -> language::schema
{
    using language::type;
    language::schema retry{{
        {.name = "attempts", .of = type::number(), .optional = true},
        {.name = "max_delay_ms", .of = type::number(), .optional = true},
        {.name = "min_delay_ms", .of = type::number(), .optional = true},
    }};
    language::schema s{{
        {.name = "body", .of = type::string(), .computed = true, .deprecated = true},
        {.name = "ca_cert_pem", .of = type::string(), .optional = true},
        {.name = "client_cert_pem", .of = type::string(), .optional = true},
        {.name = "client_key_pem", .of = type::string(), .optional = true},
        {.name = "id", .of = type::string(), .computed = true},
        {.name = "insecure", .of = type::boolean(), .optional = true},
        {.name = "method", .of = type::string(), .optional = true},
        {.name = "request_body", .of = type::string(), .optional = true},
        {.name = "request_headers", .of = type::map(type::string()), .optional = true},
        {.name = "request_timeout_ms", .of = type::number(), .optional = true},
        {.name = "response_body", .of = type::string(), .computed = true},
        {.name = "response_body_base64", .of = type::string(), .computed = true},
        {.name = "response_headers", .of = type::map(type::string()), .computed = true},
        {.name = "status_code", .of = type::number(), .computed = true},
        {.name = "url", .of = type::string(), .required = true},
    }};
    s.blocks.push_back(
        {"retry", language::nesting::single, std::make_shared<language::schema const>(std::move(retry))});
    return s;
}

/// The response of a server.
///
/// \source hashicorp/http 3, data source http: arguments and texts.
class http_source final : public data_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "http"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/http\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s = http_schema();
        return s;
    }

    [[nodiscard]] auto read(value config, data_context) const -> task<expected<value>> override
    {
        value const bare = config.unmarked_deep();
        auto request = request_of(bare);
        if (!request) co_return request.error();
        auto sending = http::send(std::move(*request));
        http::response const answer = co_await std::move(sending);
        if (!answer) co_return no_answer(answer);
        std::vector<language::value_entry> headers;
        for (auto const& [header, text] : answer.headers) headers.push_back({header, value(repaired_utf8(text))});
        value const body(repaired_utf8(answer.body));
        co_return with(config,
            {{"id", attribute(config, "url")}, {"body", body}, {"response_body", body},
                {"response_body_base64", value(base64(answer.body))},
                {"response_headers", value::map(language::type::string(), std::move(headers))},
                {"status_code", value(language::number(std::int64_t{answer.status}))}});
    }

    [[nodiscard]] auto warnings_about(value const& read) const -> strider::infra::diagnostics override
    {
        std::string const body = text_of(read, "response_body");
        if (base64(body) == text_of(read, "response_body_base64")) return {};
        auto warning = messages::make_warning(messages::http_body_not_utf8);
        warning.attribute = "url";
        return {std::move(warning)};
    }

private:
    static auto no_answer(http::response const& answer) -> strider::infra::failure
    {
        bool const late = answer.failure == http::failure_kind::timed_out;
        return problem_with("url",
            messages::make_error(
                late ? messages::http_request_timed_out : messages::http_request_failed, {answer.error}));
    }

    // A whole number in a range, or the error.
    static auto whole(value const& v, std::string const& attribute_name, std::int64_t least, std::int64_t otherwise)
        -> expected<std::int64_t>
    {
        value const given = attribute(v, attribute_name);
        if (!given.has_data()) return otherwise;
        auto const number = given.as_number().as_int64();
        constexpr std::int64_t most = 86'400'000;
        if (number && *number >= least && *number <= most) return *number;
        return problem_with(attribute_name,
            messages::make_error(messages::attribute_out_of_range,
                {attribute_name, std::to_string(least), std::to_string(most), given.as_number().text()}));
    }

    static auto request_of(value const& config) -> expected<http::request>
    {
        using std::chrono::milliseconds;
        http::request r;
        r.url = text_of(config, "url");
        if (!http::url::parse(r.url))
            return problem_with("url", messages::make_error(messages::http_url_invalid, {r.url}));
        if (std::string const method = text_of(config, "method"); !method.empty()) r.method = method;
        if (r.method != "GET" && r.method != "POST" && r.method != "HEAD")
            return problem_with("method", messages::make_error(messages::http_method_invalid, {r.method}));
        r.headers = pairs_of(config, "request_headers");
        if (attribute(config, "request_body").has_data()) r.body = text_of(config, "request_body");
        r.insecure = flag_of(config, "insecure");
        r.trusted_pem = text_of(config, "ca_cert_pem");
        r.certificate_pem = text_of(config, "client_cert_pem");
        r.key_pem = text_of(config, "client_key_pem");
        if (!r.trusted_pem.empty() && attribute(config, "insecure").has_data())
            return problem_with("ca_cert_pem", messages::make_error(messages::http_certificates_without_verification));
        if (r.certificate_pem.empty() != r.key_pem.empty())
            return problem_with(r.certificate_pem.empty() ? "client_key_pem" : "client_cert_pem",
                messages::make_error(messages::http_client_certificate_incomplete));
        auto const timeout = whole(config, "request_timeout_ms", 1, r.timeout.count());
        if (!timeout) return timeout.error();
        r.timeout = milliseconds(*timeout);
        value const retry = attribute(config, "retry");
        auto const attempts = whole(retry, "attempts", 0, 0);
        auto const least = whole(retry, "min_delay_ms", 0, 1000);
        auto const longest = whole(retry, "max_delay_ms", 0, 30'000);
        for (auto const* const number : {&attempts, &least, &longest})
            if (!*number) return number->error();
        if (attribute(retry, "max_delay_ms").has_data() && *longest < *least)
            return problem_with("retry",
                messages::make_error(
                    messages::http_retry_delays_swapped, {std::to_string(*longest), std::to_string(*least)}));
        r.retries.most = *attempts;
        r.retries.least_wait = milliseconds(*least);
        r.retries.longest_wait = milliseconds(std::max(*longest, *least));
        return r;
    }
};

}  // namespace

auto http_data() -> data_source const&
{
    static http_source const instance;
    return instance;
}

}  // namespace iacctl::providers
