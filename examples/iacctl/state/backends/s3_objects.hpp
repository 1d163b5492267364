// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_S3_OBJECTS_HPP
#define IACCTL_STATE_BACKENDS_S3_OBJECTS_HPP

#include "aws_connection.hpp"
#include "aws_credentials.hpp"
#include "dynamodb_table.hpp"
#include "object_store.hpp"
#include "state_client.hpp"

#include <map>
#include <memory>
#include <string>

namespace iacctl::backends {

/// The settings of the backend "s3", under the names of its arguments.
struct s3_settings {
    std::string bucket;
    std::string key;
    std::string workspace_key_prefix = "env:";
    std::string region;
    std::string endpoint;  ///< a URL; empty: that of AWS
    bool use_path_style = false;
    bool use_lockfile = false;
    bool skip_conditional_writes = false;  ///< a document is written whatever its version is
    bool skip_s3_checksum = false;  ///< no checksum is sent with a document
    bool encrypt = false;
    std::string kms_key_id;
    std::string sse_customer_key;  ///< 32 bytes, used with `encrypt`; empty: none
    std::string acl;  ///< a canned one; empty: that of the bucket
    std::map<std::string, std::string> state_tags;
    std::map<std::string, std::string> lock_tags;
    dynamodb_settings dynamodb;
    std::shared_ptr<aws_identity> identity;
    aws_connection connection;
};

/// The objects of a bucket. The version of an object is its ETag. With a table of DynamoDB, locks are items there, and the table
/// contains the MD5 of each document.
/// \source AWS, "How to prevent object overwrites with conditional writes"
[[nodiscard]] auto make_s3_objects(s3_settings settings) -> std::shared_ptr<object_store>;

/// State documents as objects of a bucket. The document of the workspace "default" is the object `key`, that of another
/// workspace `workspace_key_prefix/WORKSPACE/key`. The name of a lock is that name with ".tflock" appended, as with
/// Terraform's `use_lockfile`, so that both programs respect each other's locks.
/// \source Terraform's backend "s3"
[[nodiscard]] auto make_s3_state(s3_settings settings) -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_S3_OBJECTS_HPP
