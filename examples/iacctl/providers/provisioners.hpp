// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVISIONERS_HPP
#define IACCTL_PROVIDERS_PROVISIONERS_HPP

#include "base/child_process.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/task.hpp>

#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// The arguments of a provisioner; null if there is no such type.
/// \source Terraform 1.11, provisioners file, local-exec, remote-exec.
[[nodiscard]] auto provisioner_schema(std::string_view type) -> language::schema const*;
/// Returns whether provisioners of this type work on another machine. The attribute `connection` of their configuration is
/// their connection, or null.
[[nodiscard]] auto uses_connection(std::string_view type) noexcept -> bool;

/// Runs a provisioner. \pre there is a schema of its type
/// \param withheld  environment variables that it does not inherit
/// \param run  runs a command of `local-exec`
[[nodiscard]] auto provision(strider::infra::provision_request<language::value> request, std::set<std::string> withheld,
    command_runner run) -> strider::infra::task<strider::infra::diagnostics>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVISIONERS_HPP
