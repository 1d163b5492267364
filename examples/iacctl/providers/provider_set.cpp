// SPDX-License-Identifier: BSL-1.0
#include "provider_set.hpp"

#include "local_exec.hpp"

#include <algorithm>
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

// What the schema calls sensitive is marked, whoever made the value.
void mark_sensitive(value& of, resource_type const& type)
{
    for (language::schema_attribute const& one : type.schema().attributes) {
        if (!one.sensitive) continue;
        value const* const found = of.find(one.name);
        if (found != nullptr && !found->is_null() && !found->is_sensitive())
            of = with(of, {{one.name, found->with_marks(language::mark::sensitive)}});
    }
}

auto about(strider::infra::address const& target, failure of) -> failure
{
    diagnostics all = std::move(of).why();
    for (strider::infra::diagnostic& d : all)
        if (d.address.empty()) d.address = to_string(target);
    return failure(std::move(all));
}

}  // namespace

auto provider_set::types() -> std::vector<resource_type const*> const&
{
    static std::vector<resource_type const*> const all = [] {
        std::vector<resource_type const*> made{&local_file(), &local_sensitive_file(), &null_resource(), &random_id(),
            &random_integer(), &random_password(), &random_pet(), &random_shuffle(), &random_string(), &random_uuid(),
            &restapi_object(), &terraform_data(), &time_rotating(), &time_sleep(), &time_static()};
        std::ranges::sort(made, {}, &resource_type::name);
        return made;
    }();
    return all;
}

auto provider_set::find(std::string_view type) noexcept -> resource_type const*
{
    auto const found = std::ranges::lower_bound(types(), type, {}, &resource_type::name);
    return found != types().end() && (*found)->name() == type ? *found : nullptr;
}

auto provider_set::read(strider::infra::read_request<value> request) -> task<checked<std::optional<value>>>
{
    resource_type const* const type = find(request.target.type());
    if (type == nullptr) co_return failure(unknown_type(request.target));
    auto reading = type->read(std::move(request.prior));
    auto found = co_await std::move(reading);
    if (!found) co_return about(request.target, found.error());
    if (*found) mark_sensitive(**found, *type);
    co_return found;
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
    auto made = type->plan(request.prior, request.wanted);
    if (!made) co_return about(request.target, made.error());
    mark_sensitive(made->after, *type);
    co_return made;
}

auto provider_set::data_types() -> std::vector<data_source const*> const&
{
    static std::vector<data_source const*> const all{
        &external_data(), &http_data(), &local_file_data(), &terraform_remote_state()};
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
    auto reading = source->read(std::move(request.config));
    auto found = co_await std::move(reading);
    if (!found) co_return about(request.target, found.error());
    co_return found;
}

auto provider_set::apply(apply_request request) -> task<applied>
{
    resource_type const* const type = find(request.operation.target.type());
    if (type == nullptr) {
        diagnostics problems;
        problems.push_back(unknown_type(request.operation.target));
        co_return applied(std::nullopt, std::move(problems));
    }
    auto applying = type->apply(std::move(request));
    auto outcome = co_await std::move(applying);
    if (outcome.object) mark_sensitive(*outcome.object, *type);
    co_return outcome;
}

auto provider_set::look_up(apply_request request) -> task<looked_up>
{
    resource_type const* const type = find(request.operation.target.type());
    if (type == nullptr) co_return looked_up();
    auto asking = type->look_up(std::move(request));
    auto found = co_await std::move(asking);
    if (found.object) mark_sensitive(*found.object, *type);
    co_return found;
}

auto provider_set::import_object(strider::infra::address target, std::string id) -> task<checked<value>>
{
    resource_type const* const type = find(target.type());
    if (type == nullptr) co_return failure(unknown_type(target));
    auto importing = type->import_object(std::move(id));
    auto found = co_await std::move(importing);
    if (!found) co_return about(target, found.error());
    mark_sensitive(*found, *type);
    co_return found;
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
