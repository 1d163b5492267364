// SPDX-License-Identifier: BSL-1.0
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/client.hpp"
#include "base/http/url.hpp"
#include "base/unicode.hpp"
#include "base/url_secrets.hpp"
#include "json_object.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "state_only_type.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using messages::make_error;
using strider::infra::diagnostics;
using strider::infra::failure;
using strider::infra::lookup_answer;

auto given(std::string_view name, type t, on_change change = on_change::update, bool required = false) -> attribute_rule
{
    return {{.name = std::string(name), .of = std::move(t), .required = required, .optional = !required}, change};
}

auto seconds_rule(std::string_view name, std::int64_t most) -> attribute_rule
{
    attribute_rule rule = given(name, type::number());
    rule.at_least = 0;
    rule.at_most = most;
    rule.fraction = true;
    return rule;
}

// The connection to an API: arguments of an object, or of the provider for all objects.
auto connection_rules() -> std::vector<attribute_rule>
{
    std::vector<attribute_rule> rules{given("uri", type::string(), on_change::replace),
        given("id_attribute", type::string(), on_change::replace), given("headers", type::map(type::string()))};
    for (auto const* const name :
        {"bearer_token", "username", "password", "create_method", "read_method", "update_method", "destroy_method"})
        rules.push_back(given(name, type::string()));
    for (auto const* const name : {"create_returns_object", "write_returns_object", "insecure"})
        rules.push_back(given(name, type::boolean()));
    rules.push_back(given("max_retries", type::number()));
    rules.back().at_least = 0;
    rules.back().at_most = 100;
    rules.push_back(seconds_rule("min_wait", 86'400));
    rules.push_back(seconds_rule("max_wait", 86'400));
    rules.push_back(seconds_rule("timeout", 86'400));
    rules.push_back(seconds_rule("rate_limit", 1'000'000));
    for (attribute_rule& rule : rules) rule.is.sensitive = rule.is.name == "bearer_token" || rule.is.name == "password";
    return rules;
}

auto provider_rules() -> std::vector<attribute_rule>
{
    auto rules = connection_rules();
    for (auto const* const name : {"cert_string", "key_string", "root_ca_string"})
        rules.push_back(given(name, type::string()));
    for (attribute_rule& rule : rules) rule.is.sensitive = rule.is.sensitive || rule.is.name == "key_string";
    return rules;
}

auto restapi_rules() -> std::vector<attribute_rule>
{
    auto rules = connection_rules();
    rules.push_back(given("path", type::string(), on_change::replace, true));
    rules.push_back(given("data", type::string(), on_change::update, true));
    rules.push_back(given("object_id", type::string(), on_change::replace));
    for (auto const* const name : {"create_path", "read_path", "update_path", "destroy_path", "read_data",
             "update_data", "destroy_data", "query_string"})
        rules.push_back(given(name, type::string()));
    for (auto const* const name : {"force_new", "ignore_changes_to"})
        rules.push_back(given(name, type::list(type::string())));
    for (auto const* const name : {"ignore_all_server_changes", "ignore_server_additions"})
        rules.push_back(given(name, type::boolean()));
    rules.push_back(computed_rule("id"));
    rules.push_back(computed_rule("api_data", type::map(type::string())));
    rules.push_back(computed_rule("api_response"));
    rules.push_back(computed_rule("create_response"));
    return rules;
}

auto amount_of(value const& given, std::string_view name, double otherwise) -> double
{
    value const v = attribute(given, name);
    return v.has_data() ? v.as_number().as_double() : otherwise;
}

auto milliseconds_of(value const& v, std::string_view name, double otherwise) -> std::chrono::milliseconds
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(amount_of(v, name, otherwise) * 1000));
}

enum class verb { create, read, update, destroy };

// The arguments of an object, completed by those of its provider. Headers are those of both.
auto with_settings(value v, value const& settings) -> value
{
    for (language::value_entry const& reported : settings.entries()) {
        value const own = attribute(v, reported.key);
        if (reported.of.is_null()) continue;
        if (own.is_null()) v = with(v, {{reported.key, reported.of}});
        else if (reported.key == "headers" && reported.of.has_data()) {
            auto all = pairs_of(settings, "headers");
            for (auto& [name, text] : pairs_of(v, "headers")) all[name] = text;
            std::vector<language::value_entry> entries;
            for (auto& [name, text] : all) entries.push_back({name, value(text)});
            v = with(v, {{"headers", value::map(type::string(), std::move(entries))}});
        }
    }
    return v;
}

/// An object of an API, with the connection and methods from its attributes and its provider.
class api_object {
public:
    /// \param settings  of the provider, without marks
    api_object(value const& v, value settings)
        : of_(v.unmarked_deep()),
          settings_(std::move(settings)),
          how_(with_settings(of_, settings_))
    {}
    /// The same object with other attributes.
    [[nodiscard]] auto as(value const& v) const -> api_object { return {v, settings_}; }

    [[nodiscard]] auto attributes() const -> value const& { return of_; }

    /// The id, if it is known before the first response.
    [[nodiscard]] auto id() const -> std::string
    {
        for (auto const* const name : {"id", "object_id"})
            if (std::string const known = text_of(of_, name); !known.empty()) return known;
        auto const data = json_object(text_of(of_, "data"));
        return data ? json_text_at(*data, id_path(), '/').value_or("") : std::string();
    }
    [[nodiscard]] auto id_path() const -> std::string
    {
        std::string const path = text_of(how_, "id_attribute");
        return path.empty() ? "id" : path;
    }

    [[nodiscard]] auto request(verb v, std::string const& id) const -> http::request
    {
        static constexpr std::array<std::string_view, 4> methods{"POST", "GET", "PUT", "DELETE"};
        http::request r;
        r.method = text_of(how_, prefix_of(v) + "_method");
        if (r.method.empty()) r.method = methods.at(static_cast<std::size_t>(v));
        std::string path = text_of(of_, path_argument(v));
        if (path_argument(v) == "path" && v != verb::create) path += "/{id}";
        constexpr std::string_view place = "{id}";
        for (auto at = path.find(place); at != std::string::npos; at = path.find(place, at + id.size()))
            path.replace(at, place.size(), id);
        std::string const query = text_of(of_, "query_string");
        r.url = base() + path + (query.empty() ? "" : "?" + query);
        if (std::string const name = body_argument(v); !name.empty()) r.body = text_of(of_, name);
        add_headers(r);
        if (attribute(how_, "timeout").has_data()) r.timeout = milliseconds_of(how_, "timeout", 0);
        r.most_per_second = amount_of(how_, "rate_limit", 0);
        r.insecure = flag_of(how_, "insecure");
        r.trusted_pem = text_of(how_, "root_ca_string");
        r.certificate_pem = text_of(how_, "cert_string");
        r.key_pem = text_of(how_, "key_string");
        r.retries.most = number_of(how_, "max_retries").value_or(0);
        r.retries.least_wait = milliseconds_of(how_, "min_wait", 1);
        r.retries.longest_wait = milliseconds_of(how_, "max_wait", 30);
        // A repeated creation creates two objects.
        r.retries.repeatable = v != verb::create || r.method == "PUT";
        // A redirection may turn a change into a GET, whose success changes nothing.
        if (v != verb::read) r.follows = http::redirections::same_origin;
        return r;
    }

    /// The argument that a failed request is about: the address, if there is no response, else the path or the body.
    [[nodiscard]] auto argument_at_fault(verb v, http::response const& got) const -> std::string
    {
        static constexpr std::array about_body{400U, 413U, 415U, 422U};
        std::string body = body_argument(v);
        if (!body.empty() && std::ranges::find(about_body, got.status) != about_body.end()) return body;
        return got || text_of(of_, "uri").empty() ? path_argument(v) : "uri";
    }

    /// Returns whether the response to a creation, or to any change, is the current object.
    [[nodiscard]] auto writing_answers(bool creating) const -> bool
    {
        return flag_of(how_, "write_returns_object") || (creating && flag_of(how_, "create_returns_object"));
    }

    /// The attributes with the values from the response of the server.
    [[nodiscard]] auto answered(std::string const& id, std::string const& response) const -> value
    {
        std::vector<language::value_entry> data;
        if (auto const there = json_object(response))
            for (language::value_entry const& e : there->entries()) data.push_back({e.key, value(json_text(e.of))});
        return with(of_,
            {{"id", value(id)}, {"api_data", value::map(type::string(), std::move(data))},
                {"api_response", value(response)}});
    }

    /// Returns whether the actual object equals the configured one, except for additions by the server.
    [[nodiscard]] auto is_met_by(std::string const& response) const -> bool
    {
        auto const desired = json_object(text_of(of_, "data"));
        auto const there = json_object(response);
        if (!desired || !there) return false;
        json_difference difference;
        difference.ignored = texts_of(of_, "ignore_changes_to");
        difference.ignores_additions = true;
        (void)difference.overlay(*desired, *there);
        return !difference.found;
    }

private:
    [[nodiscard]] auto base() const -> std::string
    {
        std::string uri = text_of(how_, "uri");
        if (uri.empty()) uri = environment_variable("REST_API_URI");
        while (uri.ends_with('/')) uri.pop_back();
        return uri;
    }

    [[nodiscard]] static auto prefix_of(verb v) -> std::string
    {
        static constexpr std::array<std::string_view, 4> prefixes{"create", "read", "update", "destroy"};
        return std::string(prefixes.at(static_cast<std::size_t>(v)));
    }
    // The argument that gives the path of a request.
    [[nodiscard]] auto path_argument(verb v) const -> std::string
    {
        std::string const own = prefix_of(v) + "_path";
        return text_of(of_, own).empty() ? "path" : own;
    }
    // The argument that gives the body of a request; empty: it has no body.
    [[nodiscard]] auto body_argument(verb v) const -> std::string
    {
        std::string const own = prefix_of(v) + "_data";
        if (v != verb::create && !text_of(of_, own).empty()) return own;
        return v == verb::create || v == verb::update ? "data" : "";
    }

    void add_headers(http::request& r) const
    {
        std::string const token = text_of(how_, "bearer_token");
        std::string const user = text_of(how_, "username");
        if (!token.empty()) r.headers["Authorization"] = "Bearer " + token;
        else if (!user.empty()) r.headers["Authorization"] = "Basic " + base64(user + ":" + text_of(how_, "password"));
        if (r.body) r.headers["Content-Type"] = "application/json";
        for (auto& [name, text] : pairs_of(how_, "headers")) r.headers[name] = text;
    }

    value of_;
    value settings_;
    value how_;
};

/// The result of a read.
class api_answer {
public:
    enum class kind { there, gone, unknown };
    kind how = kind::unknown;
    std::string body;
    std::string why;  ///< if it is unknown
    std::string argument;  ///< that the reason is about
};

auto is_success(http::response const& r) -> bool
{
    return r.status >= 200 && r.status < 300;
}

auto is_absence(http::response const& r) -> bool
{
    return r.status == 404 || r.status == 410;
}

// Returns whether a server that has not answered with success may have done what was requested.
auto may_have_acted(http::response const& r) -> bool
{
    return r ? r.status >= 500 : r.sent;
}

auto what_failed(http::response const& r) -> std::string
{
    constexpr std::size_t longest_excerpt = 2000;
    if (!r) return r.error;
    std::string const status = "the server answered with status " + std::to_string(r.status);
    if (r.body.empty()) return status;
    std::string const more = r.body.size() > longest_excerpt ? " (the rest is omitted)" : "";
    return status + ": " + repaired_utf8(std::string_view(r.body).substr(0, longest_excerpt)) + more;
}

auto ask(api_object const& object, std::string id) -> task<api_answer>
{
    api_answer found;
    auto reading = http::send(object.request(verb::read, id));
    http::response const answer = co_await std::move(reading);
    if (is_absence(answer)) found.how = api_answer::kind::gone;
    else if (!is_success(answer)) found.why = what_failed(answer);
    else if (!is_utf8(answer.body)) found.why = "the body of the response is not UTF-8 text";
    else if (!json_object(answer.body)) found.why = "the body of the response is not a JSON object";
    else {
        found.how = api_answer::kind::there;
        found.body = answer.body;
    }
    found.argument = object.argument_at_fault(verb::read, answer);
    co_return found;
}

auto undecided(diagnostics problems) -> applied
{
    auto made = applied::unknown();
    made.problems = std::move(problems);
    return made;
}

auto failed(api_object const& object, verb v, messages::message<1> const& message, http::response const& r)
    -> diagnostics
{
    return about_attribute(object.argument_at_fault(v, r), make_error(message, {what_failed(r)}));
}

auto without_id(api_object const& made) -> diagnostics
{
    // Without "id_attribute", the id is missing in the data.
    bool const is_given = attribute(made.attributes(), "id_attribute").has_data();
    return about_attribute(is_given ? "id_attribute" : "data", make_error(messages::api_id_missing, {made.id_path()}));
}

auto make_object(apply_request const& request, value settings) -> task<applied>
{
    api_object const desired(with(*request.planned, {{"id", value()}}), std::move(settings));
    std::string id = desired.id();
    auto call = desired.request(verb::create, id);
    call.headers.try_emplace("Idempotency-Key", request.operation.operation);
    auto creating = http::send(std::move(call));
    http::response const answer = co_await std::move(creating);
    std::string response;
    diagnostics problems;
    if (is_success(answer)) {
        if (is_utf8(answer.body)) response = answer.body;
        else problems = about_attribute("path", make_error(messages::api_created_not_utf8));
        auto const reported = json_object(response);
        if (id.empty() && reported) id = json_text_at(*reported, desired.id_path(), '/').value_or("");
        if (id.empty()) co_return undecided(without_id(desired));
    } else {
        problems = failed(desired, verb::create, messages::api_create_failed, answer);
        if (!may_have_acted(answer)) co_return applied(std::nullopt, std::move(problems));
        // A server that does not respond, or reports a failure, may still have created the object. It is read, if there
        // is an id.
        if (id.empty()) {
            if (answer) co_return applied(std::nullopt, std::move(problems));
            co_return undecided(std::move(problems));
        }
        auto asking = ask(desired, id);
        auto const there = co_await std::move(asking);
        if (there.how == api_answer::kind::gone) co_return applied(std::nullopt, std::move(problems));
        if (there.how == api_answer::kind::unknown) co_return undecided(std::move(problems));
        if (!desired.is_met_by(there.body)) co_return applied(std::nullopt, std::move(problems));
        response = there.body;
        problems = {};
    }
    value const made = with(desired.attributes(), {{"create_response", value(response)}});
    if (!desired.writing_answers(true) && is_success(answer)) {
        auto asking = ask(desired, id);
        auto const there = co_await std::move(asking);
        // It exists, even if it cannot be read.
        if (there.how == api_answer::kind::there) response = there.body;
    }
    co_return applied(desired.as(made).answered(id, response), std::move(problems));
}

auto change_object(apply_request const& request, value settings) -> task<applied>
{
    api_object const desired(*request.planned, std::move(settings));
    if (attribute(desired.attributes(), "api_response").is_known()) co_return applied(*request.planned);
    std::string const id = desired.id();
    auto changing = http::send(desired.request(verb::update, id));
    http::response const answer = co_await std::move(changing);
    if (is_success(answer) && desired.writing_answers(false) && json_object(answer.body))
        co_return applied(desired.answered(id, answer.body));
    auto asking = ask(desired, id);
    auto const there = co_await std::move(asking);
    if (is_success(answer)) {
        if (there.how == api_answer::kind::there) co_return applied(desired.answered(id, there.body));
        if (is_utf8(answer.body)) co_return applied(desired.answered(id, answer.body));
        co_return applied(
            desired.answered(id, ""), about_attribute("path", make_error(messages::api_updated_not_utf8)));
    }
    if (!answer && there.how == api_answer::kind::there && desired.is_met_by(there.body))
        co_return applied(desired.answered(id, there.body));
    auto problems = failed(desired, verb::update, messages::api_update_failed, answer);
    if (there.how == api_answer::kind::unknown && may_have_acted(answer)) co_return undecided(std::move(problems));
    co_return applied(request.prior, std::move(problems));
}

auto destroy_object(apply_request const& request, value settings) -> task<applied>
{
    api_object const doomed(*request.prior, std::move(settings));
    std::string const id = doomed.id();
    auto destroying = http::send(doomed.request(verb::destroy, id));
    http::response const answer = co_await std::move(destroying);
    if (is_success(answer) || is_absence(answer)) co_return applied(std::nullopt);
    api_answer there;
    if (answer.sent && answer.failure != http::failure_kind::cancelled) {
        auto asking = ask(doomed, id);
        there = co_await std::move(asking);
        if (there.how == api_answer::kind::gone) co_return applied(std::nullopt);
    }
    auto problems = failed(doomed, verb::destroy, messages::api_delete_failed, answer);
    if (there.how == api_answer::kind::unknown && may_have_acted(answer)) co_return undecided(std::move(problems));
    co_return applied(request.prior, std::move(problems));
}

/// An object of an API with JSON over HTTP.
///
/// \source Mastercard/restapi 2, resource restapi_object: arguments, methods, paths and the comparison of objects.
/// Arguments of the provider may also be set for one object.
class restapi_object_type final : public resource_type {
public:
    /// \param settings  of the provider, without marks; parts may be unknown while planning
    explicit restapi_object_type(value settings)
        : settings_(std::move(settings)),
          rules_(restapi_rules()),
          schema_(schema_of(rules_))
    {}

    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "restapi_object"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/mastercard/restapi\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return schema_; }
    [[nodiscard]] auto settings_schema() const noexcept -> language::schema const& override
    {
        static language::schema const s = schema_of(provider_rules());
        return s;
    }

    [[nodiscard]] auto configured(value const& settings) const
        -> expected<std::shared_ptr<resource_type const>> override
    {
        value const reported = settings.unmarked_deep();
        auto wrong = check_by_rules(provider_rules(), reported);
        std::string const uri = text_of(reported, "uri");
        if (!uri.empty()) check_uri(reported, wrong);
        if (!wrong.empty()) return failure(std::move(wrong));
        return std::shared_ptr<resource_type const>(std::make_shared<restapi_object_type>(reported));
    }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        auto wrong = check_by_rules(rules_, desired);
        check(desired, wrong);
        if (!wrong.empty()) return failure(std::move(wrong));
        auto made = plan_by_rules(rules_, prior, desired);
        made.after = with_hidden_uri(made.after);
        if (!prior || !made.replace_paths.empty()) return made;
        auto const before = json_object(text_of(*prior, "data"));
        auto const after = json_object(text_of(desired, "data"));
        if (before && after && *before == *after) {
            // An equivalent text is not a change.
            made.after = with(made.after, {{"data", attribute(*prior, "data")}});
            if (attribute(*prior, "update_data").unmarked() == attribute(desired, "update_data").unmarked())
                return made;
        }
        made.after = with(made.after,
            {{"api_data", value::unknown(type::map(type::string()))},
                {"api_response", value::unknown(type::string())}});
        for (std::string const& field : texts_of(desired, "force_new"))
            if (before && after && json_at(*before, field, '.') != json_at(*after, field, '.'))
                made.replace_paths.push_back({std::string("data"), field});
        return made;
    }

    [[nodiscard]] auto read(value prior) const -> task<expected<std::optional<value>>> override
    {
        if (!settings_.wholly_known()) co_return failure(not_configured());
        api_object const known(prior, settings_);
        auto asking = ask(known, known.id());
        auto const there = co_await std::move(asking);
        if (there.how == api_answer::kind::gone) co_return std::optional<value>();
        if (there.how == api_answer::kind::unknown) co_return unreadable(there);
        co_return std::optional<value>(marked_as(prior, current(known, there.body)));
    }

    [[nodiscard]] auto apply(apply_request request) const -> task<applied> override
    {
        co_await strider::asio::this_coro::throw_if_cancelled(false);
        using strider::infra::operation_kind;
        auto const kind = request.operation.kind;
        auto working = !request.planned      ? destroy_object(request, settings_)
            : kind == operation_kind::update ? change_object(request, settings_)
                                             : make_object(request, settings_);
        auto outcome = co_await std::move(working);
        if (outcome.object && request.planned) outcome.object = marked_as(*request.planned, *outcome.object);
        co_return outcome;
    }

    [[nodiscard]] auto look_up(apply_request request) const -> task<looked_up> override
    {
        using strider::infra::operation_kind;
        auto const kind = request.operation.kind;
        bool const destroys = kind == operation_kind::destroy;
        auto const& about = destroys ? request.prior : request.planned;
        if (!about || !settings_.wholly_known()) co_return looked_up(lookup_answer::unknown);
        api_object const object(kind == operation_kind::create ? with(*about, {{"id", value()}}) : *about, settings_);
        std::string const id = object.id();
        if (id.empty()) co_return looked_up(lookup_answer::unknown);
        auto asking = ask(object, id);
        auto const there = co_await std::move(asking);
        if (there.how == api_answer::kind::unknown) co_return looked_up(lookup_answer::unknown);
        bool const exists = there.how == api_answer::kind::there;
        if (destroys) co_return looked_up(exists ? lookup_answer::not_done : lookup_answer::done);
        if (exists && object.is_met_by(there.body)) {
            value made = object.answered(id, there.body);
            if (!attribute(made, "create_response").has_data())
                made = with(made, {{"create_response", value(there.body)}});
            co_return looked_up(lookup_answer::done, marked_as(*about, made));
        }
        // Another object has the same id: its origin is unknown.
        if (exists && kind == operation_kind::create) co_return looked_up(lookup_answer::unknown);
        co_return looked_up(lookup_answer::not_done);
    }

    /// \param id  "/path/to/objects/17" below the URI of the provider or REST_API_URI, or a whole URL
    [[nodiscard]] auto import_object(std::string id) const -> task<expected<value>> override
    {
        if (!settings_.wholly_known()) co_return failure(not_configured());
        std::string uri;
        std::string path = id;
        if (auto const scheme = id.find("://"); scheme != std::string::npos) {
            auto const end = std::min(id.find('/', scheme + 3), id.size());
            uri = id.substr(0, end);
            path = id.substr(end);
        }
        while (path.ends_with('/')) path.pop_back();
        if (!path.starts_with('/')) path.insert(0, "/");
        auto const last = path.rfind('/');
        if (last == 0) co_return names_nothing(id);
        std::vector<language::value_entry> entries;
        for (attribute_rule const& rule : rules_) entries.push_back({rule.is.name, value::null(rule.is.of)});
        value found = with(value::object(std::move(entries)),
            {{"path", value(path.substr(0, last))}, {"id", value(path.substr(last + 1))}});
        if (!uri.empty()) found = with(found, {{"uri", value(uri)}});
        diagnostics wrong;
        check_uri(with_settings(found, settings_), wrong);
        if (!wrong.empty()) co_return failure(std::move(wrong));
        api_object const object(found, settings_);
        auto asking = ask(object, object.id());
        auto const there = co_await std::move(asking);
        if (there.how == api_answer::kind::gone) co_return not_there(id);
        if (there.how == api_answer::kind::unknown) co_return unreadable(there);
        co_return with_hidden_uri(with(object.answered(object.id(), there.body),
            {{"data", value(there.body)}, {"create_response", value(there.body)}}));
    }

private:
    // A server whose address depends on other resources cannot be accessed before they exist.
    static auto not_configured() -> strider::infra::diagnostic { return make_error(messages::api_not_configured); }
    static auto unreadable(api_answer const& answer) -> failure
    {
        return problem_with(answer.argument, make_error(messages::api_read_failed, {answer.why}));
    }
    static auto names_nothing(std::string const& id) -> failure
    {
        return failure(make_error(messages::api_import_path_invalid, {id}));
    }
    static auto not_there(std::string const& id) -> failure
    {
        return failure(make_error(messages::api_import_not_found, {id}));
    }

    // A URI may contain a password, which is not displayed.
    static auto with_hidden_uri(value v) -> value
    {
        value const uri = attribute(v, "uri");
        if (!uri.has_data() || !has_url_secrets(text_of(v, "uri"))) return v;
        return with(std::move(v), {{"uri", uri.with_marks(language::mark::sensitive)}});
    }

    static void check_uri(value const& desired, diagnostics& found)
    {
        if (attribute(desired, "uri").is_unknown()) return;
        std::string uri = text_of(desired, "uri");
        if (uri.empty()) uri = environment_variable("REST_API_URI");
        if (uri.empty()) found.add(make_error(messages::api_uri_missing));
        else if (!http::url::parse(uri))
            found.add(about_attribute("uri", make_error(messages::api_uri_invalid, {uri})));
    }

    void check(value const& desired, diagnostics& found) const
    {
        check_uri(with_settings(desired, settings_), found);
        for (auto const* const name : {"data", "read_data", "update_data", "destroy_data"}) {
            value const given_data = attribute(desired, name);
            if (!given_data.has_data() || json_object(text_of(desired, name))) continue;
            found.add(about_attribute(name, make_error(messages::api_data_not_object, {name})));
        }
    }

    // The current object, with differences from the configuration in `data`, so that a plan can correct them.
    static auto current(api_object const& known, std::string const& response) -> value
    {
        value const now = known.answered(known.id(), response);
        auto const desired = json_object(text_of(now, "data"));
        auto const there = json_object(response);
        if (!desired || !there || flag_of(now, "ignore_all_server_changes")) return now;
        json_difference difference;
        difference.ignored = texts_of(now, "ignore_changes_to");
        difference.ignores_additions = flag_of(now, "ignore_server_additions");
        // An id from the server is not a difference.
        if (!json_at(*desired, known.id_path(), '/')) difference.ignored.push_back(known.id_path());
        value const merged = difference.overlay(*desired, *there);
        return difference.found ? with(now, {{"data", value(language::to_json(merged))}}) : now;
    }

    // Copies the marks of the configuration; values from the server have none.
    static auto marked_as(value const& v, value made) -> value
    {
        for (language::value_entry const& e : v.entries()) {
            value const* const there = made.find(e.key);
            if (there != nullptr && e.of.unmarked_deep() == *there) made = with(made, {{e.key, e.of}});
            else if (there != nullptr && e.of.deep_marks() != language::mark::none)
                made = with(made, {{e.key, there->with_marks(e.of.deep_marks())}});
        }
        return made;
    }

    value settings_;
    std::vector<attribute_rule> rules_;
    language::schema schema_;
};

}  // namespace

auto restapi_object() -> resource_type const&
{
    static restapi_object_type const instance{value::object({})};
    return instance;
}

}  // namespace iacctl::providers
