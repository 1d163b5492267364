// SPDX-License-Identifier: BSL-1.0
// The backend "s3": signatures, settings, and objects on a small server with conditional creation.
#include "state/backends/s3.hpp"
#include "base/http/url.hpp"
#include "state/backends/aws_signature.hpp"
#include "state/backends/s3_objects.hpp"

#include "environment.hpp"
#include "iacctl/providers/http_server.hpp"
#include "iacctl/state/support.hpp"
#include "state_client_test.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {
namespace {

using providers_test::answer;
using providers_test::asked;
using state::test::error_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

auto sha256_of(std::string const& text) -> std::string
{
    return hex(digest(text, digest_kind::sha256));
}

auto signature_of(http::request const& signed_one) -> std::string
{
    auto const& text = signed_one.headers.at("Authorization");
    return text.substr(text.find("Signature=") + 10);
}

// The examples of AWS's documents "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
class SignatureOfS3 : public testing::Test {
protected:
    auto sign_one(std::string method, std::string const& target, std::map<std::string, std::string> headers,
        std::string const& body = {}) -> std::string
    {
        http::request r;
        r.method = std::move(method);
        r.url = "https://examplebucket.s3.amazonaws.com" + target;
        r.headers = std::move(headers);
        r.headers["x-amz-content-sha256"] = sha256_of(body);
        r.body = body;
        sign(r, {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""}, "us-east-1", "s3",
            "20130524T000000Z");
        return signature_of(r);
    }
};

TEST_F(SignatureOfS3, EqualsThePublishedExamples)
{
    EXPECT_EQ(sign_one("GET", "/test.txt", {{"Range", "bytes=0-9"}}),
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    EXPECT_EQ(sign_one("PUT", "/" + aws_encoded("test$file.text", "/"),
                  {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                  "Welcome to Amazon S3."),
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
    EXPECT_EQ(sign_one("GET", "/?lifecycle", {}), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    EXPECT_EQ(sign_one("GET", "/?max-keys=2&prefix=J", {}),
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

// An example of the test suite of Signature Version 4.
TEST(Signature, EqualsThePublishedTestSuite)
{
    auto const sign_one = [](std::string method, std::string const& target,
                              std::map<std::string, std::string> headers = {}) {
        http::request r;
        r.method = std::move(method);
        r.url = "https://example.amazonaws.com" + target;
        r.headers = std::move(headers);
        sign(r, {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""}, "us-east-1", "service",
            "20150830T123600Z");
        EXPECT_THAT(r.headers.at("Authorization"),
            HasSubstr(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,SignedHeaders="));
        return signature_of(r);
    };
    EXPECT_EQ(sign_one("GET", "/"), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    EXPECT_EQ(sign_one("POST", "/"), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    EXPECT_EQ(sign_one("GET", "/?Param2=value2&Param1=value1"),
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

TEST(Signature, IncludesTheTokenOfASession)
{
    http::request r;
    r.url = "https://bucket.s3.amazonaws.com/";
    sign(r, {"A", "S", "T"}, "us-east-1", "s3", "20130524T000000Z");
    EXPECT_EQ(r.headers.at("X-Amz-Security-Token"), "T");
    EXPECT_THAT(r.headers.at("Authorization"), HasSubstr("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
}

class S3Settings : public testing::Test {
protected:
    using entries = std::vector<language::value_entry>;

    auto read(entries given) -> expected<s3_settings>
    {
        std::map<std::string, language::value> all;
        for (auto const& argument : s3_arguments().attributes)
            all.emplace(argument.name, language::value::null(argument.of));
        all.insert_or_assign("bucket", language::value("b"));
        all.insert_or_assign("key", language::value("k"));
        for (auto& one : given) all.insert_or_assign(one.key, std::move(one.of));
        entries complete;
        for (auto& [name, value] : all) complete.push_back({name, value});
        object_ = language::value::object(std::move(complete));
        return read_s3_settings(object_, {});
    }
    auto refusal(entries given) -> std::string
    {
        auto const made = read(std::move(given));
        return made ? "none" : made.error().why().front().code + " " + made.error().why().front().attribute;
    }

    // The credentials that are found; an error is their key.
    auto keys(entries given) -> aws_credentials
    {
        auto const made = read(std::move(given));
        if (!made) return {made.error().why().front().code, {}, {}};
        auto const found = made->identity->credentials();
        return found ? *found : aws_credentials{found.error().why().front().code, {}, {}};
    }

    state::test::temporary_directory directory;
    language::value object_;
    variable const no_file{"AWS_SHARED_CREDENTIALS_FILE", directory.path() / "credentials"};
    variable const no_configuration{"AWS_CONFIG_FILE", directory.path() / "config"};
};

TEST_F(S3Settings, ReadsCredentialsFromArgumentsTheEnvironmentAndProfiles)
{
    using language::value;
    variable const no_metadata("AWS_EC2_METADATA_DISABLED", "true");
    entries const region{{"region", value("r")}};
    EXPECT_EQ(keys(region).access_key, "s3_credentials_missing");
    state::test::write_text(directory.path() / "credentials",
        "[default]\naws_access_key_id = A1\naws_secret_access_key=S1\n# x\n[team]\r\naws_access_key_id=A2\r\n"
        "aws_secret_access_key = S2=\r\naws_session_token = T2\r\n");
    state::test::write_text(directory.path() / "config", "[profile team]\nregion = there\ns3 =\n  region = nested\n");
    EXPECT_EQ(keys(region).access_key, "A1");
    EXPECT_EQ(keys({{"profile", value("team")}}).secret_key, "S2=");
    EXPECT_EQ(keys({{"profile", value("team")}}).token, "T2");
    EXPECT_EQ(read({{"profile", value("team")}})->region, "there");
    {
        variable const named("AWS_PROFILE", "team");
        EXPECT_EQ(keys({}).access_key, "A2");
    }
    state::test::write_text(directory.path() / "more", "[team]\naws_access_key_id=A5\naws_secret_access_key=S5\n");
    auto const files = [&](std::vector<value> all) { return value::set(language::type::string(), std::move(all)); };
    EXPECT_EQ(keys({{"profile", value("team")},
                       {"shared_credentials_files", files({value((directory.path() / "more").string())})}})
                  .access_key,
        "A5");
    variable const key("AWS_ACCESS_KEY_ID", "A3");
    variable const secret("AWS_SECRET_ACCESS_KEY", "S3");
    variable const usual_region("AWS_REGION", "usual");
    EXPECT_EQ(keys({}).access_key, "A3");
    EXPECT_EQ(read({})->region, "usual");
    EXPECT_EQ(keys({{"profile", value("team")}}).access_key, "A2");
    EXPECT_EQ(keys({{"profile", value("absent")}}).access_key, "aws_credentials_unavailable");
    EXPECT_EQ(keys({{"access_key", value("A4")}, {"secret_key", value("S4")}}).access_key, "A4");
}

TEST_F(S3Settings, ReadsThePublishedArguments)
{
    using language::value;
    variable const region("AWS_REGION", "eu-west-1");
    auto const given = read({{"acl", value("private")}, {"dynamodb_table", value("locks")},
        {"endpoints", value::map(language::type::string(), {{"dynamodb", value("http://localhost:1")}})},
        {"encrypt", value(true)}, {"sse_customer_key", value(base64(std::string(32, 'k')))},
        {"use_dualstack_endpoint", value(true)}, {"max_retries", value(language::number(7))},
        {"retry_mode", value("adaptive")}, {"http_proxy", value("http://proxy:8080")},
        {"skip_region_validation", value(true)},
        {"state_tags", value::map(language::type::string(), {{"a", value("b")}})}});
    ASSERT_TRUE(given) << error_text(given);
    EXPECT_EQ(given->acl, "private");
    EXPECT_EQ(given->dynamodb.table, "locks");
    EXPECT_EQ(given->dynamodb.endpoint, "http://localhost:1");
    EXPECT_EQ(given->sse_customer_key, std::string(32, 'k'));
    EXPECT_EQ(given->connection.retries.most, 7);
    EXPECT_NE(given->connection.via, nullptr);
    EXPECT_EQ(given->state_tags.at("a"), "b");
    EXPECT_EQ(refusal({{"sse_customer_key", value("c2VjcmV0")}}), "backend_argument_invalid sse_customer_key");
    EXPECT_EQ(refusal({{"sse_customer_key", value(base64(std::string(32, 'k')))}}), "none") << "without effect";
    EXPECT_EQ(refusal({{"retry_mode", value("often")}}), "backend_argument_invalid retry_mode");
    EXPECT_EQ(refusal({{"endpoints", value::map(language::type::string(), {{"s4", value("http://x")}})}}),
        "backend_argument_invalid endpoints");
    auto const ids = [](char const* one) { return value::set(language::type::string(), {value(one)}); };
    EXPECT_EQ(refusal({{"allowed_account_ids", ids("1")}, {"forbidden_account_ids", ids("2")}}),
        "backend_argument_invalid allowed_account_ids");
    EXPECT_EQ(refusal({{"allowed_account_ids", ids("1")}, {"skip_requesting_account_id", value(true)}}),
        "backend_argument_invalid skip_requesting_account_id");
}

TEST(S3Arguments, AreThePublishedOnes)
{
    std::string names;
    for (auto const& one : s3_arguments().attributes) {
        names += (names.empty() ? "" : " ") + one.name;
        if (!one.nested) continue;
        names += " {";
        for (auto const& inner : one.nested->content->attributes)
            names += (names.ends_with('{') ? "" : " ") + inner.name;
        names += "}";
    }
    // Terraform 1.17 and OpenTofu 1.13; only "skip_conditional_writes" is an argument of iacctl.
    EXPECT_EQ(names,
        "access_key acl allowed_account_ids assume_role {duration external_id policy policy_arns role_arn session_name "
        "source_identity tags transitive_tag_keys} assume_role_duration_seconds assume_role_policy "
        "assume_role_policy_arns assume_role_tags assume_role_transitive_tag_keys assume_role_with_web_identity "
        "{duration policy policy_arns role_arn session_name web_identity_token web_identity_token_file} bucket "
        "custom_ca_bundle dynamodb_endpoint dynamodb_table ec2_metadata_service_endpoint "
        "ec2_metadata_service_endpoint_mode encrypt endpoint endpoints external_id forbidden_account_ids "
        "force_path_style http_proxy https_proxy iam_endpoint insecure key kms_key_id lock_tags max_retries no_proxy "
        "profile region retry_mode role_arn secret_key session_name shared_config_files shared_credentials_file "
        "shared_credentials_files skip_conditional_writes skip_credentials_validation skip_metadata_api_check "
        "skip_region_validation skip_requesting_account_id skip_s3_checksum sse_customer_key state_tags sts_endpoint "
        "sts_region token use_dualstack_endpoint use_fips_endpoint use_lockfile use_path_style workspace_key_prefix");
}

TEST(AwsEndpoints, FollowRegionsAndKindsOfNetworks)
{
    aws_connection c;
    EXPECT_EQ(c.endpoint("s3", "eu-west-1"), "https://s3.eu-west-1.amazonaws.com");
    EXPECT_EQ(c.endpoint("sts", "cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
    c.use_fips = true;
    EXPECT_EQ(c.endpoint("s3", "us-east-1"), "https://s3-fips.us-east-1.amazonaws.com");
    c.use_dualstack = true;
    EXPECT_EQ(c.endpoint("s3", "us-east-1"), "https://s3-fips.dualstack.us-east-1.amazonaws.com");
    EXPECT_EQ(c.endpoint("dynamodb", "us-east-1"), "https://dynamodb-fips.us-east-1.api.aws");
}

TEST_F(S3Settings, NamesTheArgumentThatIsMissingOrWrong)
{
    using language::value;
    variable const key("AWS_ACCESS_KEY_ID", "A");
    variable const secret("AWS_SECRET_ACCESS_KEY", "S");
    EXPECT_EQ(refusal({}), "backend_argument_missing region");
    variable const region("AWS_REGION", "r");
    EXPECT_EQ(refusal({}), "none");
    EXPECT_EQ(refusal({{"bucket", value("")}}), "backend_argument_missing bucket");
    EXPECT_EQ(refusal({{"key", value("")}}), "backend_argument_missing key");
    EXPECT_EQ(refusal({{"key", value("/k")}}), "backend_argument_invalid key");
    EXPECT_EQ(refusal({{"workspace_key_prefix", value("p/")}}), "backend_argument_invalid workspace_key_prefix");
    EXPECT_EQ(refusal({{"endpoint", value("ftp://x")}}), "backend_argument_invalid endpoints");
    variable const encrypted("AWS_SSE_CUSTOMER_KEY", "c2VjcmV0");
    EXPECT_EQ(refusal({}), "backend_argument_invalid sse_customer_key");
}

// A server with objects by key, each with the header of its encryption.
class s3_server {
public:
    [[nodiscard]] auto settings() const -> s3_settings
    {
        s3_settings with;
        with.bucket = "bucket";
        with.key = "net/a b.tfstate";
        with.region = "eu-test-1";
        with.endpoint = server_.url();
        with.use_path_style = true;
        with.use_lockfile = true;
        aws_identity_settings identity;
        identity.given = {"A", "hush", ""};
        with.identity = std::make_shared<aws_identity>(std::move(identity));
        with.connection.retries = {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1), true};
        return with;
    }
    [[nodiscard]] auto log() const -> std::vector<std::string> { return server_.log(); }
    [[nodiscard]] auto object(std::string const& key) -> std::string
    {
        std::lock_guard const guard(mutex_);
        return objects_.contains(key) ? objects_.at(key) : "none";
    }
    void put(std::string const& key, std::string const& text)
    {
        std::lock_guard const guard(mutex_);
        objects_[key] = text;
    }
    // The next request with this method is performed, and the connection ends before the answer.
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
    // Another client replaces the object that is removed next.
    void put_before_removal(std::string text)
    {
        std::lock_guard const guard(mutex_);
        put_before_removal_ = std::move(text);
    }
    void refuse_conditions()
    {
        std::lock_guard const guard(mutex_);
        refuses_conditions_ = true;
    }
    [[nodiscard]] auto last_headers() -> std::map<std::string, std::string>
    {
        std::lock_guard const guard(mutex_);
        return headers_;
    }

private:
    auto respond(asked const& request) -> answer
    {
        std::lock_guard const guard(mutex_);
        headers_ = request.headers;
        if (next_) return *std::exchange(next_, std::nullopt);
        answer made = carry_out(request);
        made.hangs_up = loses_ == request.method;
        if (made.hangs_up) loses_.clear();
        return made;
    }
    auto carry_out(asked const& request) -> answer
    {
        std::string const bucket = "/bucket";
        if (request.target.starts_with(bucket + "?")) return list(request.target);
        std::string const key = request.target.substr(bucket.size() + 1);
        bool const exists = objects_.contains(key);
        if (request.method == "GET") {
            if (exists) return {.body = objects_.at(key), .headers = headers_of(objects_.at(key))};
            return {.status = 404, .body = "<Error><Code>NoSuchKey</Code></Error>"};
        }
        if (refuses_conditions_ && (request.headers.contains("If-None-Match") || request.headers.contains("If-Match")))
            return {.status = 501, .body = "<Error><Code>NotImplemented</Code></Error>"};
        if (request.method == "DELETE") {
            if (!put_before_removal_.empty()) objects_[key] = std::exchange(put_before_removal_, {});
            bool const is_other = request.headers.contains("If-Match")
                && request.headers.at("If-Match") != headers_of(objects_[key]).at("ETag");
            if (is_other) return {.status = 412, .body = "<Error><Code>PreconditionFailed</Code></Error>"};
            objects_.erase(key);
            return {.status = 204};
        }
        if (request.headers.contains("If-None-Match") && exists) return {.status = 412};
        if (request.headers.contains("If-Match")) {
            if (!exists) return {.status = 404, .body = "<Error><Code>NoSuchKey</Code></Error>"};
            if (request.headers.at("If-Match") != headers_of(objects_.at(key)).at("ETag")) return {.status = 412};
        }
        objects_[key] = request.body;
        return {.headers = headers_of(request.body)};
    }
    static auto headers_of(std::string const& text) -> std::map<std::string, std::string>
    {
        return {{"ETag", "\"" + hex(digest(text, digest_kind::md5)) + "\""}};
    }
    // Each page of the answer has one key.
    auto list(std::string const& target) -> answer
    {
        auto const token = target.find("continuation-token=");
        auto at = objects_.begin();
        if (token != target.npos)
            at = objects_.upper_bound(
                http::percent_decoded(target.substr(token + 19, target.find('&', token) - token - 19)));
        while (at != objects_.end() && !at->first.starts_with("env%3A/")) ++at;
        if (at == objects_.end())
            return {.body = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"};
        return {.body = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>" + at->first
                + "</Key></Contents><NextContinuationToken>" + at->first
                + "</NextContinuationToken></ListBucketResult>"};
    }

    std::mutex mutex_;
    std::map<std::string, std::string> objects_;
    std::map<std::string, std::string> headers_;
    std::string loses_;
    bool refuses_conditions_ = false;
    std::string put_before_removal_;
    std::optional<answer> next_;
    providers_test::http_server server_{[this](asked const& request) { return respond(request); }};
};

class S3State : public state_client_test {
protected:
    s3_server server;
    std::shared_ptr<state_client> const client = make_s3_state(server.settings());
};

TEST_F(S3State, KeepsADocumentForEachWorkspace)
{
    EXPECT_EQ(get(*client), "none");
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(code_of(client->put("blue", "two", "")), "");
    EXPECT_EQ(server.object("net/a%20b.tfstate"), "one");
    EXPECT_EQ(server.object("env%3A/blue/net/a%20b.tfstate"), "two");
    EXPECT_EQ(get(*client), "one");
    EXPECT_EQ(get(*client, "blue"), "two");
    EXPECT_EQ(code_of(client->erase("blue")), "");
    EXPECT_EQ(get(*client, "blue"), "none");
}

TEST_F(S3State, ListsWorkspacesOverSeveralPages)
{
    for (char const* const name : {"red", "blue", "green"}) EXPECT_EQ(code_of(client->put(name, "x", "")), "");
    server.put("env%3A/other/net/other.tfstate", "x");
    server.put("env%3A/a/b/net/a%20b.tfstate", "x");
    server.put("env%3A/net/a%20b.tfstate", "x");
    EXPECT_TRUE(client->lock("yellow", info)->held);
    auto const all = client->workspaces();
    ASSERT_TRUE(all) << error_text(all);
    EXPECT_THAT(*all, ElementsAre("default", "blue", "green", "red"));
}

TEST_F(S3State, HasAnExclusiveLock)
{
    expect_exclusive_lock(*client, *make_s3_state(server.settings()));
    EXPECT_EQ(server.object("net/a%20b.tfstate.tflock"), other.text());
}

TEST_F(S3State, RecognizesItsLockIfAReplyWasLost)
{
    server.lose_answer_of("PUT");
    EXPECT_TRUE(client->lock("default", info)->held);
    server.lose_answer_of("PUT");
    EXPECT_EQ(code_of(client->put("default", "one", info.id)), "");
    server.lose_answer_of("DELETE");
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server.object("net/a%20b.tfstate.tflock"), "none");
}

TEST_F(S3State, DoesNotRemoveALockThatReplacedItsOwn)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server.put_before_removal(other.text());
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server.object("net/a%20b.tfstate.tflock"), other.text());
}

TEST_F(S3State, RemovesItsLockFromAServerWithoutConditionalRemovals)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server.refuse_conditions();
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server.object("net/a%20b.tfstate.tflock"), "none");
}

TEST_F(S3State, RetriesWhenALockIsReleasedMeanwhile)
{
    server.answer_next({.status = 409});
    EXPECT_TRUE(client->lock("default", info)->held);
}

TEST_F(S3State, DoesNotWriteAfterItsLockWasBroken)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server.put("net/a%20b.tfstate.tflock", other.text());
    EXPECT_EQ(code_of(client->put("default", "late", info.id)), "remote_lock_lost");
    EXPECT_EQ(server.object("net/a%20b.tfstate"), "none");
}

TEST_F(S3State, HasNoLocksWithoutLockFiles)
{
    auto with = server.settings();
    with.use_lockfile = false;
    auto const without = make_s3_state(with);
    EXPECT_FALSE(without->can_lock());
    EXPECT_EQ(code_of(without->unlock("default", info)), "");
    EXPECT_TRUE(server.log().empty());
}

TEST_F(S3State, RequestsEncryption)
{
    auto with = server.settings();
    with.encrypt = true;
    EXPECT_EQ(code_of(make_s3_state(with)->put("default", "x", "")), "");
    EXPECT_EQ(server.last_headers().at("X-Amz-Server-Side-Encryption"), "AES256");
    with.acl = "bucket-owner-full-control";
    with.state_tags = {{"team", "a b"}, {"stage", "x"}};
    with.kms_key_id = "key";
    EXPECT_EQ(code_of(make_s3_state(with)->put("blue", "x", "")), "");
    EXPECT_EQ(server.last_headers().at("X-Amz-Acl"), "bucket-owner-full-control");
    EXPECT_EQ(server.last_headers().at("X-Amz-Tagging"), "stage=x&team=a%20b");
    EXPECT_EQ(server.last_headers().at("X-Amz-Server-Side-Encryption"), "aws:kms");
    EXPECT_EQ(server.last_headers().at("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"), "key");
    with.sse_customer_key = std::string(32, 'k');
    with.encrypt = false;
    EXPECT_EQ(get(*make_s3_state(with)), "x");
    EXPECT_FALSE(server.last_headers().contains("X-Amz-Server-Side-Encryption-Customer-Key"));
    with.encrypt = true;
    EXPECT_EQ(get(*make_s3_state(with)), "x");
    EXPECT_EQ(server.last_headers().at("X-Amz-Server-Side-Encryption-Customer-Key"), base64(std::string(32, 'k')));
    EXPECT_EQ(server.last_headers().at("X-Amz-Server-Side-Encryption-Customer-Algorithm"), "AES256");
}

TEST_F(S3State, WritesOnlyTheVersionThatItHasRead)
{
    auto const late = make_s3_state(server.settings());
    expect_writes_of_known_documents(*client, *late);
    EXPECT_EQ(code_of(late->erase("default")), "");
    EXPECT_EQ(code_of(client->put("default", "five", "")), "remote_state_conflict");
    EXPECT_EQ(server.object("net/a%20b.tfstate"), "none");
}

TEST_F(S3State, ContinuesFromItsOwnWriteIfTheReplyWasLost)
{
    auto with = server.settings();
    with.connection.retries.most = 0;
    with.connection.retries.repeatable = false;
    auto const once = make_s3_state(with);
    EXPECT_EQ(get(*once), "none");
    server.lose_answer_of("PUT");
    auto const lost = once->put("default", "one", "");
    ASSERT_EQ(code_of(lost), "remote_state_unreachable");
    std::string const detail = lost.error().why().front().detail;
    EXPECT_THAT(detail, HasSubstr(with.endpoint));
    EXPECT_EQ(detail.find("http://"), detail.rfind("http://")) << detail;
    EXPECT_EQ(server.object("net/a%20b.tfstate"), "one");
    EXPECT_EQ(code_of(once->put("default", "two", "")), "");
    EXPECT_EQ(server.object("net/a%20b.tfstate"), "two");
}

TEST_F(S3State, NamesAServerThatRefusesConditionalWrites)
{
    server.refuse_conditions();
    EXPECT_EQ(get(*client), "none");
    auto const failed = client->put("default", "one", "");
    ASSERT_FALSE(failed);
    EXPECT_EQ(code_of(failed), "s3_conditional_writes_refused");
    EXPECT_THAT(failed.error().why().front().detail, HasSubstr(server.settings().endpoint));
    EXPECT_THAT(failed.error().why().front().detail, HasSubstr("skip_conditional_writes"));
    auto const attempt = client->lock("default", info);
    ASSERT_FALSE(attempt);
    EXPECT_THAT(error_text(attempt), HasSubstr("s3_conditional_writes_refused"));

    auto with = server.settings();
    with.use_lockfile = false;
    with.skip_conditional_writes = true;
    auto const unconditional = make_s3_state(with);
    EXPECT_EQ(get(*unconditional), "none");
    EXPECT_EQ(code_of(unconditional->put("default", "one", "")), "");
    EXPECT_EQ(get(*unconditional), "one");
}

TEST_F(S3State, SendsAndVerifiesChecksums)
{
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(server.last_headers().at("X-Amz-Checksum-Sha256"), base64(digest("one", digest_kind::sha256)));
    auto with = server.settings();
    with.skip_s3_checksum = true;
    EXPECT_EQ(get(*make_s3_state(with)), "one");
    EXPECT_EQ(code_of(client->put("default", "two", "")), "");
    auto const plain = make_s3_state(with);
    EXPECT_EQ(get(*plain), "two");
    EXPECT_EQ(code_of(plain->put("default", "three", "")), "");
    EXPECT_FALSE(server.last_headers().contains("X-Amz-Checksum-Sha256"));

    std::string const sum = base64(digest("one", digest_kind::sha256));
    std::string const etag = "\"" + hex(digest("one", digest_kind::md5)) + "\"";
    using headers = std::map<std::string, std::string>;
    for (auto const& sent : {headers{{"ETag", "\"v1\""}, {"x-amz-checksum-sha256", sum}}, headers{{"ETag", etag}}}) {
        server.answer_next({.body = "One", .headers = sent});
        EXPECT_THAT(get(*client), HasSubstr("remote_state_garbled"));
        server.answer_next({.body = "one", .headers = sent});
        EXPECT_EQ(get(*client), "one");
    }
    server.answer_next({.body = "One", .headers = {{"ETag", etag}, {"x-amz-server-side-encryption", "aws:kms"}}});
    EXPECT_EQ(get(*client), "One") << "the ETag of an object that a key of KMS encrypts is not its checksum";
    server.answer_next({.headers = {{"ETag", etag}}});
    EXPECT_EQ(code_of(client->put("default", "two", "")), "remote_state_garbled")
        << "the server has stored another text";
}

TEST_F(S3State, DoesNotTakeAnotherResponseForThatOfS3)
{
    for (answer const& one : {answer{.status = 404, .body = "<html>nginx</html>"}, answer{.status = 404}, answer{},
             answer{.body = "{}"}, answer{.status = 204}, answer{.status = 202, .body = "{}"}}) {
        server.answer_next(one);
        EXPECT_THAT(get(*client), HasSubstr("s3_response_invalid")) << one.status;
    }
    EXPECT_EQ(get(*client), "none");
    for (answer const& one : {answer{}, answer{.status = 201}, answer{.status = 202}, answer{.status = 204},
             answer{.status = 302, .headers = {{"Location", "/bucket/x"}}},
             answer{.status = 307, .headers = {{"Location", "/bucket/x"}}}, answer{.body = "<html></html>"}}) {
        server.answer_next(one);
        EXPECT_NE(code_of(client->put("default", "one", "")), "") << one.status;
        server.answer_next(one);
        auto const attempt = client->lock("default", info);
        EXPECT_TRUE(!attempt || !attempt->held) << one.status;
        if (one.status == 204) continue;
        server.answer_next(one);
        EXPECT_NE(code_of(client->erase("default")), "") << one.status;
    }
    EXPECT_EQ(server.object("x"), "none");
}

TEST_F(S3State, ReportsWhyARequestIsRejectedWithoutSecrets)
{
    for (auto const& [status, code] :
        {std::pair(403U, "SignatureDoesNotMatch"), {404U, "NoSuchBucket"}, {301U, "PermanentRedirect"}}) {
        server.answer_next({.status = status,
            .body = std::string("<Error><Code>") + code + "</Code><StringToSign>hush</StringToSign></Error>"});
        auto const got = client->get("default");
        ASSERT_FALSE(got);
        EXPECT_THAT(error_text(got), HasSubstr("s3_request_refused"));
        EXPECT_THAT(error_text(got), HasSubstr(code));
        EXPECT_THAT(error_text(got), Not(HasSubstr("hush")));
    }
}

}  // namespace
}  // namespace iacctl::backends::test
