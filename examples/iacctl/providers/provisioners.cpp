// SPDX-License-Identifier: BSL-1.0
#include "provisioners.hpp"

#include "local_exec.hpp"
#include "messages/report.hpp"
#include "messages/validation.hpp"

#include <string>
#include <utility>

namespace iacctl::providers {

namespace {

using language::schema;
using language::type;

auto file_schema() -> schema const&
{
    static schema const s{{
        {.name = "content", .of = type::string(), .optional = true},
        {.name = "destination", .of = type::string(), .required = true},
        {.name = "source", .of = type::string(), .optional = true},
    }};
    return s;
}

auto remote_exec_schema() -> schema const&
{
    static schema const s{{
        {.name = "inline", .of = type::list(type::string()), .optional = true},
        {.name = "script", .of = type::string(), .optional = true},
        {.name = "scripts", .of = type::list(type::string()), .optional = true},
    }};
    return s;
}

}  // namespace

auto provisioner_schema(std::string_view type) -> schema const*
{
    if (type == "local-exec") return &local_exec_schema();
    if (type == "file") return &file_schema();
    return type == "remote-exec" ? &remote_exec_schema() : nullptr;
}

auto runs_provisioner(std::string_view type) noexcept -> bool
{
    return type == "local-exec";
}

auto connection_schema() -> schema const&
{
    static schema const s = [] {
        schema made;
        made.attributes.push_back({.name = "host", .of = type::string(), .required = true});
        for (auto const* const name : {"type", "user", "password", "timeout", "script_path", "target_platform",
                 "private_key", "certificate", "host_key", "agent_identity", "proxy_scheme", "proxy_host",
                 "proxy_user_name", "proxy_user_password", "bastion_host", "bastion_host_key", "bastion_user",
                 "bastion_password", "bastion_private_key", "bastion_certificate", "cacert"})
            made.attributes.push_back({.name = name, .of = type::string(), .optional = true});
        for (auto const* const name : {"port", "proxy_port", "bastion_port"})
            made.attributes.push_back({.name = name, .of = type::number(), .optional = true});
        for (auto const* const name : {"agent", "https", "insecure", "use_ntlm"})
            made.attributes.push_back({.name = name, .of = type::boolean(), .optional = true});
        return made;
    }();
    return s;
}

auto provision(strider::infra::provision_request<language::value> request, std::set<std::string> withheld,
    command_runner run) -> strider::infra::task<strider::infra::diagnostics>
{
    if (runs_provisioner(request.type)) return local_exec(std::move(request), std::move(withheld), std::move(run));
    return [](std::string type) -> strider::infra::task<strider::infra::diagnostics> {
        strider::infra::diagnostics problems;
        problems.add(messages::make_error(messages::remote_provisioner_unsupported, {type}));
        co_return problems;
    }(request.type);
}

}  // namespace iacctl::providers
