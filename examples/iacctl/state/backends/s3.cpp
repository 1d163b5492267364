// SPDX-License-Identifier: BSL-1.0
#include "s3.hpp"

#include "base/environment.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/trimmed.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::backends {

namespace fs = std::filesystem;

namespace {

// The values in one section of a file of profiles, by name; the first one if a name is repeated.
auto read_section(std::string_view text, std::string_view section) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    bool is_inside = false;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view const raw = text.substr(0, end);
        std::string_view const line = trimmed(raw);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with('['))
            is_inside = line.ends_with(']') && trimmed(line.substr(1, line.size() - 2)) == section;
        auto const equals = line.find('=');
        bool const is_nested = raw.starts_with(' ') || raw.starts_with('\t');
        if (is_inside && !is_nested && !line.starts_with('#') && !line.starts_with(';') && equals != line.npos)
            all.emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }
    return all;
}

// The names and values of a profile, from the credentials file and the configuration file.
auto read_profile(std::string const& name) -> std::map<std::string, std::string>
{
    auto const read = [](char const* variable, char const* usual, std::string const& section) {
        auto const named = environment_variable(variable);
        auto const text = read_input(named.empty() ? fs::path(environment_variable("HOME")) / usual : fs::path(named));
        return read_section(text ? std::string_view(*text) : std::string_view(), section);
    };
    auto all = read("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", name);
    all.merge(read("AWS_CONFIG_FILE", ".aws/config", name == "default" ? name : "profile " + name));
    return all;
}

// The credentials from the arguments, from the profile that they name, from the environment, or from the default
// profile.
auto find_credentials(settings_reader const& read, std::map<std::string, std::string>& profile, bool is_named)
    -> aws_credentials
{
    aws_credentials const given{read.text("access_key"), read.text("secret_key"), read.text("token")};
    aws_credentials const of_environment{environment_variable("AWS_ACCESS_KEY_ID"),
        environment_variable("AWS_SECRET_ACCESS_KEY"), environment_variable("AWS_SESSION_TOKEN")};
    aws_credentials const of_profile{
        profile["aws_access_key_id"], profile["aws_secret_access_key"], profile["aws_session_token"]};
    for (aws_credentials const* one : {&given, is_named ? &of_profile : &of_environment, &of_profile})
        if (!one->access_key.empty() && !one->secret_key.empty()) return *one;
    return {};
}

}  // namespace

auto s3_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s = [] {
        language::schema made;
        auto const is_secret = [](std::string_view name) { return name == "secret_key" || name == "token"; };
        auto const add = [&](type const& t, std::initializer_list<char const*> names) {
            for (char const* const one : names)
                made.attributes.push_back({.name = one, .of = t, .optional = true, .sensitive = is_secret(one)});
        };
        add(type::string(),
            {"access_key", "bucket", "custom_ca_bundle", "dynamodb_table", "endpoint", "key", "kms_key_id", "profile",
                "region", "secret_key", "token", "workspace_key_prefix"});
        add(type::boolean(),
            {"encrypt", "force_path_style", "insecure", "skip_conditional_writes", "skip_credentials_validation",
                "skip_metadata_api_check", "skip_region_validation", "skip_requesting_account_id", "skip_s3_checksum",
                "use_lockfile", "use_path_style"});
        add(type::number(), {"max_retries"});
        add(type::map(type::string()), {"endpoints"});
        std::ranges::sort(made.attributes, {}, &language::schema_attribute::name);
        return made;
    }();
    return s;
}

auto read_s3_settings(language::value const& settings, place const& p) -> expected<s3_settings>
{
    settings_reader const read("s3", settings);
    s3_settings with;
    with.bucket = read.text("bucket");
    if (with.bucket.empty()) return read.missing("bucket");
    with.key = read.text("key");
    if (with.key.empty()) return read.missing("key");
    if (auto prefix = read.text("workspace_key_prefix"); !prefix.empty()) with.workspace_key_prefix = std::move(prefix);
    for (auto const& [argument, text] :
        {std::pair("key", with.key), {"workspace_key_prefix", with.workspace_key_prefix}})
        if (text.starts_with('/') || text.ends_with('/'))
            return read.invalid(argument, "It must not begin or end with a slash.");
    if (!read.text("dynamodb_table").empty())
        return read.invalid("dynamodb_table",
            "Locks in DynamoDB are not supported. Remove the argument and set use_lockfile = true in all "
            "configurations that use this state. The lock is then an object beside the state.");
    if (!environment_variable("AWS_SSE_CUSTOMER_KEY").empty())
        return read.invalid(
            "sse_customer_key", "Customer-provided keys are not supported. Unset AWS_SSE_CUSTOMER_KEY.");
    bool const is_named = !read.text("profile").empty();
    std::string const name = read.text("profile", "AWS_PROFILE");
    auto profile = read_profile(name.empty() ? "default" : name);
    with.credentials = find_credentials(read, profile, is_named);
    if (with.credentials.access_key.empty()) return state::make_failure(messages::s3_credentials_missing);

    for (std::string const& one :
        {read.text("region", "AWS_REGION"), environment_variable("AWS_DEFAULT_REGION"), profile["region"]})
        if (with.region.empty()) with.region = one;
    if (with.region.empty()) return read.missing("region", "AWS_REGION");

    auto const* const endpoints = settings.find("endpoints");
    auto const* const named = endpoints != nullptr && endpoints->has_data() ? endpoints->find("s3") : nullptr;
    with.endpoint = named != nullptr && named->has_data() ? named->as_string() : read.text("endpoint");
    for (char const* const variable : {"AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT", "AWS_ENDPOINT_URL"})
        if (with.endpoint.empty()) with.endpoint = environment_variable(variable);
    if (!with.endpoint.empty() && !http::url::parse(with.endpoint))
        return read.invalid("endpoints", "The address of S3 must be a URL that begins with http:// or https://.");

    auto const unconditional = read.flag("skip_conditional_writes", "IACCTL_S3_SKIP_CONDITIONAL_WRITES", false);
    if (!unconditional) return unconditional.error();
    with.skip_conditional_writes = *unconditional;
    for (auto const& [to, argument] : {std::pair(&with.use_path_style, "force_path_style"),
             {&with.use_path_style, "use_path_style"}, {&with.use_lockfile, "use_lockfile"}, {&with.encrypt, "encrypt"},
             {&with.insecure, "insecure"}, {&with.skip_s3_checksum, "skip_s3_checksum"}}) {
        auto const given = read.flag(argument, nullptr, *to);
        if (!given) return given.error();
        *to = *given;
    }
    if (with.use_lockfile && with.skip_conditional_writes)
        return read.invalid("skip_conditional_writes",
            "Lock files are conditional writes: set only one of skip_conditional_writes and use_lockfile.");
    with.kms_key_id = read.text("kms_key_id");
    auto const retries = read.number("max_retries", nullptr, with.retries.most);
    if (!retries) return retries.error();
    with.retries.most = std::clamp<std::int64_t>(*retries, 0, 100);
    if (auto const bundle = read.text("custom_ca_bundle", "AWS_CA_BUNDLE"); !bundle.empty()) {
        auto text = read_input(p.resolve(bundle));
        if (!text) return read.invalid("custom_ca_bundle", bundle + " cannot be read: " + text.error().message() + ".");
        with.trusted_pem = std::move(*text);
    }
    return with;
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
