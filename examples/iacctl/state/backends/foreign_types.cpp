// SPDX-License-Identifier: BSL-1.0
#include "foreign_types.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

namespace iacctl::backends {

namespace {

using language::type;

// The arguments in the body of a backend, or in one of its blocks: names with spaces between them, by their type.
struct argument_names {
    std::string_view backend;
    std::string_view block = {};  // empty: the body
    std::string_view texts = {};
    std::string_view required_texts = {};
    std::string_view secrets = {};  // texts that are not shown
    std::string_view booleans = {};
    std::string_view numbers = {};
    std::string_view lists = {};  // of texts
    std::string_view maps = {};  // of texts
    std::string_view others = {};  // of any type
    language::nesting nesting = language::nesting::single;  // of the block
};

// \source the documentation of Terraform 1.17 and OpenTofu 1.13, "Backend Configuration" and "HCP Terraform"
constexpr std::array all{
    argument_names{.backend = cloud_block, .texts = "hostname organization", .secrets = "token"},
    argument_names{.backend = cloud_block, .block = "workspaces", .texts = "name project", .others = "tags"},
    argument_names{.backend = "consul",
        .texts = "address ca_file cert_file datacenter key_file path scheme",
        .secrets = "access_token http_auth",
        .booleans = "gzip lock"},
    argument_names{.backend = "cos",
        .texts = "acl bucket cam_role_name domain endpoint key prefix profile region secret_id shared_credentials_dir",
        .secrets = "secret_key security_token",
        .booleans = "accelerate encrypt"},
    argument_names{.backend = "cos",
        .block = "assume_role",
        .texts = "external_id policy",
        .required_texts = "role_arn session_name",
        .numbers = "session_duration",
        .nesting = language::nesting::set},
    argument_names{.backend = "inmem", .texts = "lock_id"},
    argument_names{.backend = "kubernetes",
        .texts = "client_certificate cluster_ca_certificate config_context config_context_auth_info "
                 "config_context_cluster config_path host namespace proxy_url secret_suffix username",
        .secrets = "client_key password token",
        .booleans = "in_cluster_config insecure load_config_file",
        .lists = "config_paths",
        .maps = "labels"},
    argument_names{.backend = "kubernetes",
        .block = "exec",
        .required_texts = "api_version command",
        .lists = "args",
        .maps = "env"},
    argument_names{.backend = "oci",
        .texts = "auth bucket config_file_profile fingerprint key kms_key_id namespace private_key_path region "
                 "sse_customer_algorithm sse_customer_key_sha256 tenancy_ocid user_ocid workspace_key_prefix",
        .secrets = "private_key private_key_password sse_customer_key"},
    argument_names{.backend = "oss",
        .texts = "acl assume_role_policy assume_role_role_arn assume_role_session_name bucket ecs_role_name endpoint "
                 "key prefix profile region shared_credentials_file sts_endpoint tablestore_endpoint "
                 "tablestore_instance_name tablestore_table",
        .secrets = "access_key secret_key security_token",
        .booleans = "encrypt",
        .numbers = "assume_role_session_expiration"},
    argument_names{.backend = "oss",
        .block = "assume_role",
        .texts = "policy session_name",
        .required_texts = "role_arn",
        .numbers = "session_expiration",
        .nesting = language::nesting::set},
    argument_names{.backend = "remote", .texts = "hostname organization", .secrets = "token"},
    argument_names{.backend = "remote", .block = "workspaces", .texts = "name prefix"},
};

void add(language::schema& to, std::string_view names, type const& t, bool is_required = false, bool is_secret = false)
{
    while (!names.empty()) {
        auto const end = std::min(names.find(' '), names.size());
        to.attributes.push_back({.name = std::string(names.substr(0, end)),
            .of = t,
            .required = is_required,
            .optional = !is_required,
            .sensitive = is_secret});
        names.remove_prefix(std::min(end + 1, names.size()));
    }
}

auto body_of(argument_names const& row) -> language::schema
{
    language::schema made;
    add(made, row.texts, type::string());
    add(made, row.required_texts, type::string(), true);
    add(made, row.secrets, type::string(), false, true);
    add(made, row.booleans, type::boolean());
    add(made, row.numbers, type::number());
    add(made, row.lists, type::list(type::string()));
    add(made, row.maps, type::map(type::string()));
    add(made, row.others, type::dynamic());
    std::ranges::sort(made.attributes, {}, &language::schema_attribute::name);
    return made;
}

auto make_schemas() -> std::map<std::string_view, language::schema>
{
    std::map<std::string_view, language::schema> made;
    for (argument_names const& row : all) {
        if (row.block.empty()) {
            made.emplace(row.backend, body_of(row));
            continue;
        }
        language::schema_block block;
        block.name = row.block;
        block.how = row.nesting;
        block.content = std::make_shared<language::schema const>(body_of(row));
        block.max_items = 1;
        made.at(row.backend).blocks.push_back(std::move(block));
    }
    return made;
}

auto schemas() -> std::map<std::string_view, language::schema> const&
{
    static std::map<std::string_view, language::schema> const made = make_schemas();
    return made;
}

}  // namespace

auto find_foreign_arguments(std::string_view type) -> language::schema const*
{
    auto const found = schemas().find(type);
    return found == schemas().end() ? nullptr : &found->second;
}

auto foreign_types() -> std::vector<std::string_view>
{
    std::vector<std::string_view> names;
    for (auto const& [name, arguments] : schemas())
        if (name != cloud_block) names.push_back(name);
    return names;
}

auto replacement_of(std::string_view foreign_type) -> std::string_view
{
    static constexpr std::array<std::string_view, 3> stores{"cos", "oci", "oss"};
    if (foreign_type == "inmem") return "\"local\"";
    if (std::ranges::find(stores, foreign_type) != stores.end())
        return "\"s3\" with a bucket of S3 or of another server that speaks its protocol, \"pg\", or \"http\" with the "
               "server \"iacctl state serve\"";
    return "\"http\" with the server \"iacctl state serve\", \"pg\", or \"s3\"";
}

}  // namespace iacctl::backends
