// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_DYNAMODB_TABLE_HPP
#define IACCTL_STATE_BACKENDS_DYNAMODB_TABLE_HPP

#include "aws_connection.hpp"
#include "aws_credentials.hpp"
#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "lock_info.hpp"
#include "state_client.hpp"

#include <memory>
#include <optional>
#include <string>

namespace iacctl::backends {

struct dynamodb_settings {
    std::string table;  ///< empty: no table is used
    std::string region;
    std::string endpoint;  ///< a URL; empty: that of AWS
};

/// Locks and digests of states in a table of DynamoDB, whose key is the text `LockID`.
///
/// The lock of a state is an item with the member `Info`, the digest of its document an item with the member `Digest`,
/// as with Terraform, so that both programs respect each other.
/// \source Terraform's backend "s3"; AWS, "Amazon DynamoDB API Reference"
class dynamodb_table {
public:
    dynamodb_table(dynamodb_settings settings, std::shared_ptr<aws_identity> identity, aws_connection connection);

    /// Makes one attempt to take the lock. \param key  of the lock
    [[nodiscard]] auto lock(std::string const& key, lock_info const& as) -> expected<lock_attempt>;
    /// The lock that is held now; nothing if there is none. A lock with an unreadable description has an empty ID.
    [[nodiscard]] auto holder(std::string const& key) -> expected<std::optional<lock_info>>;
    /// Removes a lock. \return a failure if another one is there
    [[nodiscard]] auto unlock(std::string const& key, lock_info const& held) -> expected<void>;

    /// The digest of a document, or nothing.
    [[nodiscard]] auto digest(std::string const& key) -> expected<std::optional<std::string>>;
    [[nodiscard]] auto write_digest(std::string const& key, std::string const& digest) -> expected<void>;
    [[nodiscard]] auto erase_digest(std::string const& key) -> expected<void>;

private:
    struct reply {
        http::response got;
        std::string error;  // the type of the error of the service
    };

    [[nodiscard]] auto send(std::string const& operation, std::string const& members) -> expected<reply>;
    // Performs an operation whose only result is its success.
    [[nodiscard]] auto perform(std::string const& operation, std::string const& members) -> expected<void>;
    // The text in a member of an item.
    [[nodiscard]] auto read(std::string const& key, std::string const& member) -> expected<std::optional<std::string>>;
    [[nodiscard]] auto refusal(reply const& from) const -> infra::failure;

    dynamodb_settings with_;
    std::shared_ptr<aws_identity> identity_;
    aws_connection connection_;
    http::blocking_client client_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_DYNAMODB_TABLE_HPP
