// SPDX-License-Identifier: BSL-1.0
#include "gcs.hpp"

#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/trimmed.hpp"
#include "object_state.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"
#include "state/workspace_name.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::backends {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view state_suffix = ".tfstate";

// The text of a file, if the value is the name of one; otherwise the value.
auto file_or_text(std::string const& value, place const& p) -> boost::system::result<std::string>
{
    if (value.empty() || value.front() == '{' || value.size() > 4096) return value;
    bool const is_in_home = value == "~" || value.starts_with("~/");
    auto const file = is_in_home ? fs::path(environment_variable("HOME") + value.substr(1)) : p.resolve(value);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return value;
    return read_input(file, input_kind::file_or_pipe);
}

// The file of credentials that programs of Google use without settings; empty if there is none.
auto usual_credentials_file() -> fs::path
{
    std::string const configured = environment_variable("CLOUDSDK_CONFIG");
    auto const directory =
        configured.empty() ? fs::path(environment_variable("HOME")) / ".config" / "gcloud" : fs::path(configured);
    auto file = directory / "application_default_credentials.json";
    std::error_code ignored;
    return fs::exists(file, ignored) ? file : fs::path();
}

// Reads the text of credentials into an identity.
auto take_credentials(google_identity& to, settings_reader const& read, std::string const& text) -> expected<void>
{
    auto found = read_google_credentials(text);
    if (!found) return read.invalid("credentials", "The credentials cannot be used. " + found.error().why);
    to.credentials = std::move(*found);
    return {};
}

auto find_credentials(google_identity& to, settings_reader const& read, place const& p) -> expected<void>
{
    to.access_token = read.text("access_token", "GOOGLE_OAUTH_ACCESS_TOKEN");
    if (!to.access_token.empty()) return {};
    std::string given = read.text("credentials", "GOOGLE_BACKEND_CREDENTIALS");
    if (given.empty()) given = environment_variable("GOOGLE_CREDENTIALS");
    if (!given.empty()) {
        auto const text = file_or_text(given, p);
        if (!text) return read.invalid("credentials", "The file cannot be read: " + text.error().message() + ".");
        bool const is_file_name = *text == given && !trimmed(given).starts_with('{');
        if (is_file_name) return read.invalid("credentials", "It is neither JSON nor the name of a file that exists.");
        return take_credentials(to, read, *text);
    }
    std::string const named = environment_variable("GOOGLE_APPLICATION_CREDENTIALS");
    auto const file = named.empty() ? usual_credentials_file() : fs::path(named);
    if (file.empty()) return {};
    auto const text = read_input(file);
    if (!text)
        return read.invalid("credentials", file.generic_string() + " cannot be read: " + text.error().message() + ".");
    return take_credentials(to, read, *text);
}

auto read_delegates(language::value const& settings) -> std::vector<std::string>
{
    std::vector<std::string> all;
    auto const* const given = settings.find("impersonate_service_account_delegates");
    if (given == nullptr || !given->has_data()) return all;
    for (auto const& one : given->elements())
        if (one.has_data()) all.push_back(one.as_string());
    return all;
}

// The URL below which the buckets are, from that of the argument, as Google's libraries resolve it: ".../storage/v1/b" and
// ".../storage/v1/" name the same place.
auto endpoint_of(std::string_view given) -> std::string
{
    auto const parsed = http::url::parse(given);
    if (!parsed) return {};
    if (parsed->target == "/") return parsed->origin() + "/storage/v1/";
    return parsed->origin() + parsed->target.substr(0, parsed->target.rfind('/') + 1);
}

}  // namespace

auto gcs_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s{{
        {.name = "access_token", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "bucket", .of = type::string(), .optional = true},
        {.name = "credentials", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "encryption_key", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "impersonate_service_account", .of = type::string(), .optional = true},
        {.name = "impersonate_service_account_delegates", .of = type::list(type::string()), .optional = true},
        {.name = "kms_encryption_key", .of = type::string(), .optional = true},
        {.name = "prefix", .of = type::string(), .optional = true},
        {.name = "storage_custom_endpoint", .of = type::string(), .optional = true},
        {.name = "universe_domain", .of = type::string(), .optional = true},
    }};
    return s;
}

auto read_gcs_settings(language::value const& settings, place const& p) -> expected<gcs_settings>
{
    settings_reader const read("gcs", settings);
    auto const first_of = [&](std::string_view argument, char const* variable, char const* other) {
        std::string given = read.text(argument, variable);
        return given.empty() ? environment_variable(other) : given;
    };
    gcs_settings with;
    with.bucket = read.text("bucket");
    if (with.bucket.empty()) return read.missing("bucket");
    with.prefix = trimmed(fs::path(read.text("prefix")).lexically_normal().generic_string(), "/");
    if (with.prefix == ".") with.prefix.clear();
    if (!with.prefix.empty()) with.prefix += '/';

    if (auto domain = read.text("universe_domain", "GOOGLE_BACKEND_UNIVERSE_DOMAIN"); !domain.empty()) {
        with.endpoint = "https://storage." + domain + "/storage/v1/";
        with.identity.universe_domain = std::move(domain);
    }
    std::string const custom =
        first_of("storage_custom_endpoint", "GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT", "GOOGLE_STORAGE_CUSTOM_ENDPOINT");
    std::string const emulator = custom.empty() ? environment_variable("STORAGE_EMULATOR_HOST") : std::string();
    if (!custom.empty() || !emulator.empty()) {
        with.is_usual_endpoint = false;
        with.identity.is_anonymous = !emulator.empty();
        with.endpoint = !custom.empty()                 ? endpoint_of(custom)
            : emulator.find("://") != std::string::npos ? endpoint_of(emulator)
                                                        : endpoint_of("http://" + emulator);
        if (with.endpoint.empty())
            return read.invalid("storage_custom_endpoint", "It must be a URL that begins with http:// or https://.");
    }
    if (!with.identity.is_anonymous)
        if (auto done = find_credentials(with.identity, read, p); !done) return done.error();
    with.identity.impersonated = first_of("impersonate_service_account", "GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT",
        "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT");
    with.identity.delegates = read_delegates(settings);

    auto const key = file_or_text(read.text("encryption_key", "GOOGLE_ENCRYPTION_KEY"), p);
    if (!key) return read.invalid("encryption_key", "The file cannot be read: " + key.error().message() + ".");
    with.kms_key_name = read.text("kms_encryption_key", "GOOGLE_KMS_ENCRYPTION_KEY");
    if (!key->empty() && !with.kms_key_name.empty())
        return read.invalid("encryption_key", "Only one of encryption_key and kms_encryption_key can be set.");
    if (!key->empty()) {
        auto bytes = from_base64(trimmed(*key));
        if (!bytes || bytes->size() != 32) return read.invalid("encryption_key", "It must be 32 bytes in base64.");
        with.encryption_key = std::move(*bytes);
    }
    return with;
}

auto make_gcs_state(gcs_settings settings) -> std::shared_ptr<state_client>
{
    object_layout layout;
    layout.before = settings.prefix;
    layout.after = state_suffix;
    layout.of_default = settings.prefix + std::string(state::default_workspace) + std::string(state_suffix);
    layout.replaced_by_lock = state_suffix;
    layout.lock_id_is_version = true;
    return make_object_state(make_gcs_objects(std::move(settings)), std::move(layout));
}

auto make_gcs(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    auto with = read_gcs_settings(settings, p);
    if (!with) return with.error();
    auto server = make_gcs_state(std::move(*with));
    auto mirrors = p.mirror_of(server->type(), server->place_of("default"));
    return std::shared_ptr<state::backend>(
        std::make_shared<remote_backend>(std::move(server), std::move(mirrors), p.encryption));
}

}  // namespace iacctl::backends
