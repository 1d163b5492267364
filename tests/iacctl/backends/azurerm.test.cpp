// SPDX-License-Identifier: BSL-1.0
// The backend "azurerm": settings, tokens, and blobs with leases on a small server.
#include "state/backends/azurerm.hpp"

#include "environment.hpp"
#include "iacctl/providers/http_server.hpp"
#include "iacctl/state/support.hpp"
#include "settings_support.hpp"
#include "state_client_test.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {
namespace {

using language::value;
using providers_test::answer;
using providers_test::asked;
using state::test::error_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// \source the documentation of Terraform 1.17 and OpenTofu 1.13, backend "azurerm"
TEST(AzurermArguments, AreThoseOfTheDocumentation)
{
    std::vector<std::string> names;
    std::vector<std::string> secrets;
    for (auto const& one : azurerm_arguments().attributes) {
        names.push_back(one.name);
        if (one.sensitive) secrets.push_back(one.name);
    }
    EXPECT_THAT(names,
        ElementsAre("access_key", "ado_pipeline_service_connection_id", "ado_service_connection_id",
            "client_certificate", "client_certificate_password", "client_certificate_path", "client_id",
            "client_id_file_path", "client_secret", "client_secret_file_path", "container_name",
            "customer_provided_key", "encryption_scope", "endpoint", "environment", "key", "lookup_blob_endpoint",
            "metadata_host", "msi_endpoint", "oidc_request_token", "oidc_request_url", "oidc_token",
            "oidc_token_file_path", "resource_group_name", "sas_token", "snapshot", "storage_account_name",
            "subscription_id", "tenant_id", "timeout_seconds", "use_aks_workload_identity", "use_azuread_auth",
            "use_cli", "use_msi", "use_oidc"));
    EXPECT_THAT(secrets,
        ElementsAre("access_key", "client_certificate", "client_certificate_password", "client_secret",
            "customer_provided_key", "oidc_request_token", "oidc_token", "sas_token"));
}

class AzurermSettings : public testing::Test {
protected:
    auto read(given_arguments given) -> expected<azurerm_settings>
    {
        given_arguments all{{"storage_account_name", value("account1")}, {"container_name", value("states")},
            {"key", value("net.tfstate")}};
        for (auto& one : given) all.push_back(std::move(one));
        return read_azurerm_settings(
            complete_settings(azurerm_arguments(), std::move(all)), {.directory = directory.path()});
    }
    auto refusal(given_arguments given) -> std::string
    {
        auto const made = read(std::move(given));
        return made ? "none" : made.error().why().front().code + " " + made.error().why().front().attribute;
    }
    auto method(given_arguments given) -> azure_method
    {
        given.push_back({"use_azuread_auth", value(true)});
        auto const made = read(std::move(given));
        EXPECT_TRUE(made) << error_text(made);
        return made ? method_of(made->access.identity) : azure_method::none;
    }

    state::test::temporary_directory directory;
};

TEST_F(AzurermSettings, NameTheArgumentThatIsMissingOrWrong)
{
    EXPECT_EQ(refusal({}), "backend_argument_invalid resource_group_name");
    given_arguments const key{{"access_key", value("a2V5")}};
    auto const with_key = [&](given_arguments more) {
        more.insert(more.begin(), key.begin(), key.end());
        return refusal(std::move(more));
    };
    EXPECT_EQ(with_key({}), "none");
    EXPECT_EQ(with_key({{"key", value("")}}), "backend_argument_missing key");
    EXPECT_EQ(with_key({{"container_name", value("")}}), "backend_argument_missing container_name");
    EXPECT_EQ(with_key({{"container_name", value("a--b")}}), "backend_argument_invalid container_name");
    EXPECT_EQ(
        with_key({{"storage_account_name", value("a.example/x")}}), "backend_argument_invalid storage_account_name");
    EXPECT_EQ(with_key({{"environment", value("moon")}}), "backend_argument_invalid environment");
    EXPECT_EQ(with_key({{"access_key", value("no base64!")}}), "backend_argument_invalid access_key");
    EXPECT_EQ(
        with_key({{"customer_provided_key", value("c2hvcnQ=")}}), "backend_argument_invalid customer_provided_key");
    EXPECT_EQ(with_key({{"timeout_seconds", value(*language::number::parse("-1"))}}),
        "backend_argument_invalid timeout_seconds");
    EXPECT_EQ(with_key({{"lookup_blob_endpoint", value(true)}}), "backend_argument_invalid resource_group_name");
    EXPECT_EQ(refusal({{"use_azuread_auth", value(true)}, {"use_cli", value(false)}}), "azure_credentials_missing ");
    EXPECT_EQ(refusal({{"resource_group_name", value("g")}, {"use_msi", value(true)}}),
        "backend_argument_missing subscription_id");
    EXPECT_EQ(refusal({{"use_azuread_auth", value(true)}, {"client_certificate", value("AAAA")}}),
        "backend_argument_invalid client_certificate");
    EXPECT_EQ(refusal({{"use_azuread_auth", value(true)}, {"client_secret_file_path", value("absent")}}),
        "backend_argument_invalid client_secret_file_path");
    variable const access("ARM_ACCESS_KEY", "a2V5");
    EXPECT_EQ(read({})->access.access_key, "key");
    variable const signature("ARM_SAS_TOKEN", "?sv=1&sig=x");
    EXPECT_EQ(read({})->access.sas_token, "sv=1&sig=x");
}

TEST_F(AzurermSettings, ChooseTheFirstCompleteWayToLogIn)
{
    EXPECT_EQ(method({}), azure_method::command_line);
    EXPECT_EQ(method({{"use_msi", value(true)}}), azure_method::managed_identity);
    variable const tenant("ARM_TENANT_ID", "t");
    variable const client("ARM_CLIENT_ID", "c");
    EXPECT_EQ(method({}), azure_method::command_line);
    EXPECT_EQ(method({{"client_secret", value("s")}}), azure_method::secret);
    EXPECT_EQ(method({{"oidc_token", value("o")}}), azure_method::command_line) << "use_oidc is not set";
    given_arguments const request{{"use_oidc", value(true)}, {"oidc_request_url", value("https://x.example")},
        {"oidc_request_token", value("r")}};
    EXPECT_EQ(method(request), azure_method::request);
    auto devops = request;
    devops.push_back({"ado_service_connection_id", value("i")});
    EXPECT_EQ(method(devops), azure_method::devops);
    auto both = devops;
    both.push_back({"oidc_token", value("o")});
    EXPECT_EQ(method(both), azure_method::token);
    both.push_back({"client_secret", value("s")});
    EXPECT_EQ(method(both), azure_method::secret);
}

TEST_F(AzurermSettings, AcceptAValueAndAFileOnlyIfTheyAgree)
{
    state::test::write_text(directory.path() / "id", "c\n");
    given_arguments const file{{"use_azuread_auth", value(true)}, {"client_id_file_path", value("id")}};
    EXPECT_EQ(read(file)->access.identity.client_id, "c");
    auto other = file;
    other.push_back({"client_id", value("d")});
    EXPECT_EQ(refusal(other), "backend_argument_invalid client_id");
    state::test::write_text(directory.path() / "token", "t\n");
    variable const tenant("AZURE_TENANT_ID", "tenant");
    variable const token("AZURE_FEDERATED_TOKEN_FILE", directory.path() / "token");
    auto aks = file;
    aks.push_back({"use_aks_workload_identity", value(true)});
    EXPECT_EQ(read(aks)->access.identity.tenant_id, "tenant");
    EXPECT_EQ(method_of(read(aks)->access.identity), azure_method::token);
}

TEST(AzureClouds, AreFoundByTheirNames)
{
    EXPECT_EQ(find_azure_cloud("")->storage_suffix, "core.windows.net");
    EXPECT_EQ(find_azure_cloud("Public")->storage_suffix, "core.windows.net");
    EXPECT_EQ(find_azure_cloud("usgovernmentl5")->storage_suffix, "core.usgovcloudapi.net");
    EXPECT_EQ(find_azure_cloud("AzureChinaCloud")->login, "https://login.chinacloudapi.cn");
    EXPECT_FALSE(find_azure_cloud("germany"));
}

// The key is the published one of emulators; the signature was computed with Python.
TEST(SharedKey, SignsTheParametersOfTheQuery)
{
    http::request r;
    r.url = "https://account1.blob.core.windows.net/states?restype=container&comp=list&prefix=a%20b";
    r.headers = {{"x-ms-date", "Sun, 06 Nov 1994 08:49:37 GMT"}, {"x-ms-version", "2023-11-03"}};
    auto const key =
        from_base64("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
    sign_shared_key(r, "account1", *key);
    EXPECT_EQ(r.headers.at("Authorization"), "SharedKey account1:ogGSpotCdO52B/9l/akQAOu4/MzkALg0U9/fdP+WqUw=");
}

// A blob, its metadata and its lease.
struct blob {
    std::string text;
    int version = 0;
    std::map<std::string, std::string> metadata = {};
    std::string lease = {};
};

// A container, the resource manager, and a server of tokens.
class azure_server {
public:
    [[nodiscard]] auto settings() const -> azurerm_settings
    {
        azurerm_settings with;
        with.access.account = "account1";
        with.access.resource_group = "group";
        with.access.cloud.login = with.access.cloud.resource_manager = server_.url();
        with.access.identity.use_msi = true;
        with.access.identity.msi_endpoint = server_.url() + "/msi";
        with.access.identity.subscription_id = "subscription";
        with.container = "states";
        with.key = "net/a b.tfstate";
        with.retries = {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1), true};
        return with;
    }
    [[nodiscard]] auto log() const -> std::vector<std::string> { return server_.log(); }
    [[nodiscard]] auto text(std::string const& name) -> std::string
    {
        std::lock_guard const guard(mutex_);
        return blobs_.contains(name) ? blobs_.at(name).text : "none";
    }
    [[nodiscard]] auto get(std::string const& name) -> blob
    {
        std::lock_guard const guard(mutex_);
        return blobs_.at(name);
    }
    void set(std::string const& name, blob to)
    {
        std::lock_guard const guard(mutex_);
        to.version = ++version_;
        blobs_[name] = std::move(to);
    }
    // The next request whose method and target contain these texts is performed, and the connection ends before the answer.
    void lose_answer_of(std::string method, std::string part = {})
    {
        std::lock_guard const guard(mutex_);
        loses_ = {std::move(method), std::move(part)};
    }
    // The next request whose target contains this text is performed, and answered as if it had failed.
    void fail_answer_of(std::string part)
    {
        std::lock_guard const guard(mutex_);
        fails_ = std::move(part);
    }
    // From now on, requests whose target contains this text are refused.
    void refuse(std::string part)
    {
        std::lock_guard const guard(mutex_);
        refused_ = std::move(part);
    }
    void answer_next(answer a)
    {
        std::lock_guard const guard(mutex_);
        next_ = std::move(a);
    }
    [[nodiscard]] auto last() -> asked
    {
        std::lock_guard const guard(mutex_);
        return last_;
    }
    [[nodiscard]] auto snapshots() -> int
    {
        std::lock_guard const guard(mutex_);
        return snapshots_;
    }

private:
    auto respond(asked const& request) -> answer
    {
        std::lock_guard const guard(mutex_);
        if (request.target.starts_with("/msi")) return {.body = R"({"access_token":"token","expires_in":"3599"})"};
        if (request.target.starts_with("/subscriptions/subscription/resourceGroups/group/")) return manage(request);
        last_ = request;
        if (next_) return *std::exchange(next_, std::nullopt);
        if (!refused_.empty() && request.target.find(refused_) != std::string::npos)
            return error(403, "AuthorizationPermissionMismatch");
        answer made = carry_out(request);
        bool const is_lost = !loses_.first.empty() && request.method == loses_.first
            && request.target.find(loses_.second) != std::string::npos;
        if (is_lost) loses_ = {};
        made.hangs_up = is_lost;
        bool const is_failed = !fails_.empty() && request.target.find(fails_) != std::string::npos;
        if (is_failed) made = error(500, "InternalError");
        if (is_failed) fails_.clear();
        return made;
    }
    [[nodiscard]] auto manage(asked const& request) const -> answer
    {
        if (request.headers.at("Authorization") != "Bearer token") return {.status = 401};
        if (request.target.find("/listKeys?") != std::string::npos)
            return {
                .body =
                    R"({"keys":[{"permissions":"Read","value":"AAAA"},{"permissions":"Full","value":"aHVzaA=="}]})"};
        return {.body = R"({"properties":{"primaryEndpoints":{"blob":")" + server_.url() + R"(/account1/"}}})"};
    }
    static auto error(unsigned status, std::string const& code) -> answer
    {
        return {.status = status,
            .body = "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>hush</Message></Error>",
            .headers = {{"x-ms-error-code", code}}};
    }
    static auto header(asked const& request, std::string const& name) -> std::string
    {
        for (auto const& [one, text] : request.headers)
            if (ascii_lower_case(one) == ascii_lower_case(name)) return text;
        return {};
    }
    static auto tag(blob const& of) -> std::string { return "\"" + std::to_string(of.version) + "\""; }
    static auto metadata_in(asked const& request) -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> all;
        for (auto const& [name, text] : request.headers)
            if (ascii_lower_case(name).starts_with("x-ms-meta-")) all[ascii_lower_case(name.substr(10))] = text;
        return all;
    }
    static auto headers_of(blob const& of) -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> all{{"ETag", tag(of)},
            {"x-ms-lease-status", of.lease.empty() ? "unlocked" : "locked"},
            {"Content-MD5", base64(digest(of.text, digest_kind::md5))}};
        for (auto const& [name, text] : of.metadata) all["x-ms-meta-" + name] = text;
        return all;
    }
    auto carry_out(asked const& request) -> answer
    {
        std::string const container = "/account1/states";
        if (header(request, "Authorization").find("SharedKey account1:") != 0)
            return error(403, "AuthenticationFailed");
        if (request.target.starts_with(container + "?")) return list(request.target);
        if (!request.target.starts_with(container + "/")) return error(404, "ContainerNotFound");
        auto const mark = std::min(request.target.find('?'), request.target.size());
        std::string const query = request.target.substr(mark);
        auto const name =
            http::percent_decoded(request.target.substr(container.size() + 1, mark - container.size() - 1));
        bool const exists = blobs_.contains(name);
        if (!exists && (request.method != "PUT" || !query.empty())) return error(404, "BlobNotFound");
        if (request.method == "GET" || request.method == "HEAD")
            return {
                .body = request.method == "GET" ? blobs_.at(name).text : "", .headers = headers_of(blobs_.at(name))};
        if (query == "?comp=lease") return lease(blobs_.at(name), request);
        if (auto refused = refusal_of_lease(exists ? blobs_.at(name).lease : "", header(request, "x-ms-lease-id")))
            return *refused;
        if (query == "?comp=snapshot") {
            ++snapshots_;
            return {.status = 201};
        }
        if (query == "?comp=metadata") {
            blobs_.at(name).metadata = metadata_in(request);
            blobs_.at(name).version = ++version_;
            return {.headers = headers_of(blobs_.at(name))};
        }
        if (request.method == "DELETE") {
            blobs_.erase(name);
            return {.status = 202};
        }
        return write(name, request);
    }
    static auto refusal_of_lease(std::string const& held, std::string const& sent) -> std::optional<answer>
    {
        if (held == sent) return std::nullopt;
        if (sent.empty()) return error(412, "LeaseIdMissing");
        return error(412, held.empty() ? "LeaseNotPresentWithBlobOperation" : "LeaseIdMismatchWithBlobOperation");
    }
    auto write(std::string const& name, asked const& request) -> answer
    {
        bool const exists = blobs_.contains(name);
        if (header(request, "If-None-Match") == "*" && exists) return error(409, "BlobAlreadyExists");
        auto const expected = header(request, "If-Match");
        if (!expected.empty() && (!exists || expected != tag(blobs_.at(name)))) return error(412, "ConditionNotMet");
        blob& made = blobs_[name];
        made = {request.body, ++version_, metadata_in(request), made.lease};
        auto headers = headers_of(made);
        return {.status = 201, .headers = std::move(headers)};
    }
    static auto lease(blob& on, asked const& request) -> answer
    {
        if (header(request, "x-ms-lease-action") == "acquire") {
            auto const wanted = header(request, "x-ms-proposed-lease-id");
            if (!on.lease.empty() && on.lease != wanted) return error(409, "LeaseAlreadyPresent");
            on.lease = wanted;
            return {.status = 201};
        }
        if (on.lease.empty()) return error(409, "LeaseNotPresentWithLeaseOperation");
        if (on.lease != header(request, "x-ms-lease-id")) return error(409, "LeaseIdMismatchWithLeaseOperation");
        on.lease.clear();
        return {};
    }
    // Each page has one name.
    auto list(std::string const& target) -> answer
    {
        auto const marker = target.find("marker=");
        auto at = blobs_.begin();
        if (marker != std::string::npos) at = blobs_.upper_bound(http::percent_decoded(target.substr(marker + 7)));
        std::string body = "<?xml version=\"1.0\"?><EnumerationResults ServiceEndpoint=\"x\"><Blobs>";
        if (at == blobs_.end()) return {.body = body + "</Blobs><NextMarker /></EnumerationResults>"};
        return {.body = body + "<Blob><Name>" + escaped(at->first) + "</Name></Blob></Blobs><NextMarker>"
                + escaped(at->first) + "</NextMarker></EnumerationResults>"};
    }
    static auto escaped(std::string const& text) -> std::string
    {
        std::string made;
        for (char const c : text) made += c == '&' ? "&amp;" : std::string(1, c);
        return made;
    }

    std::mutex mutex_;
    std::map<std::string, blob> blobs_;
    std::string fails_;
    int version_ = 0;
    int snapshots_ = 0;
    asked last_;
    std::pair<std::string, std::string> loses_;
    std::string refused_;
    std::optional<answer> next_;
    providers_test::http_server server_{[this](asked const& request) { return respond(request); }};
};

class AzurermState : public state_client_test {
protected:
    static auto described(lock_info const& lock) -> std::map<std::string, std::string>
    {
        return {{"terraformlockid", base64(lock.text())}};
    }

    std::string const name = "net/a b.tfstate";
    azure_server server;
    std::shared_ptr<state_client> const client = make_azurerm_state(server.settings());
};

TEST_F(AzurermState, KeepsADocumentForEachWorkspace)
{
    EXPECT_EQ(get(*client), "none");
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(code_of(client->put("b&w", "two", "")), "");
    EXPECT_EQ(server.text(name), "one");
    EXPECT_EQ(server.text(name + "env:b&w"), "two");
    EXPECT_EQ(get(*client, "b&w"), "two");
    for (char const* const one : {"net/a b.tfstateenv:red", "net/a b.tfstateenv:x/y", "net/other"})
        server.set(one, {"x"});
    auto const all = client->workspaces();
    ASSERT_TRUE(all) << error_text(all);
    EXPECT_THAT(*all, ElementsAre("default", "b&w", "red"));
    EXPECT_EQ(code_of(client->erase("b&w")), "");
    EXPECT_EQ(code_of(client->erase("b&w")), "");
    EXPECT_EQ(get(*client, "b&w"), "none");
}

TEST_F(AzurermState, HasALeaseAsItsLock)
{
    auto const second = make_azurerm_state(server.settings());
    expect_exclusive_lock(*second, *client);
    EXPECT_EQ(server.get(name).lease, other.id);
    EXPECT_EQ(server.get(name).metadata, described(other));
    EXPECT_EQ(get(*client), "none") << "an empty blob is no document";
    EXPECT_EQ(get(*second), "none");
    EXPECT_EQ(code_of(second->put("default", "late", "")), "remote_state_conflict");

    EXPECT_EQ(code_of(client->put("default", "one", other.id)), "");
    EXPECT_EQ(server.get(name).metadata, described(other)) << "a write keeps metadata";
    EXPECT_EQ(code_of(client->unlock("default", other)), "");
    EXPECT_EQ(server.get(name).lease, "");
    EXPECT_TRUE(server.get(name).metadata.empty());
    EXPECT_EQ(server.text(name), "one");
}

TEST_F(AzurermState, WritesADocumentThatWasReadBeforeItWasLocked)
{
    server.set(name, {"one", 0, {{"team", "net"}}, ""});
    EXPECT_EQ(get(*client), "one");
    EXPECT_TRUE(client->lock("default", info)->held) << "this changes the version";
    EXPECT_EQ(code_of(client->put("default", "two", info.id)), "");
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(code_of(client->put("default", "three", "")), "");
    EXPECT_EQ(server.text(name), "three");
    EXPECT_EQ(server.get(name).metadata.at("team"), "net");
}

TEST_F(AzurermState, DoesNotWriteAfterItsLeaseWasLost)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server.set(name, {"", 0, described(other), other.id});
    EXPECT_EQ(code_of(client->put("default", "late", info.id)), "remote_lock_lost");
    server.set(name, {"", 0, {}, ""});
    EXPECT_EQ(code_of(client->put("default", "late", info.id)), "remote_lock_lost");
    EXPECT_EQ(server.text(name), "");
    server.set(name, {"", 0, described(other), other.id});
    EXPECT_EQ(code_of(client->unlock("default", info)), "lock_id_differs");
    EXPECT_EQ(server.get(name).lease, other.id);
}

TEST_F(AzurermState, WritesOnlyTheVersionThatItHasRead)
{
    expect_writes_of_known_documents(*client, *make_azurerm_state(server.settings()));
}

TEST_F(AzurermState, RecognizesItsRequestsIfRepliesWereLost)
{
    for (auto const& [method, part] : {std::pair("PUT", "comp=lease"), {"PUT", "comp=metadata"}}) {
        server.lose_answer_of(method, part);
        EXPECT_TRUE(client->lock("default", info)->held) << part;
        server.lose_answer_of("PUT");
        EXPECT_EQ(code_of(client->put("default", std::string("text ") + part, info.id)), "");
        server.lose_answer_of(method, part);
        EXPECT_EQ(code_of(client->unlock("default", info)), "") << part;
        EXPECT_EQ(server.get(name).lease, "") << part;
    }
}

TEST_F(AzurermState, ReleasesALeaseWithoutDescriptionByItsId)
{
    server.set(name, {"one", 0, {}, other.id});
    EXPECT_FALSE(client->lock("default", info)->held);
    EXPECT_EQ(client->holder("default")->id, "");
    EXPECT_EQ(code_of(client->unlock("default", info)), "lock_id_differs");
    EXPECT_EQ(code_of(client->unlock("default", other)), "");
    EXPECT_EQ(server.get(name).lease, "");
}

TEST_F(AzurermState, TakesNoLeaseThatItCannotDescribe)
{
    server.set(name, {"one"});
    server.refuse("comp=metadata");
    EXPECT_FALSE(client->lock("default", info));
    EXPECT_EQ(server.get(name).lease, "");
}

TEST_F(AzurermState, ReleasesALeaseWhoseReplyWasLost)
{
    server.set(name, {"one"});
    auto settings = server.settings();
    settings.retries.most = 0;
    server.fail_answer_of("comp=lease");
    EXPECT_FALSE(make_azurerm_state(settings)->lock("default", info));
    EXPECT_EQ(server.get(name).lease, "") << "it had no description, so nobody could release it";
}

TEST_F(AzurermState, DescribesItsLeaseUntilItIsReleased)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server.refuse("comp=lease");
    EXPECT_FALSE(client->unlock("default", info));
    EXPECT_EQ(server.get(name).lease, info.id);
    EXPECT_EQ(server.get(name).metadata, described(info));
}

TEST_F(AzurermState, CopiesADocumentBeforeItIsReplaced)
{
    auto with = server.settings();
    with.snapshot = true;
    auto const copying = make_azurerm_state(with);
    EXPECT_EQ(code_of(copying->put("default", "one", "")), "");
    EXPECT_EQ(server.snapshots(), 0);
    EXPECT_EQ(code_of(copying->put("default", "two", "")), "");
    EXPECT_EQ(server.snapshots(), 1);
}

TEST_F(AzurermState, SendsKeysOfTheCustomerAndSignatures)
{
    auto with = server.settings();
    with.customer_key = std::string(32, 'k');
    auto const encrypted = make_azurerm_state(with);
    EXPECT_EQ(code_of(encrypted->put("default", "one", "")), "");
    EXPECT_EQ(server.last().headers.at("x-ms-encryption-key"), base64(with.customer_key));
    EXPECT_EQ(get(*encrypted), "one");
    EXPECT_EQ(server.last().headers.at("x-ms-encryption-algorithm"), "AES256");

    with = server.settings();
    with.access.lookup_blob_endpoint = true;
    with.access.sas_token = "sv=1&sig=hush";
    auto const refused = get(*make_azurerm_state(with));
    EXPECT_THAT(server.log().back(), HasSubstr("?sv=1&sig=hush"));
    EXPECT_THAT(refused, HasSubstr("AuthenticationFailed"));
    EXPECT_THAT(refused, Not(HasSubstr("hush")));
}

TEST_F(AzurermState, DoesNotTakeAnotherResponseForThatOfTheService)
{
    server.set(name, {"one"});
    for (answer const& one : {answer{.status = 404, .body = "<html>nginx</html>"}, answer{.status = 404}, answer{},
             answer{.status = 204}, answer{.status = 302, .headers = {{"Location", "/elsewhere"}}},
             answer{.status = 409, .body = "<html></html>"}}) {
        server.answer_next(one);
        EXPECT_THAT(get(*client), Not(HasSubstr("none"))) << one.status;
        server.answer_next(one);
        EXPECT_NE(code_of(client->put("default", "two", "")), "") << one.status;
        server.answer_next(one);
        auto const attempt = client->lock("default", info);
        EXPECT_TRUE(!attempt || !attempt->held) << one.status;
        server.answer_next(one);
        EXPECT_NE(code_of(client->erase("default")), "") << one.status;
    }
    EXPECT_EQ(server.text(name), "one");
}

TEST_F(AzurermState, VerifiesChecksums)
{
    server.answer_next(
        {.body = "One", .headers = {{"ETag", "\"1\""}, {"Content-MD5", base64(digest("one", digest_kind::md5))}}});
    EXPECT_THAT(get(*client), HasSubstr("remote_state_garbled"));
    server.answer_next({.status = 201, .headers = {{"ETag", "\"1\""}, {"Content-MD5", "AAAA"}}});
    EXPECT_EQ(code_of(client->put("blue", "two", "")), "remote_state_garbled");
}

}  // namespace
}  // namespace iacctl::backends::test
