// SPDX-License-Identifier: BSL-1.0
#include "spans.hpp"

#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/random.hpp"
#include "base/trimmed.hpp"
#include "messages/report.hpp"
#include "messages/telemetry.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace iacctl::telemetry {

namespace {

auto attributes_json(std::vector<std::pair<std::string, std::string>> const& all) -> std::string
{
    json_array made;
    for (auto const& [name, content] : all)
        made.raw(
            json_object().text("key", name).raw("value", json_object().text("stringValue", content).done()).done());
    return made.done();
}

auto is_hexadecimal(std::string_view text, std::size_t digits) -> bool
{
    constexpr std::string_view known = "0123456789abcdef";
    return text.size() == digits && text.find_first_not_of(known) == std::string_view::npos
        && text.find_first_not_of('0') != std::string_view::npos;
}

constexpr std::string_view blanks = " \t";

/// The variables of an environment. Variables for traces take precedence over general ones.
class variables {
public:
    variables(std::map<std::string, std::string> const& all, infra::diagnostics& problems)
        : all_(&all),
          problems_(&problems)
    {}

    [[nodiscard]] auto find(std::string const& name) const -> std::string
    {
        auto const found = all_->find(name);
        return found == all_->end() ? std::string() : std::string(trimmed(found->second, blanks));
    }
    /// The name of the variable that is set: for "ENDPOINT" OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, else OTEL_EXPORTER_OTLP_ENDPOINT.
    [[nodiscard]] auto name_of(std::string const& option) const -> std::string
    {
        auto traces = "OTEL_EXPORTER_OTLP_TRACES_" + option;
        return find(traces).empty() ? "OTEL_EXPORTER_OTLP_" + option : traces;
    }
    [[nodiscard]] auto option(std::string const& name) const -> std::string { return find(name_of(name)); }

    /// "name=value,name=value" with %XX in both.
    [[nodiscard]] auto pairs(std::string const& name) const -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> found;
        auto const text = find(name);
        for (std::string_view rest = text; !rest.empty();) {
            auto const piece = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
            if (trimmed(piece, blanks).empty()) continue;
            auto const equals = piece.find('=');
            auto const key = trimmed(piece.substr(0, equals), blanks);
            if (equals == std::string_view::npos || key.empty()) warn(name, "a list such as name=value,name=value");
            else
                found.insert_or_assign(
                    http::percent_decoded(key), http::percent_decoded(trimmed(piece.substr(equals + 1), blanks)));
        }
        return found;
    }
    [[nodiscard]] auto file(std::string const& option) const -> std::string
    {
        auto const name = name_of(option);
        auto const path = find(name);
        if (path.empty()) return {};
        auto text = read_input(path);
        if (text) return std::move(*text);
        warn(name, "a file that can be read");
        return {};
    }
    /// The value is not shown, because it may be secret.
    void warn(std::string const& name, std::string const& expected) const
    {
        problems_->add(make_warning(messages::telemetry_setting_invalid, {name, expected}));
    }

private:
    std::map<std::string, std::string> const* all_;
    infra::diagnostics* problems_;
};

// Reads the parent of the first span. Returns false if the trace is not recorded. \source W3C, "Trace Context", section
// 3.2
auto read_parent(variables const& from, export_settings& to) -> bool
{
    to.trace_id = random_hex(32);
    std::string const text = from.find("TRACEPARENT");
    if (text.empty()) return true;
    std::string_view const all = text;
    bool const has_form = all.size() >= 55 && all[2] == '-' && all[35] == '-' && all[52] == '-'
        && (all.size() == 55 || (all.substr(0, 2) != "00" && all[55] == '-'));
    auto const flag = has_form ? std::string_view("0123456789abcdef").find(all[54]) : std::string_view::npos;
    if (!has_form || all.substr(0, 2) == "ff" || !is_hexadecimal(all.substr(3, 32), 32)
        || !is_hexadecimal(all.substr(36, 16), 16) || flag == std::string_view::npos) {
        from.warn("TRACEPARENT", "a parent such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        return true;
    }
    to.trace_id = all.substr(3, 32);
    to.parent_id = all.substr(36, 16);
    to.trace_state = from.find("TRACESTATE");
    return (flag & 1U) != 0;
}

auto read_timeout(variables const& from, std::chrono::milliseconds otherwise) -> std::chrono::milliseconds
{
    auto const text = from.option("TIMEOUT");
    if (text.empty()) return otherwise;
    bool const is_number = text.size() <= 7 && text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::stol(text) == 0) {
        from.warn(from.name_of("TIMEOUT"), "a number of milliseconds from 1 to 9999999");
        return otherwise;
    }
    return std::chrono::milliseconds(std::stol(text));
}

auto is_true(std::string text) -> bool
{
    std::ranges::transform(
        text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text == "true";
}

}  // namespace

auto read_settings(std::map<std::string, std::string> const& environment, std::string const& version,
    infra::diagnostics& problems) -> std::optional<export_settings>
{
    variables const from(environment, problems);
    auto const endpoint = from.option("ENDPOINT");
    if (endpoint.empty() || is_true(from.find("OTEL_SDK_DISABLED")) || from.find("OTEL_TRACES_EXPORTER") == "none")
        return std::nullopt;
    if (auto const protocol = from.option("PROTOCOL"); !protocol.empty() && protocol != "http/json") {
        problems.add(make_warning(messages::telemetry_protocol_unsupported, {from.name_of("PROTOCOL"), protocol}));
        return std::nullopt;
    }
    auto const url = http::url::parse(endpoint);
    if (!url) {
        from.warn(from.name_of("ENDPOINT"), "a URL such as http://localhost:4318");
        return std::nullopt;
    }
    export_settings made;
    made.url = endpoint;
    if (from.find("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").empty())
        made.url += std::string(endpoint.ends_with('/') ? "" : "/") + "v1/traces";
    if (!read_parent(from, made)) return std::nullopt;
    made.headers = from.pairs("OTEL_EXPORTER_OTLP_HEADERS");
    for (auto& [name, content] : from.pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS"))
        made.headers.insert_or_assign(name, content);
    made.timeout = read_timeout(from, made.timeout);
    made.trusted_pem = from.file("CERTIFICATE");
    made.certificate_pem = from.file("CLIENT_CERTIFICATE");
    made.key_pem = from.file("CLIENT_KEY");
    made.version = version;
    made.resource = {{"service.name", "iacctl"}, {"service.version", version}};
    for (auto& [name, content] : from.pairs("OTEL_RESOURCE_ATTRIBUTES")) made.resource.insert_or_assign(name, content);
    if (auto name = from.find("OTEL_SERVICE_NAME"); !name.empty()) made.resource["service.name"] = std::move(name);
    return made;
}

auto request_text(export_settings const& settings, std::vector<span> const& spans) -> std::string
{
    constexpr int internal = 1;
    constexpr int error = 2;
    json_array list;
    auto const first = random_hex(16);
    for (span const& one : spans) {
        bool const is_first = &one == &spans.front();
        json_object made;
        made.text("traceId", settings.trace_id)
            .text("spanId", is_first ? first : random_hex(16))
            .text_if("parentSpanId", is_first ? settings.parent_id : first)
            .text_if("traceState", settings.trace_state)
            .text("name", one.name)
            .number("kind", internal)
            .text("startTimeUnixNano", std::to_string(one.start.count()))
            .text("endTimeUnixNano", std::to_string(one.end.count()))
            .raw("attributes", attributes_json(one.attributes));
        if (one.error) made.raw("status", json_object().number("code", error).text("message", *one.error).done());
        list.raw(made.done());
    }
    std::vector<std::pair<std::string, std::string>> const resource(settings.resource.begin(), settings.resource.end());
    auto const scope = json_object().text("name", "iacctl").text("version", settings.version).done();
    auto const scope_spans = json_object().raw("scope", scope).raw("spans", list.done()).done();
    auto const resource_spans = json_object()
                                    .raw("resource", json_object().raw("attributes", attributes_json(resource)).done())
                                    .raw("scopeSpans", json_array().raw(scope_spans).done())
                                    .done();
    return json_object().raw("resourceSpans", json_array().raw(resource_spans).done()).done();
}

auto send(export_settings const& settings, std::vector<span> const& spans) -> infra::diagnostics
{
    http::request what;
    what.method = "POST";
    what.url = settings.url;
    what.follows = http::redirections::same_origin;
    what.headers = settings.headers;
    what.headers["Content-Type"] = "application/json";
    what.body = request_text(settings, spans);
    what.connect_timeout = what.timeout = settings.timeout;
    what.longest_body = std::size_t{1} << 20U;
    what.trusted_pem = settings.trusted_pem;
    what.certificate_pem = settings.certificate_pem;
    what.key_pem = settings.key_pem;
    http::blocking_client client;
    auto const got = client.send(std::move(what));
    auto const place = http::url::parse(settings.url)->origin();
    if (!got) return {make_warning(messages::telemetry_not_exported, {place, got.reason()})};
    if (got.status < 200 || got.status > 299)
        return {make_warning(
            messages::telemetry_not_exported, {place, "the response has the status " + std::to_string(got.status)})};
    // A receiver may reject a part of the spans.
    auto const answer = parse_json(got.body);
    json const* const part = answer ? answer->find("partialSuccess") : nullptr;
    json const* const count = part == nullptr ? nullptr : part->find("rejectedSpans");
    if (count == nullptr) return {};
    // A number of 64 bits is a text in JSON of Protocol Buffers.
    std::string const refused = count->numeric() != nullptr ? count->numeric()->text : part->text_of("rejectedSpans");
    if (refused.empty() || refused == "0") return {};
    return {make_warning(messages::telemetry_not_exported, {place, "the receiver rejected " + refused + " spans"})};
}

}  // namespace iacctl::telemetry
