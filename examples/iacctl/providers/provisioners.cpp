// SPDX-License-Identifier: BSL-1.0
#include "provisioners.hpp"

#include "local_exec.hpp"
#include "remote_provisioners.hpp"

#include <string>
#include <utility>

namespace iacctl::providers {

auto provisioner_schema(std::string_view type) -> language::schema const*
{
    if (type == "local-exec") return &local_exec_schema();
    if (type == "file") return &file_schema();
    return type == "remote-exec" ? &remote_exec_schema() : nullptr;
}

auto uses_connection(std::string_view type) noexcept -> bool
{
    return type == "file" || type == "remote-exec";
}

auto provision(strider::infra::provision_request<language::value> request, std::set<std::string> withheld,
    command_runner run) -> strider::infra::task<strider::infra::diagnostics>
{
    if (request.type == "file") return upload_file(std::move(request), std::move(withheld));
    if (request.type == "remote-exec") return remote_exec(std::move(request), std::move(withheld));
    return local_exec(std::move(request), std::move(withheld), std::move(run));
}

}  // namespace iacctl::providers
