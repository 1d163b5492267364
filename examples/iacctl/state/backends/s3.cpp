// SPDX-License-Identifier: BSL-1.0
#include "s3.hpp"

#include "base/duration.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/proxies.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace iacctl::backends {

namespace fs = std::filesystem;

namespace {

// Reads the arguments, and converts those that are not plain texts.
class s3_reader {
public:
    s3_reader(language::value const& settings, place const& p) : settings_(settings), place_(p), read_("s3", settings)
    {}

    [[nodiscard]] auto read() -> expected<s3_settings>;

private:
    // Each fills a part of the result.
    [[nodiscard]] auto read_names() -> expected<void>;
    [[nodiscard]] auto read_connection() -> expected<void>;
    [[nodiscard]] auto read_region() -> expected<void>;
    [[nodiscard]] auto read_endpoints() -> expected<void>;
    [[nodiscard]] auto read_writing() -> expected<void>;
    [[nodiscard]] auto read_identity() -> expected<void>;
    [[nodiscard]] auto read_role() -> expected<void>;
    [[nodiscard]] auto read_web_identity() -> expected<void>;

    [[nodiscard]] auto object(std::string_view argument) const -> language::value const*
    {
        auto const* const given = settings_.find(argument);
        return given != nullptr && given->has_data() ? given : nullptr;
    }
    [[nodiscard]] auto files(std::string_view argument, char const* variable, char const* usual) const
        -> std::vector<fs::path>;
    [[nodiscard]] auto endpoint(std::string_view service, std::string_view argument,
        std::initializer_list<char const*> variables) const -> expected<std::string>;
    [[nodiscard]] auto flags(std::initializer_list<std::tuple<bool*, std::string_view, char const*>> all) const
        -> expected<void>;

    language::value const& settings_;
    place const& place_;
    settings_reader read_;
    s3_settings with_;
    aws_identity_settings identity_;
};

auto texts_in(language::value const& of, std::string_view name) -> std::vector<std::string>
{
    std::vector<std::string> all;
    auto const* const given = of.find(name);
    if (given == nullptr || !given->has_data()) return all;
    for (auto const& one : given->elements())
        if (one.has_data()) all.push_back(one.as_string());
    return all;
}

auto map_in(language::value const& of, std::string_view name) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    auto const* const given = of.find(name);
    if (given == nullptr || !given->has_data()) return all;
    for (language::value_entry const& e : given->entries())
        if (e.of.has_data()) all.emplace(e.key, e.of.as_string());
    return all;
}

// The file that a text names; "~" at its begin is the home directory.
auto with_home(std::string const& name) -> fs::path
{
    if (name != "~" && !name.starts_with("~/")) return name;
    return fs::path(environment_variable("HOME")) / name.substr(std::min<std::size_t>(2, name.size()));
}

// The members of a role that its two arguments have in common.
auto read_role_members(language::value const& of, settings_reader const& read) -> expected<aws_role>
{
    aws_role role;
    role.policy = read.text("policy");
    role.policy_arns = texts_in(of, "policy_arns");
    if (auto const text = read.text("duration"); !text.empty()) {
        auto const length = parse_duration(text);
        if (!length || *length < std::chrono::minutes(15) || *length > std::chrono::hours(12))
            return read.invalid("duration", "It must be a time between 15m and 12h.");
        role.duration = std::chrono::duration_cast<std::chrono::seconds>(*length);
    }
    return role;
}

}  // namespace

auto s3_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s = [] {
        language::schema made;
        auto const is_secret = [](std::string_view name) {
            return name == "secret_key" || name == "token" || name == "sse_customer_key"
                || name == "web_identity_token";
        };
        auto const add = [&](language::schema& to, type const& t, std::initializer_list<char const*> names) {
            for (char const* const one : names)
                to.attributes.push_back({.name = one, .of = t, .optional = true, .sensitive = is_secret(one)});
            std::ranges::sort(to.attributes, {}, &language::schema_attribute::name);
        };
        auto const add_object = [&](char const* name, language::schema content) {
            language::schema_attribute object{.name = name, .of = {}, .optional = true};
            object.nest(language::nesting::single, std::make_shared<language::schema const>(std::move(content)));
            made.attributes.push_back(std::move(object));
        };
        language::schema role;
        role.attributes.push_back({.name = "role_arn", .of = type::string(), .required = true});
        add(role, type::string(), {"duration", "policy", "session_name"});
        add(role, type::set(type::string()), {"policy_arns"});
        language::schema web = role;
        add(role, type::string(), {"external_id", "source_identity"});
        add(role, type::set(type::string()), {"transitive_tag_keys"});
        add(role, type::map(type::string()), {"tags"});
        add(web, type::string(), {"web_identity_token", "web_identity_token_file"});
        add_object("assume_role", std::move(role));
        add_object("assume_role_with_web_identity", std::move(web));
        add(made, type::string(),
            {"access_key", "acl", "assume_role_policy", "bucket", "custom_ca_bundle", "dynamodb_endpoint",
                "dynamodb_table", "ec2_metadata_service_endpoint", "ec2_metadata_service_endpoint_mode", "endpoint",
                "external_id", "http_proxy", "https_proxy", "iam_endpoint", "key", "kms_key_id", "no_proxy", "profile",
                "region", "retry_mode", "role_arn", "secret_key", "session_name", "shared_credentials_file",
                "sse_customer_key", "sts_endpoint", "sts_region", "token", "workspace_key_prefix"});
        add(made, type::boolean(),
            {"encrypt", "force_path_style", "insecure", "skip_conditional_writes", "skip_credentials_validation",
                "skip_metadata_api_check", "skip_region_validation", "skip_requesting_account_id", "skip_s3_checksum",
                "use_dualstack_endpoint", "use_fips_endpoint", "use_lockfile", "use_path_style"});
        add(made, type::number(), {"assume_role_duration_seconds", "max_retries"});
        add(made, type::set(type::string()),
            {"allowed_account_ids", "assume_role_policy_arns", "assume_role_transitive_tag_keys",
                "forbidden_account_ids", "shared_config_files", "shared_credentials_files"});
        add(made, type::map(type::string()), {"assume_role_tags", "endpoints", "lock_tags", "state_tags"});
        return made;
    }();
    return s;
}

namespace {

auto s3_reader::files(std::string_view argument, char const* variable, char const* usual) const -> std::vector<fs::path>
{
    std::vector<fs::path> all;
    for (auto const& one : texts_in(settings_, argument)) all.push_back(place_.resolve(with_home(one)));
    std::string const named = environment_variable(variable);
    if (all.empty() && !named.empty()) all.push_back(with_home(named));
    if (all.empty()) all.push_back(fs::path(environment_variable("HOME")) / usual);
    return all;
}

auto s3_reader::endpoint(std::string_view service, std::string_view argument,
    std::initializer_list<char const*> variables) const -> expected<std::string>
{
    auto const all = map_in(settings_, "endpoints");
    auto const named = all.find(std::string(service));
    std::string found = named != all.end() ? named->second : argument.empty() ? std::string() : read_.text(argument);
    for (char const* const variable : variables)
        if (found.empty()) found = environment_variable(variable);
    if (found.empty()) return found;
    auto const parsed = http::url::parse(found);
    if (!parsed)
        return read_.invalid("endpoints",
            "The address of " + std::string(service) + " must be a URL that begins with http:// or https://.");
    return parsed->origin();
}

auto s3_reader::flags(std::initializer_list<std::tuple<bool*, std::string_view, char const*>> all) const
    -> expected<void>
{
    for (auto const& [to, argument, variable] : all) {
        auto const given = read_.flag(argument, variable, *to);
        if (!given) return given.error();
        *to = *given;
    }
    return {};
}

auto s3_reader::read_names() -> expected<void>
{
    with_.bucket = read_.text("bucket");
    if (with_.bucket.empty()) return read_.missing("bucket");
    with_.key = read_.text("key");
    if (with_.key.empty()) return read_.missing("key");
    if (auto prefix = read_.text("workspace_key_prefix"); !prefix.empty())
        with_.workspace_key_prefix = std::move(prefix);
    for (auto const& [argument, text] :
        {std::pair("key", with_.key), {"workspace_key_prefix", with_.workspace_key_prefix}})
        if (text.starts_with('/') || text.ends_with('/'))
            return read_.invalid(argument, "It must not begin or end with a slash.");
    return {};
}

auto s3_reader::read_connection() -> expected<void>
{
    aws_connection& c = with_.connection;
    if (auto const done =
            flags({{&c.insecure, "insecure", nullptr}, {&c.use_fips, "use_fips_endpoint", "AWS_USE_FIPS_ENDPOINT"},
                {&c.use_dualstack, "use_dualstack_endpoint", "AWS_USE_DUALSTACK_ENDPOINT"}});
        !done)
        return done.error();
    auto const retries = read_.number("max_retries", nullptr, c.retries.most);
    if (!retries) return retries.error();
    c.retries.most = std::clamp<std::int64_t>(*retries, 0, 100);
    // The modes differ in the rate of parallel requests. A command sends one request at a time.
    auto const mode = read_.text("retry_mode", "AWS_RETRY_MODE");
    if (!mode.empty() && mode != "standard" && mode != "adaptive" && mode != "legacy")
        return read_.invalid("retry_mode", "It must be \"standard\" or \"adaptive\".");
    if (auto const bundle = read_.text("custom_ca_bundle", "AWS_CA_BUNDLE"); !bundle.empty()) {
        auto text = read_input(place_.resolve(with_home(bundle)));
        if (!text)
            return read_.invalid("custom_ca_bundle", bundle + " cannot be read: " + text.error().message() + ".");
        c.trusted_pem = std::move(*text);
    }
    auto const http = read_.text("http_proxy");
    auto const https = read_.text("https_proxy");
    auto const direct = read_.text("no_proxy");
    if (http.empty() && https.empty() && direct.empty()) return {};
    auto const from = [](std::string const& given, char const* variable, char const* lower) {
        if (!given.empty()) return given;
        auto const upper = environment_variable(variable);
        return upper.empty() ? environment_variable(lower) : upper;
    };
    // As in Terraform, a proxy for http alone serves both.
    c.via = std::make_shared<http::proxies const>(from(http, "HTTP_PROXY", "http_proxy"),
        from(https.empty() ? http : https, "HTTPS_PROXY", "https_proxy"), from(direct, "NO_PROXY", "no_proxy"), false);
    return {};
}

auto s3_reader::read_region() -> expected<void>
{
    bool const is_named = !read_.text("profile").empty();
    identity_.profile = read_.text("profile", "AWS_PROFILE");
    identity_.profile_is_argument = is_named;
    if (!read_.text("shared_credentials_file").empty() && !texts_in(settings_, "shared_credentials_files").empty())
        return read_.invalid("shared_credentials_file", "Set only shared_credentials_files.");
    identity_.files.credentials = files("shared_credentials_files", "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials");
    if (auto const one = read_.text("shared_credentials_file"); !one.empty())
        identity_.files.credentials = {place_.resolve(with_home(one))};
    identity_.files.configuration = files("shared_config_files",
        environment_variable("AWS_CONFIG_FILE").empty() ? "AWS_SHARED_CONFIG_FILE" : "AWS_CONFIG_FILE", ".aws/config");
    auto profile = identity_.files.read(identity_.profile.empty() ? "default" : identity_.profile);
    for (std::string const& one :
        {read_.text("region", "AWS_REGION"), environment_variable("AWS_DEFAULT_REGION"), profile["region"]})
        if (with_.region.empty()) with_.region = one;
    if (with_.region.empty()) return read_.missing("region", "AWS_REGION");
    return {};
}

auto s3_reader::read_endpoints() -> expected<void>
{
    static constexpr std::array<std::string_view, 5> services{"dynamodb", "iam", "s3", "sso", "sts"};
    for (auto const& [service, url] : map_in(settings_, "endpoints"))
        if (std::ranges::find(services, service) == services.end())
            return read_.invalid("endpoints",
                "There is no service \"" + service + "\" here. The services are dynamodb, iam, s3, sso and sts.");
    auto s3 = endpoint("s3", "endpoint", {"AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT", "AWS_ENDPOINT_URL"});
    if (!s3) return s3.error();
    with_.endpoint = std::move(*s3);
    auto table = endpoint(
        "dynamodb", "dynamodb_endpoint", {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_DYNAMODB_ENDPOINT", "AWS_ENDPOINT_URL"});
    if (!table) return table.error();
    with_.dynamodb = {read_.text("dynamodb_table"), with_.region, std::move(*table)};
    auto sts = endpoint("sts", "sts_endpoint", {"AWS_ENDPOINT_URL_STS", "AWS_STS_ENDPOINT", "AWS_ENDPOINT_URL"});
    if (!sts) return sts.error();
    identity_.sts_endpoint = std::move(*sts);
    auto sso = endpoint("sso", "", {"AWS_ENDPOINT_URL_SSO", "AWS_ENDPOINT_URL"});
    if (!sso) return sso.error();
    identity_.sso_endpoint = std::move(*sso);
    auto const sts_region = read_.text("sts_region", "AWS_STS_REGION");
    identity_.region = sts_region.empty() ? with_.region : sts_region;
    return {};
}

auto s3_reader::read_writing() -> expected<void>
{
    bool forced_path_style = false;
    if (auto const done =
            flags({{&with_.skip_conditional_writes, "skip_conditional_writes", "IACCTL_S3_SKIP_CONDITIONAL_WRITES"},
                {&forced_path_style, "force_path_style", nullptr}, {&with_.use_path_style, "use_path_style", nullptr},
                {&with_.use_lockfile, "use_lockfile", nullptr}, {&with_.encrypt, "encrypt", nullptr},
                {&with_.skip_s3_checksum, "skip_s3_checksum", nullptr}});
        !done)
        return done.error();
    with_.use_path_style = with_.use_path_style || forced_path_style;
    if (with_.use_lockfile && with_.skip_conditional_writes)
        return read_.invalid("skip_conditional_writes",
            "Lock files are conditional writes: set only one of skip_conditional_writes and use_lockfile.");
    with_.acl = read_.text("acl");
    with_.state_tags = map_in(settings_, "state_tags");
    with_.lock_tags = map_in(settings_, "lock_tags");
    with_.kms_key_id = read_.text("kms_key_id");
    auto const key = read_.text("sse_customer_key", "AWS_SSE_CUSTOMER_KEY");
    if (key.empty()) return {};
    auto bytes = from_base64(key);
    if (!bytes || bytes->size() != 32)
        return read_.invalid("sse_customer_key", "It must be a key of 32 bytes in base64.");
    if (!with_.kms_key_id.empty())
        return read_.invalid("sse_customer_key", "Set only one of sse_customer_key and kms_key_id.");
    with_.sse_customer_key = std::move(*bytes);
    return {};
}

auto s3_reader::read_role() -> expected<void>
{
    auto const* const given = object("assume_role");
    aws_role role;
    if (given != nullptr) {
        settings_reader const members("s3", *given);
        auto common = read_role_members(*given, members);
        if (!common) return common.error();
        role = std::move(*common);
        role.arn = members.text("role_arn");
        if (role.arn.empty()) return members.missing("role_arn");
        role.session_name = members.text("session_name");
        role.external_id = members.text("external_id");
        role.source_identity = members.text("source_identity");
        role.tags = map_in(*given, "tags");
        role.transitive_tag_keys = texts_in(*given, "transitive_tag_keys");
    }
    // The arguments of earlier versions, which OpenTofu still has.
    if (auto arn = read_.text("role_arn"); !arn.empty()) {
        if (given != nullptr) return read_.invalid("role_arn", "Set only assume_role.");
        role.arn = std::move(arn);
        role.session_name = read_.text("session_name");
        role.external_id = read_.text("external_id");
        role.policy = read_.text("assume_role_policy");
        role.policy_arns = texts_in(settings_, "assume_role_policy_arns");
        role.tags = map_in(settings_, "assume_role_tags");
        role.transitive_tag_keys = texts_in(settings_, "assume_role_transitive_tag_keys");
        auto const seconds = read_.number("assume_role_duration_seconds", nullptr, 0);
        if (!seconds) return seconds.error();
        if (*seconds > 0) role.duration = std::chrono::seconds(*seconds);
    }
    if (!role.arn.empty()) identity_.role = std::move(role);
    return {};
}

auto s3_reader::read_web_identity() -> expected<void>
{
    auto const* const given = object("assume_role_with_web_identity");
    if (given == nullptr) return {};
    settings_reader const members("s3", *given);
    auto role = read_role_members(*given, members);
    if (!role) return role.error();
    role->arn = members.text("role_arn", "AWS_ROLE_ARN");
    if (role->arn.empty()) return members.missing("role_arn", "AWS_ROLE_ARN");
    role->session_name = members.text("session_name", "AWS_ROLE_SESSION_NAME");
    if (!members.text("web_identity_token").empty() && !members.text("web_identity_token_file").empty())
        return members.invalid("web_identity_token", "Set only one of web_identity_token and web_identity_token_file.");
    role->token = members.text("web_identity_token", "AWS_WEB_IDENTITY_TOKEN");
    auto const file = members.text("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE");
    if (role->token.empty() && file.empty())
        return members.missing("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE");
    if (role->token.empty()) role->token_file = place_.resolve(with_home(file));
    identity_.web_identity = std::move(*role);
    return {};
}

auto s3_reader::read_identity() -> expected<void>
{
    identity_.given = {read_.text("access_key"), read_.text("secret_key"), read_.text("token")};
    if (auto const done = read_role(); !done) return done.error();
    if (auto const done = read_web_identity(); !done) return done.error();
    bool skips_metadata = false;
    bool skips_account = false;
    bool skips_validation = false;  // none is made: a request that the credentials do not permit is refused
    if (auto const done = flags({{&skips_metadata, "skip_metadata_api_check", "AWS_EC2_METADATA_DISABLED"},
            {&skips_account, "skip_requesting_account_id", nullptr},
            {&skips_validation, "skip_credentials_validation", nullptr}});
        !done)
        return done.error();
    identity_.uses_metadata = !skips_metadata;
    identity_.metadata_endpoint = read_.text("ec2_metadata_service_endpoint", "AWS_EC2_METADATA_SERVICE_ENDPOINT");
    if (identity_.metadata_endpoint.empty()) identity_.metadata_endpoint = environment_variable("AWS_METADATA_URL");
    while (identity_.metadata_endpoint.ends_with('/')) identity_.metadata_endpoint.pop_back();
    auto const mode = read_.text("ec2_metadata_service_endpoint_mode", "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    if (!mode.empty() && mode != "IPv4" && mode != "IPv6")
        return read_.invalid("ec2_metadata_service_endpoint_mode", "It must be \"IPv4\" or \"IPv6\".");
    if (mode == "IPv6" && identity_.metadata_endpoint.empty()) identity_.metadata_endpoint = "http://[fd00:ec2::254]";
    identity_.allowed_accounts = texts_in(settings_, "allowed_account_ids");
    identity_.forbidden_accounts = texts_in(settings_, "forbidden_account_ids");
    bool const checks = !identity_.allowed_accounts.empty() || !identity_.forbidden_accounts.empty();
    if (!identity_.allowed_accounts.empty() && !identity_.forbidden_accounts.empty())
        return read_.invalid("allowed_account_ids", "Set only one of allowed_account_ids and forbidden_account_ids.");
    if (checks && skips_account)
        return read_.invalid("skip_requesting_account_id",
            "allowed_account_ids and forbidden_account_ids need the account ID. Remove one of the arguments.");
    identity_.connection = with_.connection;
    with_.identity = std::make_shared<aws_identity>(std::move(identity_));
    return {};
}

auto s3_reader::read() -> expected<s3_settings>
{
    for (auto const part : {&s3_reader::read_names, &s3_reader::read_connection, &s3_reader::read_region,
             &s3_reader::read_endpoints, &s3_reader::read_writing, &s3_reader::read_identity})
        if (auto const done = (this->*part)(); !done) return done.error();
    return std::move(with_);
}

}  // namespace

auto read_s3_settings(language::value const& settings, place const& p) -> expected<s3_settings>
{
    return s3_reader(settings, p).read();
}

auto make_s3(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    auto with = read_s3_settings(settings, p);
    if (!with) return with.error();
    auto server = make_s3_state(std::move(*with));
    auto mirrors = p.mirror_of(server->type(), server->place_of("default"));
    return std::shared_ptr<state::backend>(
        std::make_shared<remote_backend>(std::move(server), std::move(mirrors), p.encryption));
}

}  // namespace iacctl::backends
