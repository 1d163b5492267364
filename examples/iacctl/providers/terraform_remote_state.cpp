// SPDX-License-Identifier: BSL-1.0
#include "data_source.hpp"
#include "http/client.hpp"
#include "http/url.hpp"
#include "language/values/convert.hpp"
#include "messages/catalogue.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "resource_type.hpp"
#include "support/encoding.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/unicode.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using messages::make_error;
using strider::infra::failure;

using outputs = std::map<std::string, value, std::less<>>;

// Of a state file of version 4, whoever wrote it.
auto read_outputs(std::string const& text) -> expected<outputs>
{
    if (!is_utf8(text)) return failure(make_error(messages::remote_state_not_utf8));
    std::string why;
    auto const parsed = parse_json(text, why);
    if (!parsed || parsed->members() == nullptr) return failure(make_error(messages::remote_state_not_json));
    json const* const version = parsed->find("version");
    if (version == nullptr) return failure(make_error(messages::remote_state_version_missing));
    if (version->natural() != 4)
        return failure(make_error(messages::remote_state_version_unsupported, {compact_text(*version)}));
    outputs found;
    json const* const all = parsed->find("outputs");
    if (all == nullptr || all->members() == nullptr) return found;
    for (auto const& [name, output] : *all->members()) {
        json const* const declared = output.find("type");
        json const* const content = output.find("value");
        if (declared == nullptr || content == nullptr)
            return failure(make_error(messages::remote_state_output_incomplete, {name}));
        auto const of = language::type_from_json(compact_text(*declared));
        auto read = of ? language::from_json(compact_text(*content), *of) : language::result<value>(of.error());
        if (!read) return failure(make_error(messages::remote_state_output_unreadable, {name, read.error().message()}));
        found.insert_or_assign(name, std::move(*read));
    }
    return found;
}

auto demand_of(language::type_kind kind) -> std::string
{
    return kind == language::type_kind::string ? "a string"
        : kind == language::type_kind::boolean ? "true or false"
                                               : "a number";
}

auto type_of(language::type_kind of) -> type
{
    return of == language::type_kind::string ? type::string()
        : of == language::type_kind::boolean ? type::boolean()
                                             : type::number();
}

/// The outputs of another state.
///
/// \source Terraform 1.11, the built-in data source terraform_remote_state: arguments, defaults, texts.
class terraform_remote_state_source final : public data_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "terraform_remote_state"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"terraform.io/builtin/terraform\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s{.attributes =
                                            {
                                                {.name = "backend", .of = type::string(), .required = true},
                                                {.name = "config", .of = type::dynamic(), .optional = true},
                                                {.name = "defaults", .of = type::dynamic(), .optional = true},
                                                {.name = "outputs", .of = type::dynamic(), .computed = true},
                                                {.name = "workspace", .of = type::string(), .optional = true},
                                            },
            .judge = judge};
        return s;
    }

    [[nodiscard]] auto read(value config, std::set<std::string> const&) const -> task<expected<value>> override
    {
        value const bare = config.unmarked_deep();
        std::string const backend = text_of(bare, "backend");
        if (backend == "local") co_return answer(bare, read_local(bare));
        if (backend != "http") co_return no_backend(backend);
        auto request = request_of(bare);
        if (!request) co_return request.error();
        auto sending = http::send(std::move(*request));
        http::response const got = co_await std::move(sending);
        co_return answer(bare, read_http(got));
    }

private:
    // What can be said before anything is read; backends that only Terraform has are told when they are to be read.
    [[nodiscard]] static auto judge(value const& config) -> std::optional<language::complaint>
    {
        static constexpr std::array foreign{
            "azurerm", "consul", "cos", "gcs", "inmem", "kubernetes", "oss", "pg", "remote", "s3"};
        if (!attribute(config, "backend").has_data()) return std::nullopt;
        std::string const backend = text_of(config, "backend");
        auto const complain = [](failure const& why) {
            auto const& first = why.why().front();
            language::complaint found{first.attribute, {}};
            found.problem.summary = first.summary;
            found.problem.detail = first.detail;
            found.problem.code = messages::find_message(first.code)->code;
            return found;
        };
        if (backend == "local" || backend == "http") {
            auto const settings = settings_of(config, backend);
            return settings ? std::nullopt : std::optional(complain(settings.error()));
        }
        if (std::ranges::find(foreign, backend) != foreign.end()) return std::nullopt;
        return complain(no_backend(backend));
    }
    [[nodiscard]] static auto no_backend(std::string const& name) -> failure
    {
        return problem_with("backend", make_error(messages::remote_state_backend_unknown, {name}));
    }

    [[nodiscard]] static auto answer(value const& config, expected<outputs> const& found) -> expected<value>
    {
        if (!found) return found.error();
        value const defaults = attribute(config, "defaults");
        if (defaults.has_data() && !defaults.is(language::type_kind::object) && !defaults.is(language::type_kind::map))
            return problem_with("defaults", make_error(messages::remote_state_defaults_not_object));
        outputs all;
        for (language::value_entry const& e : defaults.entries()) all.insert_or_assign(e.key, e.of);
        for (auto const& [name, v] : *found) all.insert_or_assign(name, v);
        std::vector<language::value_entry> entries;
        for (auto& [name, v] : all) entries.push_back({name, std::move(v)});
        return with(config, {{"outputs", value::object(std::move(entries))}});
    }

    [[nodiscard]] static auto unsuitable(strider::infra::diagnostic what) -> failure
    {
        return problem_with("config", std::move(what));
    }
    [[nodiscard]] static auto no_state() -> failure { return failure(make_error(messages::remote_state_not_found)); }
    [[nodiscard]] static auto no_answer(std::string const& why) -> failure
    {
        return failure(make_error(messages::remote_state_unreadable, {why}));
    }

    /// What a backend is configured with: attributes that it knows, as the kind it wants.
    [[nodiscard]] static auto settings_of(value const& config, std::string const& backend) -> expected<value>
    {
        using language::type_kind;
        using kinds = std::map<std::string_view, type_kind>;
        static kinds const of_local{{"path", type_kind::string}, {"workspace_dir", type_kind::string}};
        static kinds const of_http{{"address", type_kind::string}, {"client_ca_certificate_pem", type_kind::string},
            {"client_certificate_pem", type_kind::string}, {"client_private_key_pem", type_kind::string},
            {"lock_address", type_kind::string}, {"lock_method", type_kind::string}, {"password", type_kind::string},
            {"retry_max", type_kind::number}, {"retry_wait_max", type_kind::number},
            {"retry_wait_min", type_kind::number}, {"skip_cert_verification", type_kind::boolean},
            {"unlock_address", type_kind::string}, {"unlock_method", type_kind::string},
            {"update_method", type_kind::string}, {"username", type_kind::string}};
        kinds const& known = backend == "local" ? of_local : of_http;
        value const given = attribute(config, "config");
        if (!given.has_data()) return value::object({});
        if (!given.is(language::type_kind::object) && !given.is(language::type_kind::map))
            return unsuitable(make_error(messages::remote_state_config_not_object));
        std::vector<language::value_entry> settings;
        for (language::value_entry const& e : given.entries()) {
            auto const at = known.find(e.key);
            if (at == known.end())
                return unsuitable(make_error(messages::remote_state_config_attribute_unknown, {backend, e.key}));
            auto converted = language::convert(e.of, type_of(at->second));
            if (!converted)
                return unsuitable(
                    make_error(messages::remote_state_config_attribute_wrong, {backend, e.key, demand_of(at->second)}));
            settings.push_back({e.key, std::move(*converted)});
        }
        return value::object(std::move(settings));
    }

    [[nodiscard]] static auto read_local(value const& config) -> expected<outputs>
    {
        auto const settings = settings_of(config, "local");
        if (!settings) return settings.error();
        std::string path = text_of(*settings, "path");
        if (path.empty()) path = "terraform.tfstate";
        std::string directory = text_of(*settings, "workspace_dir");
        if (directory.empty()) directory = "terraform.tfstate.d";
        std::string const workspace = text_of(config, "workspace");
        if (!workspace.empty() && workspace != "default") path = directory + "/" + workspace + "/terraform.tfstate";
        auto const text = read_input(path);
        if (!text && is_missing(text.error())) return no_state();
        if (!text) return no_answer(path + ": " + text.error().message());
        return read_outputs(*text);
    }

    [[nodiscard]] static auto request_of(value const& config) -> expected<http::request>
    {
        auto const settings = settings_of(config, "http");
        if (!settings) return settings.error();
        std::string const workspace = text_of(config, "workspace");
        if (!workspace.empty() && workspace != "default")
            return failure(make_error(messages::remote_state_workspaces_unsupported));
        http::request r;
        r.url = text_of(*settings, "address");
        if (r.url.empty()) return unsuitable(make_error(messages::remote_state_address_missing));
        if (!http::url::parse(r.url)) return unsuitable(make_error(messages::remote_state_address_invalid, {r.url}));
        std::string const user = text_of(*settings, "username");
        if (!user.empty()) r.headers["Authorization"] = "Basic " + base64(user + ":" + text_of(*settings, "password"));
        r.insecure = flag_of(*settings, "skip_cert_verification");
        r.trusted_pem = text_of(*settings, "client_ca_certificate_pem");
        r.certificate_pem = text_of(*settings, "client_certificate_pem");
        r.key_pem = text_of(*settings, "client_private_key_pem");
        auto const bounded = [&](std::string_view name, std::int64_t otherwise) {
            return std::clamp<std::int64_t>(number_of(*settings, name).value_or(otherwise), 0, 86'400);
        };
        r.retries.most = bounded("retry_max", 2);
        r.retries.least_wait = std::chrono::seconds(bounded("retry_wait_min", 1));
        r.retries.longest_wait = std::chrono::seconds(bounded("retry_wait_max", 30));
        return r;
    }

    [[nodiscard]] static auto read_http(http::response const& got) -> expected<outputs>
    {
        if (!got) return no_answer(got.error);
        switch (got.status) {
        case 200: break;
        case 204:
        case 404: return no_state();
        case 401: return failure(make_error(messages::remote_state_unauthorized));
        case 403: return failure(make_error(messages::remote_state_forbidden));
        default: return failure(make_error(messages::remote_state_unexpected_status, {std::to_string(got.status)}));
        }
        if (got.body.empty()) return no_state();
        return read_outputs(got.body);
    }
};

}  // namespace

auto terraform_remote_state() -> data_source const&
{
    static terraform_remote_state_source const instance;
    return instance;
}

auto to_be_read(data_source const& source, value const& config) -> value
{
    value result = config;
    for (language::schema_attribute const& a : source.schema().attributes)
        if (a.computed && attribute(result, a.name).is_null()) result = with(result, {{a.name, value::unknown(a.of)}});
    return result;
}

}  // namespace iacctl::providers
