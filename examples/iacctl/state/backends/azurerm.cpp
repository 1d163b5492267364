// SPDX-License-Identifier: BSL-1.0
#include "azurerm.hpp"

#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/input_file.hpp"
#include "base/trimmed.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "object_state.hpp"
#include "remote_backend.hpp"
#include "settings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::backends {

namespace {

constexpr std::array<std::string_view, 8> secret_arguments{"access_key", "client_certificate",
    "client_certificate_password", "client_secret", "customer_provided_key", "oidc_request_token", "oidc_token",
    "sas_token"};

auto is_lower_or_digit(char c) -> bool
{
    return is_digit(c) || (c >= 'a' && c <= 'z');
}

auto is_account_name(std::string_view name) -> bool
{
    return name.size() >= 3 && name.size() <= 24 && std::ranges::all_of(name, is_lower_or_digit);
}

// "$root" and "$web" are containers with a special meaning.
auto is_container_name(std::string_view name) -> bool
{
    if (name == "$root" || name == "$web") return true;
    bool const has_legal_characters =
        std::ranges::all_of(name, [](char c) { return is_lower_or_digit(c) || c == '-'; });
    return name.size() >= 3 && name.size() <= 63 && has_legal_characters && !name.starts_with('-')
        && !name.ends_with('-') && name.find("--") == std::string_view::npos;
}

// Reads the arguments that say as whom tokens are requested.
class identity_reader {
public:
    identity_reader(settings_reader const& read, place const& p) : read_(&read), place_(&p) {}

    [[nodiscard]] auto read() -> expected<azure_identity>
    {
        read_names();
        read_certificate();
        read_oidc();
        read_flags();
        if (failure_) return *failure_;
        if (auto const problem = certificate_problem(made_); !problem.empty())
            return read_->invalid("client_certificate", problem);
        return std::move(made_);
    }

    // The argument, or the first of the variables that is set.
    [[nodiscard]] static auto first_of(settings_reader const& read, std::string_view argument,
        std::initializer_list<char const*> variables) -> std::string
    {
        std::string given = read.text(argument);
        for (char const* const one : variables)
            if (given.empty()) given = environment_variable(one);
        return given;
    }

private:
    void fail(infra::failure why)
    {
        if (!failure_) failure_ = std::move(why);
    }
    [[nodiscard]] auto flag(std::string_view argument, char const* variable, bool otherwise) -> bool
    {
        auto const given = read_->flag(argument, variable, otherwise);
        if (!given) fail(given.error());
        return given ? *given : otherwise;
    }
    [[nodiscard]] auto file(std::string_view argument, std::string const& name) -> std::string
    {
        if (name.empty()) return {};
        auto text = read_input(place_->resolve(name), input_kind::file_or_pipe);
        if (!text) fail(read_->invalid(argument, name + " cannot be read: " + text.error().message() + "."));
        return text ? std::move(*text) : std::string();
    }
    // A text that a value and a file may both give.
    [[nodiscard]] auto agreed(std::string_view argument, std::string value, std::string const& other) -> std::string
    {
        value = trimmed(value);
        std::string const of_file(trimmed(other));
        if (!value.empty() && !of_file.empty() && value != of_file)
            fail(read_->invalid(
                argument, "It differs from the value that a file or AZURE_... variable gives. Set only one."));
        return of_file.empty() ? value : of_file;
    }
    void read_names()
    {
        uses_aks_ = flag("use_aks_workload_identity", "ARM_USE_AKS_WORKLOAD_IDENTITY", false);
        auto const of_aks = [&](char const* variable) {
            return uses_aks_ ? environment_variable(variable) : std::string();
        };
        auto const of_file = [&](std::string_view argument, char const* variable) {
            return file(argument, read_->text(argument, variable));
        };
        made_.tenant_id = agreed("tenant_id", read_->text("tenant_id", "ARM_TENANT_ID"), of_aks("AZURE_TENANT_ID"));
        made_.client_id = agreed("client_id",
            agreed("client_id", read_->text("client_id", "ARM_CLIENT_ID"),
                of_file("client_id_file_path", "ARM_CLIENT_ID_FILE_PATH")),
            of_aks("AZURE_CLIENT_ID"));
        made_.client_secret = agreed("client_secret", read_->text("client_secret", "ARM_CLIENT_SECRET"),
            of_file("client_secret_file_path", "ARM_CLIENT_SECRET_FILE_PATH"));
        made_.subscription_id = read_->text("subscription_id", "ARM_SUBSCRIPTION_ID");
    }
    void read_certificate()
    {
        std::string const text = read_->text("client_certificate", "ARM_CLIENT_CERTIFICATE");
        made_.client_certificate =
            file("client_certificate_path", read_->text("client_certificate_path", "ARM_CLIENT_CERTIFICATE_PATH"));
        made_.client_certificate_password =
            read_->text("client_certificate_password", "ARM_CLIENT_CERTIFICATE_PASSWORD");
        if (text.empty()) return;
        auto bytes = from_base64(text);
        if (!bytes) return fail(read_->invalid("client_certificate", "It must be in base64."));
        made_.client_certificate = std::move(*bytes);
    }
    void read_oidc()
    {
        made_.use_oidc = flag("use_oidc", "ARM_USE_OIDC", false) || uses_aks_;
        made_.oidc_token = trimmed(read_->text("oidc_token", "ARM_OIDC_TOKEN"));
        std::string token_file = read_->text("oidc_token_file_path", "ARM_OIDC_TOKEN_FILE_PATH");
        if (token_file.empty() && uses_aks_) token_file = environment_variable("AZURE_FEDERATED_TOKEN_FILE");
        if (!token_file.empty() && made_.use_oidc) {
            std::ignore = agreed("oidc_token", made_.oidc_token, file("oidc_token_file_path", token_file));
            made_.oidc_token_file = place_->resolve(token_file);
        }
        made_.oidc_request_url = first_of(*read_, "oidc_request_url",
            {"ARM_OIDC_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "SYSTEM_OIDCREQUESTURI"});
        made_.oidc_request_token = first_of(*read_, "oidc_request_token",
            {"ARM_OIDC_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SYSTEM_ACCESSTOKEN"});
        made_.ado_connection_id = first_of(*read_, "ado_pipeline_service_connection_id", {});
        if (made_.ado_connection_id.empty())
            made_.ado_connection_id = first_of(*read_, "ado_service_connection_id",
                {"ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID", "ARM_OIDC_AZURE_SERVICE_CONNECTION_ID",
                    "AZURESUBSCRIPTION_SERVICE_CONNECTION_ID"});
    }
    void read_flags()
    {
        made_.use_msi = flag("use_msi", "ARM_USE_MSI", false);
        made_.msi_endpoint = first_of(*read_, "msi_endpoint", {"ARM_MSI_ENDPOINT", "MSI_ENDPOINT"});
        made_.use_cli = flag("use_cli", "ARM_USE_CLI", true);
    }

    settings_reader const* read_;
    place const* place_;
    bool uses_aks_ = false;
    azure_identity made_;
    std::optional<infra::failure> failure_;
};

// Reads the names of the account, the container and the blob.
auto read_names(azurerm_settings& with, settings_reader const& read) -> expected<void>
{
    for (auto const& [to, argument] : {std::pair(&with.access.account, "storage_account_name"),
             {&with.container, "container_name"}, {&with.key, "key"}}) {
        *to = read.text(argument);
        if (to->empty()) return read.missing(argument);
    }
    if (!is_account_name(with.access.account))
        return read.invalid("storage_account_name", "It must have 3 to 24 lower-case letters and digits.");
    if (!is_container_name(with.container))
        return read.invalid(
            "container_name", "It must have 3 to 63 lower-case letters, digits and single hyphens between them.");
    return {};
}

auto read_cloud(azurerm_settings& with, settings_reader const& read) -> expected<void>
{
    with.access.metadata_host =
        identity_reader::first_of(read, "metadata_host", {"ARM_METADATA_HOSTNAME", "ARM_METADATA_HOST"});
    if (!with.access.metadata_host.empty()) {
        with.cloud_name = with.access.metadata_host;
        return {};
    }
    std::string const name = read.text("environment", "ARM_ENVIRONMENT");
    auto cloud = find_azure_cloud(name);
    if (!cloud) return read.invalid("environment", "It must be \"public\", \"usgovernment\" or \"china\".");
    if (cloud->storage_suffix != azure_cloud().storage_suffix) with.cloud_name = name;
    with.access.cloud = std::move(*cloud);
    return {};
}

// Reads how requests to the account are authorized.
auto read_access(azure_access& with, settings_reader const& read, place const& p) -> expected<void>
{
    std::string const key = read.text("access_key", "ARM_ACCESS_KEY");
    auto bytes = from_base64(key);
    if (!bytes) return read.invalid("access_key", "It must be in base64.");
    with.access_key = std::move(*bytes);
    with.sas_token = trimmed(read.text("sas_token", "ARM_SAS_TOKEN"), "? \t\r\n");
    auto const entra = read.flag("use_azuread_auth", "ARM_USE_AZUREAD", false);
    if (!entra) return entra.error();
    with.use_azuread_auth = *entra;
    auto const lookup = read.flag("lookup_blob_endpoint", "ARM_USE_DNS_ZONE_ENDPOINT", false);
    if (!lookup) return lookup.error();
    with.lookup_blob_endpoint = *lookup;
    with.resource_group = read.text("resource_group_name");
    bool const has_access = !with.access_key.empty() || !with.sas_token.empty() || with.use_azuread_auth;
    if (with.resource_group.empty() && !has_access)
        return read.invalid("resource_group_name",
            "One of access_key, sas_token, use_azuread_auth and resource_group_name must be set. With the last one, "
            "the access "
            "key of the account is requested.");
    if (with.resource_group.empty() && with.lookup_blob_endpoint)
        return read.invalid("resource_group_name", "With lookup_blob_endpoint, it must be set.");

    bool const needs_identity = with.lookup_blob_endpoint || (with.access_key.empty() && with.sas_token.empty());
    if (!needs_identity) return {};
    auto identity = identity_reader(read, p).read();
    if (!identity) return identity.error();
    with.identity = std::move(*identity);
    auto const method = method_of(with.identity);
    if (method == azure_method::none) return state::make_failure(messages::azure_credentials_missing);
    bool const asks_manager = with.lookup_blob_endpoint || !has_access;
    if (asks_manager && with.identity.subscription_id.empty() && method != azure_method::command_line)
        return read.missing("subscription_id", "ARM_SUBSCRIPTION_ID");
    return {};
}

}  // namespace

auto azurerm_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s = [] {
        language::schema made;
        auto const add = [&](type const& t, std::initializer_list<char const*> names) {
            for (char const* const one : names)
                made.attributes.push_back({.name = one,
                    .of = t,
                    .optional = true,
                    .sensitive = std::ranges::find(secret_arguments, std::string_view(one)) != secret_arguments.end()});
        };
        add(type::string(),
            {"access_key", "ado_pipeline_service_connection_id", "ado_service_connection_id", "client_certificate",
                "client_certificate_password", "client_certificate_path", "client_id", "client_id_file_path",
                "client_secret", "client_secret_file_path", "container_name", "customer_provided_key",
                "encryption_scope", "endpoint", "environment", "key", "metadata_host", "msi_endpoint",
                "oidc_request_token", "oidc_request_url", "oidc_token", "oidc_token_file_path", "resource_group_name",
                "sas_token", "storage_account_name", "subscription_id", "tenant_id"});
        add(type::boolean(),
            {"lookup_blob_endpoint", "snapshot", "use_aks_workload_identity", "use_azuread_auth", "use_cli", "use_msi",
                "use_oidc"});
        add(type::number(), {"timeout_seconds"});
        std::ranges::sort(made.attributes, {}, &language::schema_attribute::name);
        return made;
    }();
    return s;
}

auto read_azurerm_settings(language::value const& settings, place const& p) -> expected<azurerm_settings>
{
    settings_reader const read("azurerm", settings);
    azurerm_settings with;
    if (auto done = read_names(with, read); !done) return done.error();
    if (auto done = read_cloud(with, read); !done) return done.error();
    if (auto done = read_access(with.access, read, p); !done) return done.error();
    auto const snapshot = read.flag("snapshot", "ARM_SNAPSHOT", false);
    if (!snapshot) return snapshot.error();
    with.snapshot = *snapshot;
    auto const timeout = read.number("timeout_seconds", "ARM_TIMEOUT_SECONDS", 0);
    if (!timeout) return timeout.error();
    if (*timeout < 0) return read.invalid("timeout_seconds", "It must not be negative.");
    if (*timeout > 0) with.timeout = std::chrono::seconds(std::min<std::int64_t>(*timeout, 86'400));

    auto bytes = from_base64(read.text("customer_provided_key", "ARM_CUSTOMER_PROVIDED_KEY"));
    if (!bytes || (!bytes->empty() && bytes->size() != 32))
        return read.invalid("customer_provided_key", "It must be 32 bytes in base64.");
    with.customer_key = std::move(*bytes);
    // OpenTofu reads a variable whose name has a transposition.
    with.encryption_scope =
        identity_reader::first_of(read, "encryption_scope", {"ARM_ENCRYPTION_SCOPE", "ARM_ENCYRPTION_SCOPE"});
    if (!with.customer_key.empty() && !with.encryption_scope.empty())
        return read.invalid("encryption_scope", "Only one of customer_provided_key and encryption_scope can be set.");
    return with;
}

auto make_azurerm_state(azurerm_settings settings) -> std::shared_ptr<state_client>
{
    object_layout layout;
    layout.of_default = settings.key;
    layout.before = settings.key + "env:";
    layout.uses_lock_objects = false;
    return make_object_state(make_azure_blobs(std::move(settings)), std::move(layout));
}

auto make_azurerm(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    auto with = read_azurerm_settings(settings, p);
    if (!with) return with.error();
    auto server = make_azurerm_state(std::move(*with));
    auto mirrors = p.mirror_of(server->type(), server->place_of("default"));
    return std::shared_ptr<state::backend>(
        std::make_shared<remote_backend>(std::move(server), std::move(mirrors), p.encryption));
}

}  // namespace iacctl::backends
