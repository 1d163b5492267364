// SPDX-License-Identifier: BSL-1.0
// The backend that a configuration and the options of `init` choose, and the file that remembers it.
#include "workspace/backend.hpp"

#include "iacctl/state/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace iacctl::workspace::test {
namespace {

using state::test::codes_of;
using state::test::error_text;
using state::test::write_text;
using testing::ElementsAre;
using testing::IsEmpty;

class BackendChoice : public testing::Test {
protected:
    void configure(std::string const& text) const { write_text(place.path() / "main.tf", text); }
    void configure_http(std::string const& arguments) const
    {
        configure("terraform {\n  backend \"http\" {\n" + arguments + "\n  }\n}\n");
    }
    // The backend that the block and the options choose.
    auto choose(std::vector<std::string> const& options = {}) -> std::optional<backend_choice>
    {
        found = {};
        auto const root = language::load_state_place(place.path(), found);
        auto made = declared_backend(root, found);
        if (made) (void)add_backend_options(*made, options, found);
        return made;
    }
    [[nodiscard]] auto codes() const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        for (auto const& d : found) all.emplace_back(d.code);
        return all;
    }
    [[nodiscard]] auto here() const -> settings
    {
        settings all;
        all.directory = place.path();
        return all;
    }
    [[nodiscard]] auto file(std::string const& name, std::string const& text) const -> std::string
    {
        write_text(place.path() / name, text);
        return (place.path() / name).string();
    }
    static auto text(std::optional<backend_choice> const& choice, std::string_view argument) -> std::string
    {
        auto const* const given = choice ? choice->settings.find(argument) : nullptr;
        return given != nullptr && given->has_data() ? given->as_string() : std::string("null");
    }

    state::test::temporary_directory place;
    infra::diagnostics found;
};

TEST_F(BackendChoice, IsTheDefaultWithoutABlockAndWithAnEmptyBlock)
{
    EXPECT_TRUE(choose()->is_usual());
    configure("terraform {\n  backend \"local\" {}\n}\n");
    EXPECT_TRUE(choose()->is_usual());
    EXPECT_EQ(choose()->hash, backend_choice::usual().hash);
    EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(BackendChoice, IsFoundDespiteOtherErrors)
{
    write_text(place.path() / "other.tf", "resource \"x\" {\n");
    configure_http("address = \"http://a\"");
    EXPECT_EQ(text(choose(), "address"), "http://a");
    EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(BackendChoice, IsThatOfAnOverrideFileAndOfJson)
{
    configure_http("address = \"http://a\"");
    write_text(place.path() / "x_override.tf.json", R"({"terraform":{"\u0062ackend":{"local":{"path":"p"}}}})");
    auto const chosen = choose();
    ASSERT_TRUE(chosen) << codes().front();
    EXPECT_EQ(chosen->type, "local");
    EXPECT_EQ(text(chosen, "path"), "p");
}

TEST_F(BackendChoice, AppliesOptionsInOrderAndConvertsThem)
{
    configure_http("address = \"http://a\"\nusername = \"block\"");
    auto const one = file("one.hcl", "username = \"file\"\nretry_max = 7\n");
    auto const two = file("two.json", R"({"password": "p"})");

    auto const chosen = choose({one, two, "lock_method=POST", "skip_cert_verification=true", "lock_method=PUT"});

    EXPECT_THAT(codes(), IsEmpty());
    EXPECT_EQ(text(chosen, "address"), "http://a");
    EXPECT_EQ(text(chosen, "username"), "file");
    EXPECT_EQ(text(chosen, "password"), "p");
    EXPECT_EQ(text(chosen, "lock_method"), "PUT");
    EXPECT_EQ(*chosen->settings.find("skip_cert_verification"), language::value(true));
    EXPECT_EQ(chosen->settings.find("retry_max")->as_number().as_int64(), 7);
    EXPECT_EQ(chosen->hash, choose()->hash) << "the hash is that of the block";
    EXPECT_THAT(secrets_in(*chosen), ElementsAre("password"));
}

TEST_F(BackendChoice, RejectsUnknownTypesAndArguments)
{
    configure_http("adress = \"x\"");
    EXPECT_FALSE(choose());
    EXPECT_THAT(codes(), ElementsAre("unsupported_argument"));
    configure_http("address = var.a");
    EXPECT_FALSE(choose());
    EXPECT_THAT(codes(), ElementsAre("reference_in_constant"));
    configure_http("");
    (void)choose({"adress=x", "retry_max=many", (place.path() / "absent").string()});
    EXPECT_THAT(codes(), ElementsAre("unknown_backend_argument", "backend_option_of_wrong_type", "unreadable_file"));
    configure("terraform {\n  backend \"cos\" {}\n}\n");
    EXPECT_FALSE(choose());
    EXPECT_THAT(codes(), ElementsAre("unsupported_backend"));
    configure("terraform {\n  backend \"floppy\" {}\n}\n");
    EXPECT_FALSE(choose());
    EXPECT_THAT(codes(), ElementsAre("unknown_backend_type"));
    configure("terraform {\n  cloud {}\n}\n");
    EXPECT_FALSE(choose());
    EXPECT_THAT(codes(), ElementsAre("unsupported_cloud_block"));
}

TEST_F(BackendChoice, AcceptsThePublishedArgumentsOfS3)
{
    // \source the documentation of Terraform 1.17 and OpenTofu 1.13, backend "s3"
    for (std::string const argument :
        {"access_key = \"a\"", "acl = \"private\"", "allowed_account_ids = [\"1\"]",
            "assume_role = { role_arn = \"arn:aws:iam::123456789012:role/r\" }",
            "assume_role = { role_arn = \"r\", duration = \"1h\", external_id = \"id\", policy = \"{}\", policy_arns = "
            "[\"p\"], session_name = \"n\", source_identity = \"s\", tags = { a = \"b\" }, transitive_tag_keys = "
            "[\"a\"] }",
            "assume_role_with_web_identity = { role_arn = \"r\", duration = \"1h\", policy = \"{}\", policy_arns = "
            "[\"p\"], session_name = \"n\", web_identity_token = \"t\" }",
            "assume_role_with_web_identity = { role_arn = \"r\", web_identity_token_file = \"f\" }",
            "custom_ca_bundle = \"f\"", "dynamodb_endpoint = \"http://x\"", "dynamodb_table = \"t\"",
            "ec2_metadata_service_endpoint = \"http://x\"", "ec2_metadata_service_endpoint_mode = \"IPv6\"",
            "encrypt = true", "endpoint = \"http://x\"",
            "endpoints = { dynamodb = \"http://x\", iam = \"http://x\", s3 = \"http://x\", sso = \"http://x\", sts = "
            "\"http://x\" }",
            "forbidden_account_ids = [\"1\"]", "force_path_style = true", "http_proxy = \"http://x\"",
            "https_proxy = \"http://x\"", "iam_endpoint = \"http://x\"", "insecure = true", "kms_key_id = \"k\"",
            "max_retries = 3", "no_proxy = \"x\"", "profile = \"p\"", "retry_mode = \"adaptive\"", "secret_key = \"s\"",
            "shared_config_files = [\"f\"]", "shared_credentials_file = \"f\"", "shared_credentials_files = [\"f\"]",
            "skip_credentials_validation = true", "skip_metadata_api_check = true", "skip_region_validation = true",
            "skip_requesting_account_id = true", "skip_s3_checksum = true", "sse_customer_key = \"k\"",
            "sts_endpoint = \"http://x\"", "sts_region = \"r\"", "token = \"t\"", "use_dualstack_endpoint = true",
            "use_fips_endpoint = true", "use_lockfile = true", "use_path_style = true", "workspace_key_prefix = \"p\"",
             // Only OpenTofu has these.
            "assume_role_duration_seconds = 900", "assume_role_policy = \"{}\"", "assume_role_policy_arns = [\"p\"]",
            "assume_role_tags = { a = \"b\" }", "assume_role_transitive_tag_keys = [\"a\"]", "external_id = \"id\"",
            "lock_tags = { a = \"b\" }", "role_arn = \"r\"", "session_name = \"n\"", "state_tags = { a = \"b\" }"}) {
        configure("terraform {\n  backend \"s3\" {\n    bucket = \"b\"\n    key = \"k\"\n    region = \"r\"\n"
            + argument + "\n  }\n}\n");
        auto const chosen = choose();
        EXPECT_THAT(codes(), IsEmpty()) << argument;
        ASSERT_TRUE(chosen) << argument;
        EXPECT_TRUE(chosen->settings.find(argument.substr(0, argument.find(' ')))->has_data()) << argument;
    }
}

TEST_F(BackendChoice, KnowsSecretsInObjects)
{
    auto const configure_role = [&](std::string const& member) {
        configure("terraform {\n  backend \"s3\" {\n    assume_role_with_web_identity = { role_arn = \"r\", " + member
            + " }\n  }\n}\n");
    };
    configure_role("web_identity_token = \"hush\"");
    EXPECT_THAT(secrets_in(*choose()), ElementsAre("assume_role_with_web_identity"));
    configure_role("web_identity_token_file = \"f\"");
    EXPECT_THAT(secrets_in(*choose()), IsEmpty());
}

TEST_F(BackendChoice, IsStoredUntilTheBlockChanges)
{
    configure_http("address = \"http://a\"");
    EXPECT_THAT(codes_of(chosen_backend(root_module(here()))), ElementsAre("backend_not_initialized"));
    auto wanted = choose({"username=ada"});
    ASSERT_TRUE(wanted);
    wanted->decided_note = "note";

    ASSERT_TRUE(remember(here(), *wanted));

    auto const chosen = chosen_backend(root_module(here()));
    ASSERT_TRUE(chosen) << error_text(chosen);
    EXPECT_TRUE(chosen->same_as(*wanted));
    EXPECT_EQ(chosen->decided_note, "note");
    auto const mode = std::filesystem::status(backend_file(here())).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    configure_http("address = \"http://b\"");
    EXPECT_THAT(codes_of(chosen_backend(root_module(here()))), ElementsAre("backend_changed"));
    configure("");
    EXPECT_THAT(codes_of(chosen_backend(root_module(here()))), ElementsAre("backend_changed"));
}

TEST_F(BackendChoice, RejectsADamagedFileAndDoesNotUseTheDefault)
{
    configure("");
    ASSERT_TRUE(remember(here(), backend_choice::usual()));
    ASSERT_TRUE(chosen_backend(root_module(here())));
    for (char const* const damaged : {"", "{", "{}", R"({"version": 2, "backend": {}})",
             R"({"version": 1, "backend": {"type": "floppy", "hash": "", "config": {}}})",
             R"({"version": 1, "backend": {"type": "local", "hash": ""}})"}) {
        write_text(backend_file(here()), damaged);
        EXPECT_THAT(codes_of(backend_of(root_module(here()))), ElementsAre("remembered_backend_unreadable")) << damaged;
    }
    write_text(backend_file(here()),
        R"({"version": 1, "backend": {"type": "local", "hash": "", "config": {"colour": "red"}}})");
    EXPECT_THAT(codes_of(backend_of(root_module(here()))), ElementsAre("remembered_backend_unusable"));
}

TEST_F(BackendChoice, HasAFileOfItsOwnForEachDataDirectory)
{
    auto other = here();
    other.data_directory = "other";
    EXPECT_EQ(backend_file(here()), place.path() / ".iacctl" / "backend.json");
    EXPECT_EQ(backend_file(other), place.path() / "other" / "backend.json");
    other.data_directory = ".terraform/";
    EXPECT_EQ(backend_file(other), backend_file(here()));
}

}  // namespace
}  // namespace iacctl::workspace::test
