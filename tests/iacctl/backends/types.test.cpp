// SPDX-License-Identifier: BSL-1.0
// The types of backends and the meaning of their arguments.
#include "state/backends/types.hpp"
#include "state/backends/foreign_types.hpp"
#include "state/backends/http.hpp"

#include "environment.hpp"
#include "iacctl/state/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::test::codes_of;
using state::test::error_text;
using testing::ElementsAre;
using testing::HasSubstr;

// An object with all arguments of a type, null where none is given.
auto settings_of(std::string_view type, std::vector<language::value_entry> given) -> language::value
{
    auto const none = no_settings(*find_type(type));
    std::vector<language::value_entry> all(none.entries().begin(), none.entries().end());
    std::ranges::move(given, std::back_inserter(all));
    return language::value::object(std::move(all));
}

TEST(BackendTypes, AreSortedAndFoundByName)
{
    EXPECT_TRUE(std::ranges::is_sorted(types(), {}, &backend_type::name));
    for (backend_type const& one : types()) EXPECT_EQ(find_type(one.name), &one);
    EXPECT_EQ(find_type("floppy"), nullptr);
}

TEST(BackendTypes, DoNotRequireArgumentsThatTheEnvironmentCanSet)
{
    for (backend_type const& one : types())
        for (auto const& argument : one.arguments().attributes) EXPECT_FALSE(argument.required) << argument.name;
}

// The names of the arguments and blocks of a body, with those of its blocks in braces.
auto names_in(language::schema const& of) -> std::string
{
    std::string names;
    for (auto const& one : of.attributes) names += (names.empty() ? "" : " ") + one.name;
    for (auto const& one : of.blocks) names += " " + one.name + " {" + names_in(*one.content) + "}";
    return names;
}

TEST(ForeignBackends, HaveThePublishedArguments)
{
    std::map<std::string_view, std::string_view> const published{
        {"cloud", "hostname organization token workspaces {name project tags}"},
        {"consul", "access_token address ca_file cert_file datacenter gzip http_auth key_file lock path scheme"},
        {"cos",
            "accelerate acl bucket cam_role_name domain encrypt endpoint key prefix profile region secret_id "
            "secret_key "
            "security_token shared_credentials_dir assume_role {external_id policy role_arn session_duration "
            "session_name}"},
        {"inmem", "lock_id"},
        {"kubernetes",
            "client_certificate client_key cluster_ca_certificate config_context config_context_auth_info "
            "config_context_cluster config_path config_paths host in_cluster_config insecure labels load_config_file "
            "namespace password proxy_url secret_suffix token username exec {api_version args command env}"},
        {"oci",
            "auth bucket config_file_profile fingerprint key kms_key_id namespace private_key private_key_password "
            "private_key_path region sse_customer_algorithm sse_customer_key sse_customer_key_sha256 tenancy_ocid "
            "user_ocid workspace_key_prefix"},
        {"oss",
            "access_key acl assume_role_policy assume_role_role_arn assume_role_session_expiration "
            "assume_role_session_name bucket ecs_role_name encrypt endpoint key prefix profile region secret_key "
            "security_token shared_credentials_file sts_endpoint tablestore_endpoint tablestore_instance_name "
            "tablestore_table assume_role {policy role_arn session_expiration session_name}"},
        {"remote", "hostname organization token workspaces {name prefix}"},
    };
    for (auto const& [name, arguments] : published) {
        auto const* const known = find_foreign_arguments(name);
        ASSERT_NE(known, nullptr) << name;
        EXPECT_EQ(names_in(*known), arguments) << name;
        EXPECT_EQ(find_type(name), nullptr) << name;
        EXPECT_FALSE(replacement_of(name).empty());
    }
    EXPECT_EQ(foreign_types().size(), published.size() - 1);
    EXPECT_EQ(find_foreign_arguments("floppy"), nullptr);
}

TEST(LocalBackend, NamesItsDirectoriesAfterItsArguments)
{
    auto const directory = [](std::vector<language::value_entry> given, std::string const& workspace) {
        auto const made = find_type("local")->make(settings_of("local", std::move(given)), {.directory = "root"});
        return made ? (*made)->local_directory(workspace).generic_string() : error_text(made);
    };
    using language::value;

    EXPECT_EQ(directory({}, "default"), "root/.iacctl/default");
    EXPECT_EQ(directory({}, "blue"), "root/.iacctl/blue");
    EXPECT_EQ(directory({{"path", value("net/a.tfstate")}}, "default"), "root/net/a.tfstate.iacctl/default");
    EXPECT_EQ(directory({{"path", value("net/a.tfstate")}}, "blue"), "root/.iacctl/blue");
    EXPECT_EQ(directory({{"path", value("/net/a.tfstate")}}, "default"), "/net/a.tfstate.iacctl/default");
    EXPECT_EQ(directory({{"workspace_dir", value("spaces/")}}, "blue"), "root/spaces.iacctl/blue");
    EXPECT_EQ(directory({{"path", value("./terraform.tfstate")}}, "default"), "root/.iacctl/default");
    EXPECT_EQ(directory({{"workspace_dir", value("terraform.tfstate.d")}}, "blue"), "root/.iacctl/blue");
}

TEST(LocalBackend, ExcludesNamedStatesFromVersionControl)
{
    state::test::temporary_directory const place;
    auto const made = find_type("local")->make(
        settings_of("local", {{"path", language::value("a.tfstate")}}), {.directory = place.path()});
    ASSERT_TRUE(made) << error_text(made);

    ASSERT_TRUE((*made)->make("default"));

    EXPECT_TRUE(std::filesystem::exists(place.path() / "a.tfstate.iacctl" / ".gitignore"));
    EXPECT_THAT((*made)->workspaces().value(), ElementsAre("default"));
}

TEST(HttpBackend, ReadsArgumentsFromTheEnvironmentIfTheBlockDoesNotSetThem)
{
    variable const address("TF_HTTP_ADDRESS", "https://one.example/state");
    variable const user("TF_HTTP_USERNAME", "ada");
    variable const retries("TF_HTTP_RETRY_MAX", "5");

    auto const with = read_http_settings(settings_of("http", {{"username", language::value("bob")}}));

    ASSERT_TRUE(with) << error_text(with);
    EXPECT_EQ(with->address, "https://one.example/state");
    EXPECT_EQ(with->username, "bob");
    EXPECT_EQ(with->retries.most, 5);
    EXPECT_EQ(with->update_method, "POST");
}

TEST(HttpBackend, NamesTheArgumentThatIsMissingOrWrong)
{
    using language::value;
    auto const refused = [](std::vector<language::value_entry> given) {
        auto const with = read_http_settings(settings_of("http", std::move(given)));
        EXPECT_FALSE(with);
        return with ? std::string() : with.error().why().front().code + " " + with.error().why().front().attribute;
    };

    EXPECT_EQ(refused({}), "backend_argument_missing address");
    EXPECT_EQ(refused({{"address", value("ftp://x")}}), "backend_argument_invalid address");
    EXPECT_EQ(refused({{"address", value("http://x")}, {"lock_address", value("y")}}),
        "backend_argument_invalid lock_address");
    EXPECT_EQ(refused({{"address", value("http://x")}, {"client_certificate_pem", value("y")}}),
        "backend_argument_invalid client_certificate_pem");
    variable const retries("TF_HTTP_RETRY_MAX", "many");
    EXPECT_EQ(refused({{"address", value("http://x")}}), "backend_argument_invalid retry_max");
}

TEST(HttpBackend, HasOneMirrorPerAddressIndependentOfCredentials)
{
    using language::value;
    auto const mirror = [](std::string const& address, char const* password) {
        auto const made = find_type("http")->make(
            settings_of("http", {{"address", value(address)}, {"username", value("u")}, {"password", value(password)}}),
            {});
        return made ? (*made)->local_directory("default").generic_string() : error_text(made);
    };

    EXPECT_EQ(mirror("http://one.example/s", "a"), mirror("http://one.example/s", "b"));
    EXPECT_NE(mirror("http://one.example/s", "a"), mirror("http://one.example/t", "a"));
    EXPECT_THAT(mirror("http://one.example/s", "a"), HasSubstr(".iacctl/.mirrors/http-"));
}

}  // namespace
}  // namespace iacctl::backends::test
