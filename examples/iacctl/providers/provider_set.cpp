// SPDX-License-Identifier: BSL-1.0
#include "provider_set.hpp"

#include "local_exec.hpp"

#include <string>
#include <utility>

namespace iacctl::providers {

namespace {

using strider::infra::diagnostics;
using strider::infra::failure;
using strider::infra::make_error;

auto unknown_type(strider::infra::address const& a) -> strider::infra::diagnostic
{
    return make_error("Unknown resource type",
        "State has an object of type \"" + a.type() + "\", which no provider of this program can work with.",
        to_string(a));
}

}  // namespace

auto provider_set::types() -> std::vector<resource_type const*> const&
{
    static std::vector<resource_type const*> const all{&local_file(), &terraform_data()};
    return all;
}

auto provider_set::find(std::string_view type) noexcept -> resource_type const*
{
    for (resource_type const* known : types())
        if (known->name() == type) return known;
    return nullptr;
}

auto provider_set::read(strider::infra::read_request<value> request) -> task<checked<std::optional<value>>>
{
    resource_type const* const type = find(request.target.type());
    if (type == nullptr) co_return failure(unknown_type(request.target));
    co_return type->read(request.prior);
}

auto provider_set::plan(strider::infra::plan_request<value> request) -> task<checked<planned>>
{
    if (request.target.mode() == strider::infra::resource_mode::data) {
        data_source const* const source = find_data(request.target.type());
        if (source == nullptr) co_return failure(unknown_type(request.target));
        co_return planned(to_be_read(*source, request.wanted));
    }
    resource_type const* const type = find(request.target.type());
    if (type == nullptr) co_return failure(unknown_type(request.target));
    co_return type->plan(request.prior, request.wanted);
}

auto provider_set::data_types() -> std::vector<data_source const*> const&
{
    static std::vector<data_source const*> const all{&terraform_remote_state()};
    return all;
}

auto provider_set::find_data(std::string_view type) noexcept -> data_source const*
{
    for (data_source const* known : data_types())
        if (known->name() == type) return known;
    return nullptr;
}

auto provider_set::read_data(strider::infra::data_request<value> request) -> task<checked<value>>
{
    data_source const* const source = find_data(request.target.type());
    if (source == nullptr) co_return failure(unknown_type(request.target));
    auto reading = source->read(request.config);
    co_return co_await std::move(reading);
}

auto provider_set::apply(apply_request request) -> task<applied>
{
    resource_type const* const type = find(request.operation.target.type());
    if (type == nullptr) {
        diagnostics problems;
        problems.push_back(unknown_type(request.operation.target));
        co_return applied(std::nullopt, std::move(problems));
    }
    co_return type->apply(request);
}

auto provider_set::look_up(apply_request request) -> task<looked_up>
{
    resource_type const* const type = find(request.operation.target.type());
    if (type == nullptr) co_return looked_up();
    co_return type->look_up(request);
}

auto provider_set::provision(strider::infra::provision_request<value> request) -> task<diagnostics>
{
    if (request.type == "local-exec") return local_exec(std::move(request));
    return [](std::string type) -> task<diagnostics> {
        diagnostics problems;
        problems.push_back(make_error("Unknown provisioner", "There is no provisioner of type \"" + type + "\"."));
        co_return problems;
    }(request.type);
}

}  // namespace iacctl::providers
