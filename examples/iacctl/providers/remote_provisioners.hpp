// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_REMOTE_PROVISIONERS_HPP
#define IACCTL_PROVIDERS_REMOTE_PROVISIONERS_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/task.hpp>

#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// The attribute of the configuration of these provisioners that has their connection; null: there is none.
inline constexpr std::string_view connection_attribute = "connection";

/// Arguments of `provisioner "file"` and `provisioner "remote-exec"`.
[[nodiscard]] auto file_schema() -> language::schema const&;
[[nodiscard]] auto remote_exec_schema() -> language::schema const&;

/// Writes a file, or a directory, on another machine.
/// \param withheld  environment variables that the programs of the connection do not inherit
/// \source Terraform 1.11, provisioner file.
[[nodiscard]] auto upload_file(strider::infra::provision_request<language::value> request,
    std::set<std::string> withheld) -> strider::infra::task<strider::infra::diagnostics>;

/// Runs scripts on another machine. Each is written there, run and removed. A terminal cancellation ends it.
/// \source Terraform 1.11, provisioner remote-exec: arguments, order, texts.
[[nodiscard]] auto remote_exec(strider::infra::provision_request<language::value> request,
    std::set<std::string> withheld) -> strider::infra::task<strider::infra::diagnostics>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_REMOTE_PROVISIONERS_HPP
