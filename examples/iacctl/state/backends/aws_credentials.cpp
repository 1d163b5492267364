// SPDX-License-Identifier: BSL-1.0
#include "aws_credentials.hpp"

#include "base/blocking_child.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/proxies.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/trimmed.hpp"
#include "base/xml_document.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "state/state_error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace iacctl::backends {

namespace fs = std::filesystem;
using state::make_failure;

namespace {

constexpr std::chrono::minutes renewed_before_end{5};
constexpr int most_profiles_in_chain = 8;
constexpr std::size_t longest_answer = std::size_t{1} << 20U;

// The values in one section of a file of profiles, by name; the first one if a name is repeated. Nothing if the file does
// not have the section.
auto section_of(std::string_view text, std::string_view title) -> std::optional<aws_profile>
{
    std::optional<aws_profile> all;
    bool is_inside = false;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view const raw = text.substr(0, end);
        std::string_view const line = trimmed(raw);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with('[')) is_inside = line.ends_with(']') && trimmed(line.substr(1, line.size() - 2)) == title;
        if (is_inside && !all) all.emplace();
        auto const equals = line.find('=');
        bool const is_nested = raw.starts_with(' ') || raw.starts_with('\t');
        if (is_inside && !is_nested && !line.starts_with('#') && !line.starts_with(';') && equals != line.npos)
            all->emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }
    return all;
}

// The values in one section of several files. Nothing if none of the files has the section.
auto read_all(std::vector<fs::path> const& files, std::string_view title) -> std::optional<aws_profile>
{
    std::optional<aws_profile> all;
    for (fs::path const& file : files) {
        auto const text = read_input(file);
        auto const found = text ? section_of(*text, title) : std::nullopt;
        if (!found) continue;
        if (!all) all.emplace();
        for (auto const& [name, value] : *found) all->insert_or_assign(name, value);
    }
    return all;
}

// The section of a configuration file that has a profile.
auto title_of(std::string const& profile) -> std::string
{
    return profile == "default" ? profile : "profile " + profile;
}

auto text_of(aws_profile const& p, std::string const& name) -> std::string
{
    auto const found = p.find(name);
    return found == p.end() ? std::string() : found->second;
}

auto unavailable(std::string const& source, std::string const& why) -> state::infra::failure
{
    return make_failure(messages::aws_credentials_unavailable, {source, why});
}

// The reason for which a response has no credentials.
auto refusal_of(http::response const& got) -> std::string
{
    if (!got) return got.reason();
    auto const document = xml_document::parse(got.body);
    auto const code = document ? document->text("Code") : std::string();
    auto const text = document ? document->text("Message") : std::string();
    return "status " + std::to_string(got.status) + (code.empty() ? "" : " " + code)
        + (text.empty() ? "" : ": " + text);
}

// Names of members differ between the services that return credentials as JSON.
struct member_names {
    char const* access_key = "AccessKeyId";
    char const* secret_key = "SecretAccessKey";
    char const* token = "Token";
    char const* end = "Expiration";
};

auto end_in(json const& from, char const* name) -> std::optional<timestamp>
{
    if (auto const* const end = from.find(name))
        if (auto const milliseconds = end->integer()) return timestamp::of_unix_ms(*milliseconds);
    return timestamp::parse(from.text_of(name));
}

void add_parameter(std::string& form, std::string const& name, std::string_view value)
{
    if (!value.empty()) form += "&" + aws_encoded(name) + "=" + aws_encoded(value);
}

auto form_of(aws_role const& role, std::string const& token) -> std::string
{
    std::string form = token.empty() ? "Action=AssumeRole" : "Action=AssumeRoleWithWebIdentity";
    form += "&Version=2011-06-15";
    add_parameter(form, "RoleArn", role.arn);
    add_parameter(form, "RoleSessionName",
        role.session_name.empty() ? "iacctl-" + std::to_string(timestamp::now().unix_seconds()) : role.session_name);
    add_parameter(form, "WebIdentityToken", token);
    add_parameter(form, "ExternalId", role.external_id);
    add_parameter(form, "Policy", role.policy);
    add_parameter(form, "SourceIdentity", role.source_identity);
    if (role.duration) add_parameter(form, "DurationSeconds", std::to_string(role.duration->count()));
    int number = 0;
    for (auto const& arn : role.policy_arns)
        add_parameter(form, "PolicyArns.member." + std::to_string(++number) + ".arn", arn);
    number = 0;
    for (auto const& [key, value] : role.tags) {
        std::string const member = "Tags.member." + std::to_string(++number);
        add_parameter(form, member + ".Key", key);
        add_parameter(form, member + ".Value", value);
    }
    number = 0;
    for (auto const& key : role.transitive_tag_keys)
        add_parameter(form, "TransitiveTagKeys.member." + std::to_string(++number), key);
    return form;
}

// The role in a profile, without the source of the credentials with which it is assumed.
auto role_in(aws_profile const& p) -> aws_role
{
    aws_role role;
    role.arn = text_of(p, "role_arn");
    role.session_name = text_of(p, "role_session_name");
    role.external_id = text_of(p, "external_id");
    std::string const duration = text_of(p, "duration_seconds");
    int seconds = 0;
    if (std::from_chars(duration.data(), duration.data() + duration.size(), seconds).ec == std::errc() && seconds > 0)
        role.duration = std::chrono::seconds(seconds);
    return role;
}

// Whether a token may be sent to an address: over TLS, to this machine, or to the agents of ECS and EKS.
// \source AWS, "Container credential provider"
auto is_container_address(std::string const& address) -> bool
{
    static constexpr std::array<std::string_view, 5> hosts{
        "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"};
    auto const where = http::url::parse(address);
    if (!where) return false;
    return where->secure || where->host.starts_with("127.") || std::ranges::find(hosts, where->host) != hosts.end();
}

// A request to a service of the machine itself: without proxies, and with little patience.
auto local_request(std::string url) -> http::request
{
    http::request r;
    r.url = std::move(url);
    r.via = std::make_shared<http::proxies const>("", "", "", false);
    r.connect_timeout = std::chrono::seconds(1);
    r.timeout = std::chrono::seconds(5);
    r.retries = {2, std::chrono::milliseconds(100), std::chrono::seconds(1), true};
    r.longest_body = longest_answer;
    r.follows = http::redirections::none;
    return r;
}

}  // namespace

auto aws_profile_files::read(std::string const& name) const -> aws_profile
{
    auto all = read_all(credentials, name).value_or(aws_profile());
    all.merge(read_all(configuration, title_of(name)).value_or(aws_profile()));
    return all;
}

auto aws_profile_files::contain(std::string const& name) const -> bool
{
    return read_all(credentials, name) || read_all(configuration, title_of(name));
}

auto aws_profile_files::text() const -> std::string
{
    std::string all;
    for (auto const* files : {&credentials, &configuration})
        for (fs::path const& file : *files) all += (all.empty() ? "" : ", ") + file.string();
    return all;
}

auto aws_profile_files::read_section(std::string const& title) const -> aws_profile
{
    return read_all(configuration, title).value_or(aws_profile());
}

auto aws_identity::credentials() -> expected<aws_credentials>
{
    bool const is_valid = known_ && (!known_->end || timestamp::now().plus(renewed_before_end) < *known_->end);
    if (is_valid) return known_->value;
    auto found = obtain();
    if (!found) return found.error();
    if (auto const allowed = check_account(found->value); !allowed) return allowed.error();
    known_ = std::move(*found);
    return known_->value;
}

auto aws_identity::obtain() -> expected<obtained>
{
    auto found = of_chain();
    if (!found || !with_.role) return found;
    return assume(*with_.role, found->value);
}

auto aws_identity::of_chain() -> expected<obtained>
{
    if (!with_.given.access_key.empty() && !with_.given.secret_key.empty()) return obtained{with_.given, {}};
    if (with_.web_identity) return assume(*with_.web_identity, std::nullopt);
    if (!with_.profile_is_argument) {
        aws_credentials const of_environment{environment_variable("AWS_ACCESS_KEY_ID"),
            environment_variable("AWS_SECRET_ACCESS_KEY"), environment_variable("AWS_SESSION_TOKEN")};
        if (!of_environment.access_key.empty() && !of_environment.secret_key.empty())
            return obtained{of_environment, {}};
        aws_role role;
        role.arn = environment_variable("AWS_ROLE_ARN");
        role.token_file = environment_variable("AWS_WEB_IDENTITY_TOKEN_FILE");
        role.session_name = environment_variable("AWS_ROLE_SESSION_NAME");
        if (!role.arn.empty() && !role.token_file.empty()) return assume(role, std::nullopt);
    }
    if (!with_.profile.empty() && !with_.files.contain(with_.profile))
        return unavailable("the profile \"" + with_.profile + "\"", "it is not in " + with_.files.text());
    auto of_profiles = of_profile(with_.profile.empty() ? "default" : with_.profile, 0);
    if (!of_profiles) return of_profiles.error();
    if (*of_profiles) return **std::move(of_profiles);
    auto container = of_container();
    if (!container) return container.error();
    if (*container) return **std::move(container);
    auto metadata = of_metadata();
    if (!metadata) return metadata.error();
    if (*metadata) return **std::move(metadata);
    return make_failure(messages::s3_credentials_missing);
}

auto aws_identity::of_profile(std::string const& name, int depth) -> expected<std::optional<obtained>>
{
    auto const p = with_.files.read(name);
    aws_credentials const keys{
        text_of(p, "aws_access_key_id"), text_of(p, "aws_secret_access_key"), text_of(p, "aws_session_token")};
    bool const has_keys = !keys.access_key.empty() && !keys.secret_key.empty();
    // The keys of a profile with a role that names itself as the source are those with which the role is assumed.
    bool const is_own_source = text_of(p, "source_profile") == name && depth > 0;
    if (!text_of(p, "role_arn").empty() && !is_own_source) return of_role_in_profile(name, p, depth);
    if (has_keys) return std::optional(obtained{keys, {}});
    if (!text_of(p, "sso_session").empty() || !text_of(p, "sso_start_url").empty()) {
        auto found = of_sign_on(name, p);
        if (!found) return found.error();
        return std::optional(std::move(*found));
    }
    if (auto const command = text_of(p, "credential_process"); !command.empty()) {
        auto found = of_program(name, command);
        if (!found) return found.error();
        return std::optional(std::move(*found));
    }
    return std::optional<obtained>();
}

auto aws_identity::of_role_in_profile(std::string const& name, aws_profile const& p, int depth)
    -> expected<std::optional<obtained>>
{
    std::string const source = "the profile \"" + name + "\"";
    if (!text_of(p, "mfa_serial").empty())
        return unavailable(source, "it requires a code of a device (mfa_serial), which iacctl does not ask for");
    if (depth == most_profiles_in_chain)
        return unavailable(source, "its source profiles form a chain that is too long");
    auto role = role_in(p);
    role.token_file = text_of(p, "web_identity_token_file");
    std::optional<aws_credentials> by;
    if (role.token_file.empty()) {
        std::string const other = text_of(p, "source_profile");
        std::string const kind = text_of(p, "credential_source");
        if (other.empty() && kind.empty())
            return unavailable(source, "it has a role_arn without a source of credentials");
        auto found = other.empty() ? of_named_source(kind) : of_profile(other, depth + 1);
        if (!found) return found.error();
        if (!*found)
            return unavailable(source,
                (other.empty() ? "the source " + kind : "the profile \"" + other + "\"")
                    + " that it names has no credentials");
        by = (*found)->value;
    }
    auto made = assume(role, by);
    if (!made) return made.error();
    return std::optional(std::move(*made));
}

auto aws_identity::of_named_source(std::string const& source) -> expected<std::optional<obtained>>
{
    if (source == "Ec2InstanceMetadata") return of_metadata();
    if (source == "EcsContainer") return of_container();
    if (source != "Environment") return std::optional<obtained>();
    aws_credentials const keys{environment_variable("AWS_ACCESS_KEY_ID"), environment_variable("AWS_SECRET_ACCESS_KEY"),
        environment_variable("AWS_SESSION_TOKEN")};
    if (keys.access_key.empty() || keys.secret_key.empty()) return std::optional<obtained>();
    return std::optional(obtained{keys, {}});
}

namespace {

// Reads credentials from JSON. \return nothing if it has none
auto read_credentials(json const& from, member_names const& names)
    -> std::optional<std::pair<aws_credentials, std::optional<timestamp>>>
{
    aws_credentials made{from.text_of(names.access_key), from.text_of(names.secret_key), from.text_of(names.token)};
    if (made.access_key.empty() || made.secret_key.empty()) return std::nullopt;
    return std::pair(std::move(made), end_in(from, names.end));
}

}  // namespace

auto aws_identity::of_program(std::string const& name, std::string const& command) -> expected<obtained>
{
    std::string const source = "the program of \"credential_process\" in the profile \"" + name + "\"";
    child_command run;
    run.words = {"/bin/sh", "-c", command};
    run.keeps_errors_apart = true;
    auto const done = run_child(std::move(run), std::chrono::minutes(1), longest_answer);
    if (!done.succeeded()) return unavailable(source, done.why);
    auto const document = parse_json(done.output);
    auto found = document ? read_credentials(*document, {.token = "SessionToken"}) : std::nullopt;
    if (!found) return unavailable(source, "its output has no access key");
    return obtained{std::move(found->first), found->second};
}

auto aws_identity::of_sign_on(std::string const& name, aws_profile const& p) -> expected<obtained>
{
    std::string const session = text_of(p, "sso_session");
    auto settings = session.empty() ? aws_profile() : with_.files.read_section("sso-session " + session);
    settings.insert(p.begin(), p.end());
    std::string const start = text_of(settings, "sso_start_url");
    std::string const source = "the single sign-on of the profile \"" + name + "\"";
    fs::path const file = fs::path(environment_variable("HOME")) / ".aws/sso/cache"
        / (hex(digest(session.empty() ? start : session, digest_kind::sha1)) + ".json");
    auto const cached = read_input(file);
    auto const token = parse_json(cached ? std::string_view(*cached) : std::string_view());
    std::string const command = "run \"aws sso login --profile " + name + "\"";
    if (!token || token->text_of("accessToken").empty()) return unavailable(source, "there is no token; " + command);
    auto const end = end_in(*token, "expiresAt");
    if (!end || *end < timestamp::now()) return unavailable(source, "the token has expired; " + command);
    http::request r;
    r.url = (with_.sso_endpoint.empty() ? with_.connection.endpoint("portal.sso", text_of(settings, "sso_region"))
                                        : with_.sso_endpoint)
        + "/federation/credentials?role_name=" + aws_encoded(text_of(settings, "sso_role_name"))
        + "&account_id=" + aws_encoded(text_of(settings, "sso_account_id"));
    r.headers["x-amz-sso_bearer_token"] = token->text_of("accessToken");
    r.follows = http::redirections::none;
    auto const got = with_.connection.send(client_, std::move(r));
    if (got.status != 200) return unavailable(source, refusal_of(got));
    auto const document = parse_json(got.body);
    auto const* const credentials = document ? document->find("roleCredentials") : nullptr;
    auto found = credentials != nullptr
        ? read_credentials(*credentials, {"accessKeyId", "secretAccessKey", "sessionToken", "expiration"})
        : std::nullopt;
    if (!found) return unavailable(source, "the response has no access key");
    return obtained{std::move(found->first), found->second};
}

auto aws_identity::of_container() -> expected<std::optional<obtained>>
{
    std::string const relative = environment_variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    std::string const whole = environment_variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    if (relative.empty() && whole.empty()) return std::optional<obtained>();
    std::string const url = relative.empty() ? whole : "http://169.254.170.2" + relative;
    std::string const source = "the container service at " + url;
    if (!is_container_address(url)) return unavailable(source, "the address must be one of this machine, or use https");
    auto r = local_request(url);
    std::string token = environment_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (auto const file = environment_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
        auto const text = read_input(file);
        if (!text) return unavailable(source, file + ": " + text.error().message());
        token = trimmed(*text);
    }
    if (!token.empty()) r.headers["Authorization"] = token;
    auto const got = client_.send(std::move(r));
    if (got.status != 200) return unavailable(source, refusal_of(got));
    auto const document = parse_json(got.body);
    auto found = document ? read_credentials(*document, {}) : std::nullopt;
    if (!found) return unavailable(source, "the response has no access key");
    return std::optional(obtained{std::move(found->first), found->second});
}

// Version 2 of the metadata service, with a token of a session. A machine without the service has no credentials there.
auto aws_identity::of_metadata() -> expected<std::optional<obtained>>
{
    if (!with_.uses_metadata) return std::optional<obtained>();
    std::string const service = with_.metadata_endpoint.empty() ? "http://169.254.169.254" : with_.metadata_endpoint;
    auto begin = local_request(service + "/latest/api/token");
    begin.method = "PUT";
    begin.body = "";
    begin.headers["X-aws-ec2-metadata-token-ttl-seconds"] = "21600";
    begin.timeout = std::chrono::seconds(2);
    begin.retries.most = 0;
    auto const token = client_.send(std::move(begin));
    if (token.status != 200) return std::optional<obtained>();
    auto const ask = [&](std::string const& path) {
        auto r = local_request(service + "/latest/meta-data/iam/security-credentials/" + path);
        r.headers["X-aws-ec2-metadata-token"] = token.body;
        return client_.send(std::move(r));
    };
    auto const roles = ask("");
    if (roles.status == 404) return std::optional<obtained>();  // the machine has no role
    std::string const source = "the metadata service at " + service;
    if (roles.status != 200) return unavailable(source, refusal_of(roles));
    std::string_view const role = trimmed(std::string_view(roles.body).substr(0, roles.body.find('\n')));
    auto const got = ask(aws_encoded(role));
    if (got.status != 200) return unavailable(source, refusal_of(got));
    auto const document = parse_json(got.body);
    auto found = document ? read_credentials(*document, {}) : std::nullopt;
    if (!found) return unavailable(source, "the response has no access key");
    return std::optional(obtained{std::move(found->first), found->second});
}

auto aws_identity::assume(aws_role const& role, std::optional<aws_credentials> const& by) -> expected<obtained>
{
    std::string const source = "the role " + role.arn;
    std::string token = role.token;
    if (!by && token.empty()) {
        auto const text = read_input(role.token_file);
        if (!text) return unavailable(source, role.token_file.string() + ": " + text.error().message());
        token = trimmed(*text);
    }
    auto const got = ask_sts(form_of(role, token), by);
    auto const document = xml_document::parse(got.body);
    if (got.status != 200 || !document || document->text("AccessKeyId").empty())
        return unavailable(source, refusal_of(got));
    return obtained{{document->text("AccessKeyId"), document->text("SecretAccessKey"), document->text("SessionToken")},
        timestamp::parse(document->text("Expiration"))};
}

auto aws_identity::check_account(aws_credentials const& of) -> expected<void>
{
    if (with_.allowed_accounts.empty() && with_.forbidden_accounts.empty()) return {};
    auto const got = ask_sts("Action=GetCallerIdentity&Version=2011-06-15", of);
    std::string const account = xml_text(got.body, "Account");
    if (got.status != 200 || account.empty()) return unavailable("the request for the account ID", refusal_of(got));
    auto const has = [&](std::vector<std::string> const& all) { return std::ranges::find(all, account) != all.end(); };
    if (has(with_.forbidden_accounts))
        return make_failure(messages::aws_account_not_allowed, {account, "forbidden_account_ids contains it"});
    if (!with_.allowed_accounts.empty() && !has(with_.allowed_accounts))
        return make_failure(messages::aws_account_not_allowed, {account, "allowed_account_ids does not contain it"});
    return {};
}

auto aws_identity::ask_sts(std::string const& form, std::optional<aws_credentials> const& by) -> http::response
{
    http::request r;
    r.method = "POST";
    r.url = (with_.sts_endpoint.empty() ? with_.connection.endpoint("sts", with_.region) : with_.sts_endpoint) + "/";
    r.headers["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8";
    r.body = form;
    r.follows = http::redirections::none;
    if (by) sign(r, *by, with_.region, "sts", timestamp::now().compact_text());
    return with_.connection.send(client_, std::move(r));
}

}  // namespace iacctl::backends
