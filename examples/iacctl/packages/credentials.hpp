// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_CREDENTIALS_HPP
#define IACCTL_PACKAGES_CREDENTIALS_HPP

#include "base/expected.hpp"
#include "cli_configuration.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <map>
#include <string>

namespace iacctl::packages {

/// Tokens for hosts: from TF_TOKEN_HOST, from the CLI configuration with credentials.tfrc.json, and from a credentials
/// helper, in that order.
class credentials {
public:
    explicit credentials(cli_configuration const& from) : from_(&from) {}

    /// The token for a host; empty: there is none.
    [[nodiscard]] auto token(std::string const& host) -> expected<std::string>;

    /// Stores a token: with the credentials helper if there is one, otherwise in credentials.tfrc.json, readable by its
    /// owner only.
    [[nodiscard]] auto store(std::string const& host, std::string const& token) -> infra::diagnostics;
    /// Removes a stored token. A token in the environment or in another file of settings is not removed, which is an
    /// error.
    [[nodiscard]] auto forget(std::string const& host) -> infra::diagnostics;

    /// The place where `store` saves a token, for a message.
    [[nodiscard]] auto place() const -> std::string;

private:
    [[nodiscard]] auto file() const -> std::filesystem::path { return from_->directory / "credentials.tfrc.json"; }
    [[nodiscard]] auto change_file(std::string const& host, std::string const* token) -> infra::diagnostics;
    [[nodiscard]] auto run_helper(std::string const& verb, std::string const& host, std::string const& input) const
        -> expected<std::string>;

    cli_configuration const* from_;
    std::map<std::string, std::string> known_;  // the answers of the helper
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_CREDENTIALS_HPP
