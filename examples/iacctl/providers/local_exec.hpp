// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_LOCAL_EXEC_HPP
#define IACCTL_PROVIDERS_LOCAL_EXEC_HPP

#include "base/child_process.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/task.hpp>

#include <set>
#include <string>

namespace iacctl::providers {

/// Arguments of `provisioner "local-exec"`.
[[nodiscard]] auto local_exec_schema() -> language::schema const&;

/// Runs a command on this machine and waits for it, without a thread of its own.
///
/// Standard output and error are passed on line by line. The command has its own process group; a terminal cancellation
/// ends the group.
/// \param withheld  environment variables that it does not inherit, unless they are in its argument `environment`
/// \param run  runs the command
/// \source Terraform 1.11, provisioner local-exec: arguments, environment and texts.
[[nodiscard]] auto local_exec(strider::infra::provision_request<language::value> request,
    std::set<std::string> withheld, command_runner run) -> strider::infra::task<strider::infra::diagnostics>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_LOCAL_EXEC_HPP
