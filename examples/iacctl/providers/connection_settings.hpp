// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_CONNECTION_SETTINGS_HPP
#define IACCTL_PROVIDERS_CONNECTION_SETTINGS_HPP

#include "base/expected.hpp"
#include "base/ssh/settings.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace iacctl::providers {

/// Arguments of a `connection` block.
/// \source Terraform 1.11, communicator: arguments of both kinds of connections, and their defaults.
[[nodiscard]] auto connection_schema() -> language::schema const&;
/// The same for a configuration that other programs use, too: WinRM is a warning.
[[nodiscard]] auto portable_connection_schema() -> language::schema const&;

/// The connection of a provisioner.
class connection_settings {
public:
    ssh::settings how;
    std::string script_path;  ///< for scripts; "%RAND%" stands for a number
    std::chrono::nanoseconds timeout{};  ///< of all attempts to connect

    /// The lines that Terraform prints before an attempt.
    [[nodiscard]] auto announcement() const -> std::vector<std::string>;
};

/// Reads the value of a `connection` block.
/// \param withheld  environment variables that programs do not inherit
/// \param warnings  receives problems that do not prevent the connection
[[nodiscard]] auto read_connection(language::value const& block, std::set<std::string> withheld,
    strider::infra::diagnostics& warnings) -> expected<connection_settings>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_CONNECTION_SETTINGS_HPP
