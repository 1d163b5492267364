// SPDX-License-Identifier: BSL-1.0
// The backend "gcs": settings, tokens, and objects on a small server with generations.
#include "state/backends/gcs.hpp"

#include "environment.hpp"
#include "iacctl/providers/http_server.hpp"
#include "iacctl/state/support.hpp"
#include "settings_support.hpp"
#include "state_client_test.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"
#include "base/json_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr char const* user_file =
    R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r"})";

class GcsSettings : public testing::Test {
protected:
    auto read(given_arguments given) -> expected<gcs_settings>
    {
        given.insert(given.begin(), {"bucket", value("b")});
        return read_gcs_settings(complete_settings(gcs_arguments(), std::move(given)), {.directory = directory.path()});
    }
    auto refusal(given_arguments given) -> std::string
    {
        auto const made = read(std::move(given));
        return made ? "none" : made.error().why().front().code + " " + made.error().why().front().attribute;
    }

    state::test::temporary_directory directory;
    variable const no_file{"CLOUDSDK_CONFIG", directory.path()};
};

// \source the documentation of Terraform 1.17 and OpenTofu 1.13, backend "gcs"
TEST(GcsArguments, AreThoseOfTheDocumentation)
{
    std::vector<std::string> names;
    for (auto const& one : gcs_arguments().attributes) names.push_back(one.name);
    EXPECT_THAT(names,
        ElementsAre("access_token", "bucket", "credentials", "encryption_key", "impersonate_service_account",
            "impersonate_service_account_delegates", "kms_encryption_key", "prefix", "storage_custom_endpoint",
            "universe_domain"));
}

TEST_F(GcsSettings, FindsCredentialsInTheOrderOfTerraform)
{
    EXPECT_FALSE(read({})->identity.credentials);
    state::test::write_text(directory.path() / "application_default_credentials.json", user_file);
    EXPECT_EQ(read({})->identity.credentials->text_of("type"), "authorized_user");
    state::test::write_text(directory.path() / "federation.json",
        R"({"type":"external_account","audience":"a","subject_token_type":"t","token_url":"u","credential_source":{"file":"f"}})");
    variable const application("GOOGLE_APPLICATION_CREDENTIALS", directory.path() / "federation.json");
    EXPECT_EQ(read({})->identity.credentials->text_of("type"), "external_account");
    variable const provider("GOOGLE_CREDENTIALS", R"({"type":"service_account","client_email":"e","private_key":"k"})");
    EXPECT_EQ(read({})->identity.credentials->text_of("type"), "service_account");
    variable const own("GOOGLE_BACKEND_CREDENTIALS", user_file);
    EXPECT_EQ(read({})->identity.credentials->text_of("type"), "authorized_user");
    EXPECT_EQ(
        read({{"credentials", value("federation.json")}})->identity.credentials->text_of("type"), "external_account")
        << "a name is relative to the configuration";
    variable const token("GOOGLE_OAUTH_ACCESS_TOKEN", "T");
    EXPECT_EQ(read({{"credentials", value("federation.json")}})->identity.access_token, "T");
    EXPECT_FALSE(read({{"credentials", value("federation.json")}})->identity.credentials);
}

TEST_F(GcsSettings, NamesTheArgumentThatIsMissingOrWrong)
{
    EXPECT_EQ(refusal({{"bucket", value("")}}), "backend_argument_missing bucket");
    EXPECT_EQ(refusal({{"credentials", value("no-file")}}), "backend_argument_invalid credentials");
    EXPECT_EQ(refusal({{"credentials", value("{}")}}), "backend_argument_invalid credentials");
    EXPECT_EQ(
        refusal({{"credentials", value(R"({"type":"service_account"})")}}), "backend_argument_invalid credentials");
    EXPECT_EQ(refusal({{"credentials",
                  value(R"({"type":"external_account","audience":"a","subject_token_type":"t","token_url":"u",
                      "credential_source":{"environment_id":"aws1"}})")}}),
        "backend_argument_invalid credentials");
    EXPECT_EQ(
        refusal({{"storage_custom_endpoint", value("ftp://x")}}), "backend_argument_invalid storage_custom_endpoint");
    EXPECT_EQ(refusal({{"encryption_key", value("c2hvcnQ=")}}), "backend_argument_invalid encryption_key");
    EXPECT_EQ(refusal({{"encryption_key", value(base64(std::string(32, 'k')))}, {"kms_encryption_key", value("k")}}),
        "backend_argument_invalid encryption_key");
    EXPECT_EQ(refusal({{"encryption_key", value(base64(std::string(32, 'k')))}}), "none");
}

TEST_F(GcsSettings, ResolvesPrefixesAndEndpointsAsTerraformDoes)
{
    for (auto const& [given, prefix] : {std::pair("", ""), {"a", "a/"}, {"/a/b/", "a/b/"}, {"a//b", "a/b/"}, {"/", ""}})
        EXPECT_EQ(read({{"prefix", value(given)}})->prefix, prefix) << given;
    for (auto const& [given, endpoint] : {std::pair("https://s.example/storage/v1/b", "https://s.example/storage/v1/"),
             {"https://s.example/storage/v1/", "https://s.example/storage/v1/"},
             {"https://s.example", "https://s.example/storage/v1/"}})
        EXPECT_EQ(read({{"storage_custom_endpoint", value(given)}})->endpoint, endpoint) << given;
    EXPECT_EQ(read({{"universe_domain", value("u.example")}})->endpoint, "https://storage.u.example/storage/v1/");
    variable const emulator("STORAGE_EMULATOR_HOST", "127.0.0.1:4443");
    EXPECT_EQ(read({})->endpoint, "http://127.0.0.1:4443/storage/v1/");
    EXPECT_TRUE(read({})->identity.is_anonymous);
}

// A server with objects by name, and their generations.
class gcs_server {
public:
    [[nodiscard]] auto settings() const -> gcs_settings
    {
        gcs_settings with;
        with.bucket = "bucket";
        with.prefix = "net/";
        with.endpoint = server_.url() + "/storage/v1/";
        with.is_usual_endpoint = false;
        with.identity.access_token = "hush";
        with.retries = {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1), true};
        return with;
    }
    [[nodiscard]] auto url() const -> std::string { return server_.url(); }
    [[nodiscard]] auto log() const -> std::vector<std::string> { return server_.log(); }
    [[nodiscard]] auto object(std::string const& name) -> std::string
    {
        std::lock_guard const guard(mutex_);
        return objects_.contains(name) ? objects_.at(name).first : "none";
    }
    void put(std::string const& name, std::string const& text)
    {
        std::lock_guard const guard(mutex_);
        objects_[name] = {text, ++generation_};
    }
    void lose_answer_of(std::string method)
    {
        std::lock_guard const guard(mutex_);
        loses_ = std::move(method);
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

private:
    auto respond(asked const& request) -> answer
    {
        std::lock_guard const guard(mutex_);
        last_ = request;
        if (next_) return *std::exchange(next_, std::nullopt);
        answer made = carry_out(request);
        made.hangs_up = loses_ == request.method;
        if (made.hangs_up) loses_.clear();
        return made;
    }
    static auto error(unsigned status, char const* message) -> answer
    {
        return {.status = status,
            .body = R"({"error":{"code":)" + std::to_string(status) + R"(,"message":")" + message + R"("}})",
            .headers = {{"Content-Type", "application/json"}}};
    }
    // The value of a parameter of the query.
    static auto parameter(std::string const& target, std::string const& name) -> std::optional<std::string>
    {
        auto const at = target.find(name + "=");
        if (at == std::string::npos) return std::nullopt;
        auto const begin = at + name.size() + 1;
        return http::percent_decoded(target.substr(begin, target.find('&', begin) - begin));
    }
    auto carry_out(asked const& request) -> answer
    {
        std::string const bucket = "/storage/v1/b/bucket/o";
        if (request.target.starts_with("/upload" + bucket)) return upload(request);
        if (request.target.starts_with(bucket + "?")) return list(request.target);
        if (!request.target.starts_with(bucket + "/")) return error(404, "The specified bucket does not exist.");
        auto const name = http::percent_decoded(
            request.target.substr(bucket.size() + 1, request.target.find('?') - bucket.size() - 1));
        auto const found = objects_.find(name);
        auto const expected = parameter(request.target, "ifGenerationMatch");
        if (found == objects_.end())
            return request.method == "DELETE" ? error(404, "No such object")
                                              : answer{.status = 404, .body = "No such object"};
        if (request.method == "GET")
            return {.body = found->second.first,
                .headers = {{"X-Goog-Generation", std::to_string(found->second.second)},
                    {"X-Goog-Hash", "crc32c=AAAAAA==,md5=" + base64(digest(found->second.first, digest_kind::md5))}}};
        if (expected && *expected != std::to_string(found->second.second)) return error(412, "conditionNotMet");
        objects_.erase(found);
        return {.status = 204};
    }
    auto upload(asked const& request) -> answer
    {
        auto const begin = request.body.find("\r\n\r\n", request.body.find("\r\n\r\n") + 4) + 4;
        auto const text = request.body.substr(begin, request.body.rfind("\r\n--") - begin);
        auto const name_at = request.body.find("\"name\":\"") + 8;
        auto const name = request.body.substr(name_at, request.body.find('"', name_at) - name_at);
        auto const found = objects_.find(name);
        std::string const there = found == objects_.end() ? "0" : std::to_string(found->second.second);
        auto const expected = parameter(request.target, "ifGenerationMatch");
        if (expected && *expected != there) return error(412, "conditionNotMet");
        objects_[name] = {text, ++generation_};
        return {.body = json_object()
                    .text("generation", std::to_string(generation_))
                    .text("md5Hash", base64(digest(text, digest_kind::md5)))
                    .done()};
    }
    // Each page has one name.
    auto list(std::string const& target) -> answer
    {
        auto const prefix = parameter(target, "prefix").value_or("");
        auto const token = parameter(target, "pageToken");
        auto at = token ? objects_.upper_bound(*token) : objects_.lower_bound(prefix);
        if (at == objects_.end() || !at->first.starts_with(prefix)) return {.body = "{}"};
        return {.body = R"({"items":[{"name":")" + at->first + R"("}],"nextPageToken":")" + at->first + "\"}"};
    }

    std::mutex mutex_;
    std::map<std::string, std::pair<std::string, int>> objects_;
    int generation_ = 1000;
    asked last_;
    std::string loses_;
    std::optional<answer> next_;
    providers_test::http_server server_{[this](asked const& request) { return respond(request); }};
};

class GcsState : public state_client_test {
protected:
    gcs_server server;
    std::shared_ptr<state_client> const client = make_gcs_state(server.settings());
};

TEST_F(GcsState, KeepsADocumentForEachWorkspace)
{
    EXPECT_EQ(get(*client), "none");
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(server.last().headers.at("Authorization"), "Bearer hush");
    EXPECT_EQ(code_of(client->put("blue", "two", "")), "");
    EXPECT_EQ(server.object("net/default.tfstate"), "one");
    EXPECT_EQ(server.object("net/blue.tfstate"), "two");
    EXPECT_EQ(get(*client, "blue"), "two");
    for (char const* const name : {"net/red.tfstate", "net/x.tflock", "net/a.txt"}) server.put(name, "x");
    EXPECT_THAT(client->workspaces().value(), ElementsAre("default", "blue", "red"));
    EXPECT_EQ(code_of(client->erase("blue")), "");
    EXPECT_EQ(code_of(client->erase("blue")), "");
    EXPECT_EQ(get(*client, "blue"), "none");
}

TEST_F(GcsState, WritesOnlyTheGenerationThatItHasRead)
{
    expect_writes_of_known_documents(*client, *make_gcs_state(server.settings()));
}

TEST_F(GcsState, HasALockWhoseIdIsItsGeneration)
{
    auto const second = make_gcs_state(server.settings());
    expect_exclusive_lock(*client, *second);
    EXPECT_EQ(server.object("net/default.tflock"), other.text());
    EXPECT_EQ(client->holder("default")->id, "1002");
    EXPECT_EQ(code_of(second->unlock("default", other)), "");
    EXPECT_THAT(server.log().back(), HasSubstr("ifGenerationMatch=1002"));
}

TEST_F(GcsState, RecognizesItsWritesIfRepliesWereLost)
{
    server.lose_answer_of("POST");
    EXPECT_TRUE(client->lock("default", info)->held);
    server.lose_answer_of("POST");
    EXPECT_EQ(code_of(client->put("default", "one", info.id)), "");
    server.lose_answer_of("DELETE");
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server.object("net/default.tflock"), "none");
}

TEST_F(GcsState, EncryptsDocumentsWithAKeyOfTheCustomer)
{
    auto with = server.settings();
    with.encryption_key = std::string(32, 'k');
    auto const encrypted = make_gcs_state(with);
    EXPECT_EQ(code_of(encrypted->put("default", "one", "")), "");
    EXPECT_EQ(server.last().headers.at("X-Goog-Encryption-Key"), base64(with.encryption_key));
    EXPECT_EQ(get(*encrypted), "one");
    EXPECT_EQ(server.last().headers.at("X-Goog-Encryption-Algorithm"), "AES256");
    EXPECT_TRUE(encrypted->lock("default", info)->held);
    EXPECT_FALSE(server.last().headers.contains("X-Goog-Encryption-Key"));

    with = server.settings();
    with.kms_key_name = "projects/p/k";
    EXPECT_EQ(code_of(make_gcs_state(with)->put("blue", "one", "")), "");
    EXPECT_THAT(server.log().back(), HasSubstr("kmsKeyName=projects%2Fp%2Fk"));
}

TEST_F(GcsState, VerifiesChecksums)
{
    std::string const sums = "crc32c=AAAAAA==,md5=" + base64(digest("one", digest_kind::md5));
    server.answer_next({.body = "One", .headers = {{"X-Goog-Generation", "1"}, {"X-Goog-Hash", sums}}});
    EXPECT_THAT(get(*client), HasSubstr("remote_state_garbled"));
    server.answer_next({.body = "one", .headers = {{"X-Goog-Generation", "1"}, {"X-Goog-Hash", sums}}});
    EXPECT_EQ(get(*client), "one");
    server.answer_next({.body = R"({"generation":"2","md5Hash":"AAAA"})"});
    EXPECT_EQ(code_of(client->put("default", "two", "")), "remote_state_garbled");
}

TEST_F(GcsState, DoesNotTakeAnotherResponseForThatOfTheService)
{
    server.put("net/default.tfstate", "one");
    for (answer const& one : {answer{.status = 404, .body = "<html>nginx</html>"}, answer{}, answer{.body = "{}"},
             answer{.status = 204}, answer{.status = 302, .headers = {{"Location", "/elsewhere"}}}}) {
        server.answer_next(one);
        EXPECT_THAT(get(*client), Not(HasSubstr("none"))) << one.status;
        server.answer_next(one);
        EXPECT_NE(code_of(client->put("default", "two", "")), "") << one.status;
        server.answer_next(one);
        auto const attempt = client->lock("default", info);
        EXPECT_TRUE(!attempt || !attempt->held) << one.status;
    }
    EXPECT_EQ(server.object("net/default.tfstate"), "one");
}

TEST_F(GcsState, ReportsWhyARequestIsRejectedWithoutSecrets)
{
    server.answer_next({.status = 403,
        .body = R"({"error":{"code":403,"message":"robot does not have storage.objects.get access"}})",
        .headers = {{"Content-Type", "application/json"}}});
    auto const got = client->get("default");
    ASSERT_FALSE(got);
    EXPECT_THAT(error_text(got), HasSubstr("object_request_refused"));
    EXPECT_THAT(error_text(got), HasSubstr("storage.objects.get"));
    EXPECT_THAT(error_text(got), Not(HasSubstr("hush")));
}

// A server that gives a token for each request.
class GoogleTokens : public testing::Test {
protected:
    auto respond(asked const& request) -> answer
    {
        requests.push_back(request);
        if (request.target.starts_with("/subject")) return {.body = R"({"value":"subject"})"};
        if (request.target.starts_with("/impersonate"))
            return {.body = R"({"accessToken":"other","expireTime":"2100-01-01T00:00:00Z"})"};
        if (refuses) return {.status = 400, .body = R"({"error":"invalid_grant","error_description":"Bad hush"})"};
        return {.body = R"({"access_token":"token )" + std::to_string(requests.size()) + R"(","expires_in":)"
                + std::to_string(seconds) + "}"};
    }
    static auto identity(std::string const& credentials) -> google_identity
    {
        google_identity made;
        made.credentials = *read_google_credentials(credentials);
        return made;
    }

    std::vector<asked> requests;
    int seconds = 3600;
    bool refuses = false;
    providers_test::http_server server{[this](asked const& request) { return respond(request); }};
};

TEST_F(GoogleTokens, AreKeptUntilTheyEnd)
{
    google_tokens tokens(
        identity(R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r&","token_uri":")"
            + server.url() + "/token\"}"));
    EXPECT_EQ(tokens.token().value(), "token 1");
    EXPECT_EQ(tokens.token().value(), "token 1");
    EXPECT_EQ(requests.front().body, "grant_type=refresh_token&client_id=i&client_secret=s&refresh_token=r%26");
    seconds = 60;
    google_tokens short_lived(
        identity(R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r","token_uri":")"
            + server.url() + "/token\"}"));
    EXPECT_EQ(short_lived.token().value(), "token 2");
    EXPECT_EQ(short_lived.token().value(), "token 3") << "it ends soon";
}

TEST_F(GoogleTokens, AreExchangedAndImpersonated)
{
    google_tokens tokens(identity(R"({"type":"external_account","audience":"a","subject_token_type":"t","token_url":")"
        + server.url() + R"(/exchange","service_account_impersonation_url":")" + server.url()
        + R"(/impersonate","credential_source":{"url":")" + server.url()
        + R"(/subject","format":{"type":"json","subject_token_field_name":"value"}}})"));
    EXPECT_EQ(tokens.token().value(), "other");
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_THAT(requests[1].body, HasSubstr("subject_token=subject&"));
    EXPECT_EQ(requests[2].headers.at("Authorization"), "Bearer token 2");
    EXPECT_THAT(requests[2].body, HasSubstr("devstorage.read_write"));
}

TEST_F(GoogleTokens, ComeFromTheMetadataServerWithoutCredentials)
{
    variable const host("GCE_METADATA_HOST", server.url().substr(7));
    google_tokens tokens({});
    EXPECT_EQ(tokens.token().value(), "token 1");
    EXPECT_EQ(requests.front().headers.at("Metadata-Flavor"), "Google");
    refuses = true;
    google_tokens refused({});
    auto const got = refused.token();
    ASSERT_FALSE(got);
    EXPECT_THAT(error_text(got), HasSubstr("google_credentials_missing"));
    EXPECT_THAT(error_text(got), HasSubstr("access_token_refused"));
}

TEST_F(GoogleTokens, AreRefusedWithTheReasonOfTheServer)
{
    refuses = true;
    google_tokens tokens(
        identity(R"({"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"r","token_uri":")"
            + server.url() + "/token\"}"));
    auto const got = tokens.token();
    ASSERT_FALSE(got);
    EXPECT_THAT(error_text(got), HasSubstr("status 400, Bad hush"));
    google_tokens no_key(identity(R"({"type":"service_account","client_email":"e","private_key":"k"})"));
    EXPECT_THAT(error_text(no_key.token()), HasSubstr("credentials_unusable"));
}

}  // namespace
}  // namespace iacctl::backends::test
