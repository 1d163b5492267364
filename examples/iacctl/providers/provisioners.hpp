// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVISIONERS_HPP
#define IACCTL_PROVIDERS_PROVISIONERS_HPP

#include "child_process.hpp"
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

/// Arguments of a provisioner, or null: there is none of this type.
/// \source Terraform 1.11, provisioners file, local-exec, remote-exec.
[[nodiscard]] auto provisioner_schema(std::string_view type) -> language::schema const*;
/// Can a provisioner of this type be run? Those that work on another machine cannot: nothing here connects to one.
[[nodiscard]] auto runs_provisioner(std::string_view type) noexcept -> bool;
/// Arguments of a `connection` block.
[[nodiscard]] auto connection_schema() -> language::schema const&;

/// Runs a provisioner. One that cannot be run is an error.
/// \param withheld  variables of the environment that it does not get
/// \param run  runs its command
[[nodiscard]] auto provision(strider::infra::provision_request<language::value> request, std::set<std::string> withheld,
    command_runner run) -> strider::infra::task<strider::infra::diagnostics>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVISIONERS_HPP
